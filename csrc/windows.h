/* windows.h - samples of a row that lie apart, picked by lookups. set.h includes this file.
 *
 * A lookup picks bytes out of a window of WINDOW bytes: a lane or, with masks, a vector. WINDOW
 * bytes of the result are one block. It has `groups` windows, which begin at first[0], first[1],
 * ... of its own. The orders of a block, WINDOW bytes for each window, are NIL where another window
 * has the byte.
 *
 * Columns are made for ROWS rows at once, which may be the same one. The last block of a row may be
 * made twice in part.
 */
enum { WINDOW = HAS_MASKS ? V : S1_LANE, ROWS = 4, ROW_LANES = V / WINDOW, ROW_VECTORS = ROWS / ROW_LANES };

#if HAS_MASKS
FN vec lanes_at(const uint8_t *const *s, int64_t offset) { return load(s[0] + offset); }
FN void store_lanes(uint8_t *const *d, int64_t offset, vec v) { store(d[0] + offset, v); }
FN vec order_at(const uint8_t *order) { return load(order); }
FN vec looked_up(vec x, vec window, vec order) { return permute_into(x, window, order); }
#else
/* The WINDOW bytes at s[k] + offset for each of ROW_LANES rows. */
FN vec lanes_at(const uint8_t *const *s, int64_t offset) { return load_lanes(s[0] + offset, s[ROW_LANES - 1] + offset); }

/* Stores such bytes to each row. */
FN void store_lanes(uint8_t *const *d, int64_t offset, vec v) {
#pragma GCC unroll 2
  for (int lane = 0; lane < ROW_LANES; lane++) store16(d[lane] + offset, lane_of(v, lane));
}

/* An order for each row, and the bytes that it picks of each row's window, with those of x where it
 * is NIL. There x is 0 before. */
FN vec order_at(const uint8_t *order) { return load_lanes(order, order); }
FN vec looked_up(vec x, vec window, vec order) { return x | shuffle_lanes(window, order); }
#endif

/* Picks what a block takes of each row into vectors of 0. */
FN void from_windows(vec *x, const s1_columns *t, int64_t block, const uint8_t *orders) {
  const int32_t *const at = t->first + block * t->groups;
  for (int64_t g = 0; g < t->groups; g++) {
    const vec order = order_at(orders + g * WINDOW);
#pragma GCC unroll 4
    for (int v = 0; v < ROW_VECTORS; v++) x[v] = looked_up(x[v], lanes_at(t->s + v * ROW_LANES, at[g]), order);
  }
}

/* Blocks of n bytes. If `pairs`, behind the orders of a block lie WINDOW bytes of signed weights,
 * and words are stored: each the sum of a pair of weighted bytes. */
FN void picked_blocks(const s1_columns *pass, int64_t n, int pairs) {
  const s1_columns t = *pass;
  for (int64_t block = 0; block * WINDOW < n; block++) {
    const uint8_t *const orders = t.weights + block * (t.groups + pairs) * WINDOW;
    vec x[ROW_VECTORS] = {{0}};
    from_windows(x, &t, block, orders);
#pragma GCC unroll 4
    for (int v = 0; v < ROW_VECTORS; v++) {
      if (pairs) x[v] = (vec)byte_pairs(x[v], order_at(orders + t.groups * WINDOW));
      store_lanes(t.d + v * ROW_LANES, min_of(block * WINDOW, n - WINDOW), x[v]);
    }
  }
}

/* For each of four rows, and for n >= WINDOW:
 *
 *   for (i = 0; i < n; i++) d[i] = s[first[i]]
 */
OUTLINE void pick_windows(const s1_columns *pass) { picked_blocks(pass, pass->n, 0); }

/* For each of four rows, for words d, for weights from 0 to 127 whose pairs have sums of at most
 * 128, and for n >= WINDOW / 2:
 *
 *   for (i = 0; i < n; i++) d[i] = w[2*i] * s[first[i]] + w[2*i + 1] * s[second[i]]
 */
OUTLINE void sum_pairs(const s1_columns *pass) { picked_blocks(pass, 2 * pass->n, 1); }
