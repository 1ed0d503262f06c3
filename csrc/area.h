/* area.h - OpenCV's INTER_AREA, to be included after resample.h. slice1/internal/rows/area.go has
 * the rule.
 *
 * If both sides shrink by whole factors, rows are summed first: words, of at most 256 bytes each.
 * Then columns are, as integers of 32 bits. Otherwise sums are of float32 products, in order, in
 * both passes.
 */

typedef float floats __attribute__((vector_size(V)));

FN floats floats_of(ints v) { return __builtin_convertvector(v, floats); }

/* The nearest integers, ties to even, of numbers from 0 to 2^22. A float32 as large as `even` has
 * no places behind the point. */
FN ints nearest_of(floats v) {
  const floats even = (float)(3 << 22) - (floats){0};
  return (ints)(v + even) - (ints)even;
}

/* The bytes of dword number k of each lane as four dwords. */
FN vec spread(vec v, int k) {
  const uint8_t b = (uint8_t)(4 * k);
  return shuffled(v, (vec16){b, NIL, NIL, NIL, (uint8_t)(b + 1), NIL, NIL, NIL, (uint8_t)(b + 2), NIL, NIL, NIL, (uint8_t)(b + 3), NIL, NIL, NIL});
}

/* For each of four rows of float32 d, for float32 w:
 *
 *   for (i = 0; i < n; i++) for (c = 0; c < 4; c++)
 *     d[4*i + c] = the sum of w[i][k] * s[4*(first[i] + k) + c] for k < 4*groups, in this order
 */
FN void cover(const s1_columns *pass, int64_t groups, int back) {
  const s1_columns t = *pass;
  for (int64_t i = 0; i < t.n; i++) {
    const uint8_t *w = t.weights + i * groups * 16;
    floats sum[ROW_VECTORS] = {{0}};
    int64_t offset = 4 * (int64_t)t.first[i];
    if (back) offset += 16 * (groups - 1), w += 16 * (groups - 1);
    for (int64_t g = groups; g > 0; g--, w += back ? -16 : 16, offset += back ? -16 : 16) {
      vec taken[ROW_VECTORS];
#pragma GCC unroll 4
      for (int v = 0; v < ROW_VECTORS; v++) taken[v] = lanes_at(t.s + v * ROW_LANES, offset);
#pragma GCC unroll 4
      for (int j = 0; j < 4; j++) {
        const int k = back ? 3 - j : j;
        const floats weight = (floats)broadcast4(w + 4 * k);
#pragma GCC unroll 4
        for (int v = 0; v < ROW_VECTORS; v++) sum[v] += floats_of((ints)spread(taken[v], k)) * weight;
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < ROW_VECTORS; v++) store_lanes(t.d + v * ROW_LANES, 16 * i, (vec)sum[v]);
  }
}

/* The sums are made from the last k on if groups is negative. */
OUTLINE void cover_columns(const s1_columns *pass) {
  if (pass->groups < 0) cover(pass, -pass->groups, 1);
  else cover(pass, pass->groups, 0);
}

/* For each of four rows of float32 s, for float32 w, and for n >= 4:
 *
 *   for (i = 0; i < n; i++) for (c = 0; c < 4; c++)
 *     d[4*i + c] = the sum of w[i][k] * s[4*(first[i] + k) + c] for k < groups, in this order,
 *                  rounded to a byte
 *
 * The sums are made from the last k on if groups is negative. */
OUTLINE void average_columns(const s1_columns *pass) {
  const s1_columns t = *pass;
  const int64_t taps = t.groups < 0 ? -t.groups : t.groups, step = t.groups < 0 ? -1 : 1;
  for (int64_t x = 0; x < t.n; x += 4) {
    const int64_t i = min_of(x, t.n - 4);
    ints made[ROW_VECTORS][4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
      const uint8_t *w = t.weights + (i + k) * taps * 4;
      int64_t offset = 16 * (int64_t)t.first[i + k];
      if (step < 0) w += 4 * (taps - 1), offset += 16 * (taps - 1);
      floats sum[ROW_VECTORS] = {{0}};
      for (int64_t left = taps; left > 0; left--, w += 4 * step, offset += 16 * step) {
        const floats weight = (floats)broadcast4(w);
#pragma GCC unroll 4
        for (int v = 0; v < ROW_VECTORS; v++) sum[v] += (floats)lanes_at(t.s + v * ROW_LANES, offset) * weight;
      }
#pragma GCC unroll 4
      for (int v = 0; v < ROW_VECTORS; v++) made[v][k] = nearest_of(sum[v]);
    }
#pragma GCC unroll 4
    for (int v = 0; v < ROW_VECTORS; v++) store_lanes(t.d + v * ROW_LANES, 4 * i, bytes_of(made[v]));
  }
}

/* The sums of w[k] * s[rows[k] + offset + i] for k < count, in this order, for V numbers i. s has
 * bytes or, if `wide`, float32. */
FN void weigh_in_order(floats *sum, const s1_rows *t, int64_t offset, int wide) {
#pragma GCC unroll 4
  for (int q = 0; q < 4; q++) sum[q] = (floats){0};
  for (int64_t k = 0; k < t->count; k++) {
    const uint8_t *const row = t->s + t->rows[k] + (wide ? 4 * offset : offset), *const parts[] = {row, row + 64};
    const floats weight = (floats)broadcast4(t->weights + 4 * k);
    vec taken = {0};
    if (!wide) taken = load(row);
#pragma GCC unroll 4
    for (int q = 0; q < 4; q++) sum[q] += (wide ? (floats)lanes_at(parts, 16 * q) : floats_of((ints)spread(taken, q))) * weight;
  }
}

/* For float32 d, for float32 w, and for n >= V:
 *
 *   for (i = 0; i < n; i++) d[i] = the sum of w[k] * s[rows[k] + i] for k < count, in this order
 */
OUTLINE void cover_rows(const s1_rows *pass) {
  const s1_rows t = *pass;
  for (int64_t x = 0; x < t.n; x += V) {
    const int64_t offset = min_of(x, t.n - V);
    floats sum[4];
    weigh_in_order(sum, &t, offset, 0);
#pragma GCC unroll 2
    for (int lane = 0; lane < ROW_LANES; lane++)
#pragma GCC unroll 4
      for (int q = 0; q < 4; q++) store16(t.d + 4 * (offset + 16 * lane + 4 * q), lane_of((vec)sum[q], lane));
  }
}

/* For rows of float32, for float32 w, and for n >= V:
 *
 *   for (i = 0; i < n; i++)
 *     d[i] = the sum of w[k] * s[rows[k] + i] for k < count, in this order, rounded to a byte
 */
OUTLINE void average_rows(const s1_rows *pass) {
  const s1_rows t = *pass;
  for (int64_t x = 0; x < t.n; x += V) {
    const int64_t offset = min_of(x, t.n - V);
    floats sum[4];
    weigh_in_order(sum, &t, offset, 1);
    ints made[4];
#pragma GCC unroll 4
    for (int q = 0; q < 4; q++) made[q] = nearest_of(sum[q]);
    store(t.d + offset, bytes_of(made));
  }
}

/* For words d, for count <= 256, and for n >= V:
 *
 *   for (i = 0; i < n; i++) d[i] = the sum of s[rows[k] + i] for k < count
 */
OUTLINE void total_rows(const s1_rows *pass) {
  const s1_rows t = *pass;
  for (int64_t x = 0; x < t.n; x += V) {
    const int64_t offset = min_of(x, t.n - V);
    words sum[2] = {{0}};
    for (int64_t k = 0; k < t.count; k++) {
      const uint8_t *const row = t.s + t.rows[k] + offset;
      sum[0] += load_as_words(row), sum[1] += load_as_words(row + V / 2);
    }
    store(t.d + 2 * offset, (vec)sum[0]), store(t.d + 2 * offset + V, (vec)sum[1]);
  }
}

/* For each of four rows of words s, for a float32 w, and for n >= 4:
 *
 *   for (i = 0; i < n; i++) for (c = 0; c < 4; c++)
 *     d[4*i + c] = w times the sum of s[4*(first[i] + k) + c] for k < groups, rounded to a byte
 *
 * A sum is less than 2^31. */
OUTLINE void mean_columns(const s1_columns *pass) {
  const vec zero = {0};
  const s1_columns t = *pass;
  const floats weight = (floats)broadcast4(t.weights);
  for (int64_t x = 0; x < t.n; x += 4) {
    const int64_t i = min_of(x, t.n - 4);
    ints made[ROW_VECTORS][4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
      int64_t offset = 8 * (int64_t)t.first[i + k], left = t.groups;
      ints sum[ROW_VECTORS] = {{0}};
      for (; left >= 2; left -= 2, offset += 16)
#pragma GCC unroll 4
        for (int v = 0; v < ROW_VECTORS; v++) {
          const vec taken = lanes_at(t.s + v * ROW_LANES, offset);
          sum[v] += (ints)zip(taken, zero, 2, 0) + (ints)zip(taken, zero, 2, 1);
        }
#pragma GCC unroll 4
      for (int v = 0; v < ROW_VECTORS && left; v++) sum[v] += (ints)zip(halves_at(t.s + v * ROW_LANES, offset), zero, 2, 0);
#pragma GCC unroll 4
      for (int v = 0; v < ROW_VECTORS; v++) made[v][k] = nearest_of(floats_of(sum[v]) * weight);
    }
#pragma GCC unroll 4
    for (int v = 0; v < ROW_VECTORS; v++) store_lanes(t.d + v * ROW_LANES, 4 * i, bytes_of(made[v]));
  }
}

/* Means of two rows and two columns, for pixels of four bytes or of one, and for n >= V:
 *
 *   for (i = 0; i < n; i++) {
 *     const int k = 2*i - i % pixel;
 *     d[i] = (a[k] + a[k + pixel] + b[k] + b[k + pixel] + 2) >> 2;
 *   }
 *
 * with a = s + rows[0] and b = s + rows[1]. */
FN void mean_fours(const s1_rows *pass, int pixel) {
  const vec16 beside = {0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15};
  const vec ones = 1 - (vec){0};
  const s1_rows t = *pass;
  for (int64_t x = 0; x < t.n; x += V) {
    const int64_t offset = min_of(x, t.n - V);
    words sum[2] = {{0}};
#pragma GCC unroll 2
    for (int r = 0; r < 2; r++) {
      const uint8_t *const row = t.s + t.rows[r] + 2 * offset, *const parts[] = {row, row + 32};
#pragma GCC unroll 2
      for (int k = 0; k < 2; k++) {
        const vec taken = lanes_at(parts, 16 * k);
        sum[k] += byte_pairs(pixel == 4 ? shuffled(taken, beside) : taken, ones);
      }
    }
    store(t.d + offset, limited((sum[0] + 2) >> 2, (sum[1] + 2) >> 2));
  }
}
OUTLINE void mean_fours1(const s1_rows *pass) { mean_fours(pass, 1); }
OUTLINE void mean_fours4(const s1_rows *pass) { mean_fours(pass, 4); }
