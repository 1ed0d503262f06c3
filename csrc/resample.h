/* resample.h - passes over columns and rows of pixels.
 *
 * Columns are made for ROWS rows at once, which may be the same one. The last vectors of a row may
 * be made twice.
 */

FN vec broadcast4(const uint8_t *s) { return (vec)(load_u32(s) - (dwords){0}); }

/* The 8 bytes at s[k] + offset in lane k, and zeros behind them. */
FN vec halves_at(const uint8_t *const *s, int64_t offset) { return load_parts(s[0] + offset, s[ROW_LANES - 1] + offset, 8); }

/* Pillow's filters. A weight has 22 bits behind the point, and a sum of weighted samples fits 32
 * bits. A weight is high * 65536 + low, where `high` fits a byte and `low` fits a word, both
 * signed:
 *
 *   1.25 * 2^22 = 5242880 = 80 * 65536 + 0      -0.001 * 2^22 = -4194 = 0 * 65536 - 4194
 *
 * Two products with `high` fit a word. Longer sums of such products, and sums of products with
 * `low`, may wrap: the whole sum, which fits, comes out right. */
enum { WEIGHT_BITS = 22, GROUP_BYTES = 12 };

/* Of pixels of three bytes a pass makes pixels of three bytes, and loads more than it takes of a
 * row. If the row ends before that, it loads from some bytes before the pixel on. So first[] then
 * has eight times the byte where it loads, plus how many bytes the pixel lies behind that. */
enum { PACKED = 3 };
FN int64_t place_of(int32_t first, int from) { return from == PACKED ? first >> 3 : 4 * (int64_t)first; }

/* The order that picks bytes of a pixel, moved so many bytes up as the pixel lies behind the
 * load. */
FN vec16 moved(vec16 order, const uint8_t (*moves)[16], int32_t first, int from) { return from == PACKED ? load16(moves[first & 7]) : order; }

/* Stores four pixels of each row, from number i on, each of four bytes in v. Of three bytes the
 * fourth one is left out. */
FN void store_made(uint8_t *const *d, int64_t i, vec v, int from) {
  if (from == 4) {
    store_lanes(d, 4 * i, v);
    return;
  }
  v = shuffled(v, (vec16){0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, NIL, NIL, NIL, NIL});
#pragma GCC unroll 2
  for (int lane = 0; lane < ROW_LANES; lane++) store12(d[lane] + 3 * i, lane_of(v, lane));
}

/* The rounded samples of sums. */
FN ints samples_of(dwords sum) { return (ints)(sum + (1u << (WEIGHT_BITS - 1))) >> WEIGHT_BITS; }

FN vec bytes_of(const ints *sum) { return limited(narrowed(sum[0], sum[1]), narrowed(sum[2], sum[3])); }

/* For each of four rows, and for n >= 4:
 *
 *   for (i = 0; i < n; i++) for (c = 0; c < from; c++)
 *     d[from*i + c] = the sum of w[i][k] * s[from*(first[i] + k) + c] for k < 4*groups, rounded to a byte
 *
 * Each four weights have GROUP_BYTES bytes: four of `high`, then four words of `low`, those of k =
 * 0, 2, 1 and 3: a vector has k = 0 and 2 in low bytes of words, 1 and 3 in high ones. `from` is 4
 * or PACKED. */
FN void weigh_pixels(const s1_columns *pass, int from) {
#define ORDER(n) \
  { n, n + 3, n + 6, n + 9, n + 1, n + 4, n + 7, n + 10, n + 2, n + 5, n + 8, n + 11, NIL, NIL, NIL, NIL }
  static const uint8_t transpose3[][16] = {ORDER(0), ORDER(1), ORDER(2), ORDER(3), ORDER(4)};
#undef ORDER
  const words ones = 1 - (words){0};
  const vec16 transpose4 = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
  const s1_columns t = *pass;
  for (int64_t x = 0; x < t.n; x += 4) {
    const int64_t i = min_of(x, t.n - 4);
    ints made[ROW_VECTORS][4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
      const uint8_t *w = t.weights + (i + k) * t.groups * GROUP_BYTES;
      words high[ROW_VECTORS] = {0};
      dwords low[ROW_VECTORS] = {0};
      const vec16 transpose = moved(transpose4, transpose3, t.first[i + k], from);
      int64_t offset = place_of(t.first[i + k], from);
      for (int64_t g = t.groups; g > 0; g--, w += GROUP_BYTES, offset += 4 * from) {
        const vec h = broadcast4(w), even = broadcast4(w + 4), odd = broadcast4(w + 8);
#pragma GCC unroll 4
        for (int v = 0; v < ROW_VECTORS; v++) {
          const vec taken = shuffled(lanes_at(t.s + v * ROW_LANES, offset), transpose);
          high[v] += byte_pairs(taken, h);
          low[v] += (dwords)(word_pairs(low_bytes((words)taken), (words)even) + word_pairs(high_bytes((words)taken), (words)odd));
        }
      }
#pragma GCC unroll 4
      for (int v = 0; v < ROW_VECTORS; v++) made[v][k] = samples_of(low[v] + ((dwords)word_pairs(high[v], ones) << 16));
    }
#pragma GCC unroll 4
    for (int v = 0; v < ROW_VECTORS; v++) store_made(t.d + v * ROW_LANES, i, bytes_of(made[v]), from);
  }
}
OUTLINE void weigh_columns(const s1_columns *pass) { weigh_pixels(pass, 4); }
OUTLINE void weigh_columns3(const s1_columns *pass) { weigh_pixels(pass, PACKED); }

/* For n >= V:
 *
 *   for (i = 0; i < n; i++)
 *     d[i] = the sum of w[k] * s[rows[k] + i] for k < count, rounded to a byte
 *
 * Each pair of weights has eight bytes: those of `high` twice, then two words of `low`. */
OUTLINE void weigh_rows(const s1_rows *pass) {
  const s1_rows t = *pass;
  const vec zero = {0};
  for (int64_t x = 0; x < t.n; x += V) {
    const int64_t offset = min_of(x, t.n - V);
    words high[2] = {{0}};
    dwords low[4] = {{0}};
    for (int64_t pair = 0; pair < t.count / 2; pair++) {
      const vec a = load(t.s + t.rows[2 * pair] + offset), b = load(t.s + t.rows[2 * pair + 1] + offset), h = broadcast4(t.weights + 8 * pair),
                l = broadcast4(t.weights + 8 * pair + 4);
#pragma GCC unroll 2
      for (int k = 0; k < 2; k++) {
        const vec both_rows = zip(a, b, 1, k);
        high[k] += byte_pairs((vec)both_rows, h);
        low[2 * k] += (dwords)word_pairs((words)zip(both_rows, zero, 1, 0), (words)l);
        low[2 * k + 1] += (dwords)word_pairs((words)zip(both_rows, zero, 1, 1), (words)l);
      }
    }
    ints made[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) made[k] = samples_of(low[k] + (dwords)zip(zero, (vec)high[k / 2], 2, k % 2));
    store(t.d + offset, bytes_of(made));
  }
}

/* OpenCV's linear filter. A pixel takes two pixels, and a row two rows. Their weights are two
 * words. First passes make words of bytes, and second passes make bytes of words. */
enum { FIRST_SHIFT = 4, SECOND_SHIFT = 2, SECOND_HALF = 2 };
FN ints first_sums(vec pairs, vec weights) { return word_pairs((words)pairs, (words)weights) >> FIRST_SHIFT; }
FN words second_sums(words a, words b) { return (a + b + SECOND_HALF) >> SECOND_SHIFT; }

/* For each of four rows, for words d and w, and for n >= 2:
 *
 *   for (i = 0; i < n; i++) for (c = 0; c < from; c++)
 *     d[from*i + c] = (w[2*i] * s[from*first[i] + c] + w[2*i + 1] * s[from*(first[i] + 1) + c]) >> FIRST_SHIFT
 *
 * `from` is 4 or PACKED. */
FN void sum_pixels(const s1_columns *pass, int from) {
#define ORDER(n) \
  { n, NIL, n + 3, NIL, n + 1, NIL, n + 4, NIL, n + 2, NIL, n + 5, NIL, NIL, NIL, NIL, NIL }
  static const uint8_t interleave3[][16] = {ORDER(0), ORDER(1), ORDER(2)};
#undef ORDER
  const vec16 interleave = {0, NIL, 4, NIL, 1, NIL, 5, NIL, 2, NIL, 6, NIL, 3, NIL, 7, NIL};
  const s1_columns t = *pass;
  for (int64_t x = 0; x < t.n; x += 2) {
    const int64_t i = min_of(x, t.n - 2), at[] = {place_of(t.first[i], from), place_of(t.first[i + 1], from)};
    const vec16 order[] = {moved(interleave, interleave3, t.first[i], from), moved(interleave, interleave3, t.first[i + 1], from)};
    const vec weights[] = {broadcast4(t.weights + 4 * i), broadcast4(t.weights + 4 * (i + 1))};
#pragma GCC unroll 4
    for (int v = 0; v < ROWS; v += ROW_LANES) {
      ints sum[2];
#pragma GCC unroll 2
      for (int k = 0; k < 2; k++) sum[k] = first_sums(shuffled(halves_at(t.s + v, at[k]), order[k]), weights[k]);
      const vec made = (vec)narrowed(sum[0], sum[1]);
      if (from == 4) {
        store_lanes(t.d + v, 8 * i, made);
        continue;
      }
      const vec packed = shuffled(made, (vec16){0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, NIL, NIL, NIL, NIL});
#pragma GCC unroll 2
      for (int lane = 0; lane < ROW_LANES; lane++) store12(t.d[v + lane] + 6 * i, lane_of(packed, lane));
    }
  }
}
OUTLINE void sum_columns(const s1_columns *pass) { sum_pixels(pass, 4); }
OUTLINE void sum_columns3(const s1_columns *pass) { sum_pixels(pass, PACKED); }

/* For each of four rows, for words s and w, and for n >= 4, with `high` as ycbcr.h has it:
 *
 *   for (i = 0; i < n; i++) for (c = 0; c < 4; c++)
 *     d[4*i + c] = second_sums(high(w[2*i], s[4*first[i] + c]),
 *                              high(w[2*i + 1], s[4*first[i] + 4 + c]))
 */
OUTLINE void add_columns(const s1_columns *pass) {
  const vec16 weight_order = {0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3};
  const s1_columns t = *pass;
  for (int64_t x = 0; x < t.n; x += 4) {
    const int64_t i = min_of(x, t.n - 4);
#pragma GCC unroll 4
    for (int v = 0; v < ROWS; v += ROW_LANES) {
      vec product[4];
      words sum[2];
#pragma GCC unroll 4
      for (int k = 0; k < 4; k++)
        product[k] = (vec)high((words)lanes_at(t.s + v, 8 * (int64_t)t.first[i + k]), (words)shuffled(broadcast4(t.weights + 4 * (i + k)), weight_order));
#pragma GCC unroll 2
      for (int k = 0; k < 2; k++)
        sum[k] = second_sums((words)zip(product[2 * k], product[2 * k + 1], 8, 0), (words)zip(product[2 * k], product[2 * k + 1], 8, 1));
      store_lanes(t.d + v, 4 * i, limited(sum[0], sum[1]));
    }
  }
}

/* For words d and w, and for n >= V:
 *
 *   for (i = 0; i < n; i++) d[i] = (w[0] * s[rows[0] + i] + w[1] * s[rows[1] + i]) >> FIRST_SHIFT
 */
OUTLINE void sum_rows(const s1_rows *pass) {
  const s1_rows t = *pass;
  const vec w = broadcast4(t.weights);
  for (int64_t x = 0; x < t.n; x += V / 2) {
    const int64_t offset = min_of(x, t.n - V / 2);
    const vec a = (vec)load_as_words(t.s + t.rows[0] + offset), b = (vec)load_as_words(t.s + t.rows[1] + offset);
    store(t.d + 2 * offset, (vec)narrowed(first_sums(zip(a, b, 2, 0), w), first_sums(zip(a, b, 2, 1), w)));
  }
}

/* For rows a and b of words, at s + rows[0] and at s + rows[1], for words w, and for n >= V:
 *
 *   for (i = 0; i < n; i++) d[i] = second_sums(high(w[0], a[i]), high(w[1], b[i]))
 */
OUTLINE void add_rows(const s1_rows *pass) {
  const s1_rows t = *pass;
  const vec w = broadcast4(t.weights);
  const words a = (words)shuffled(w, (vec16){0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}),
              b = (words)shuffled(w, (vec16){2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3});
  for (int64_t x = 0; x < t.n; x += V) {
    const int64_t offset = min_of(x, t.n - V);
    const uint8_t *const upper = t.s + t.rows[0] + 2 * offset, *const lower = t.s + t.rows[1] + 2 * offset;
    words sum[2];
#pragma GCC unroll 2
    for (int k = 0; k < 2; k++) sum[k] = second_sums(high(load_words(upper + k * V), a), high(load_words(lower + k * V), b));
    store(t.d + offset, limited_in_order(sum[0], sum[1]));
  }
}

/* The chroma of pixels that is interpolated. For rows of words a, b and c, at s + rows[0], s +
 * rows[1] and s + rows[2], and for n >= V:
 *
 *   for (i = 0; i < n; i++) d[i] = (3 * a[i] + b[i] + c[i]) >> 4
 *
 * a has the sums of the row of a pixel's cell, b those of the nearest row beside it. A sum is four
 * samples at most, and c is what rounds. */
OUTLINE void mix_rows(const s1_rows *pass) {
  const s1_rows t = *pass;
  for (int64_t x = 0; x < t.n; x += V) {
    const int64_t offset = min_of(x, t.n - V);
    const uint8_t *const near = t.s + t.rows[0] + 2 * offset, *const other = t.s + t.rows[1] + 2 * offset, *const rounds = t.s + t.rows[2] + 2 * offset;
    words made[2];
#pragma GCC unroll 2
    for (int k = 0; k < 2; k++) made[k] = (3 * load_words(near + k * V) + load_words(other + k * V) + load_words(rounds + k * V)) >> 4;
    store(t.d + offset, limited_in_order(made[0], made[1]));
  }
}

/* Pillow's nearest. For each of four rows of pixels of 4 bytes, and for n >= 4:
 *
 *   for (i = 0; i < n; i++) d[i] = s[first[i]]
 */
OUTLINE void pick_columns4(const s1_columns *pass) {
  const s1_columns t = *pass;
  for (int64_t x = 0; x < t.n; x += 4) {
    const int64_t i = min_of(x, t.n - 4),
                  offset[] = {4 * (int64_t)t.first[i], 4 * (int64_t)t.first[i + 1], 4 * (int64_t)t.first[i + 2], 4 * (int64_t)t.first[i + 3]};
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++)
      store16(t.d[r] + 4 * i,
              (vec16)(u32x4){load_u32(t.s[r] + offset[0]), load_u32(t.s[r] + offset[1]), load_u32(t.s[r] + offset[2]), load_u32(t.s[r] + offset[3])});
  }
}

/* The same for pixels of three bytes, with first[] as in weigh_pixels. Those that are loaded where
 * they lie are stored with a fourth byte, which the next pixel overwrites. The last one ends its
 * row, so it is not loaded where it lies. */
OUTLINE void pick_columns3(const s1_columns *pass) {
  const s1_columns t = *pass;
  int64_t i = 0;
  for (; !(t.first[i] & 7); i++) {
    const int64_t offset = place_of(t.first[i], PACKED);
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++) store_u32(t.d[r] + 3 * i, load_u32(t.s[r] + offset));
  }
  for (; i < t.n; i++)
    for (int r = 0; r < ROWS; r++) {
      const uint32_t pixel = load_u32(t.s[r] + place_of(t.first[i], PACKED)) >> 8 * (t.first[i] & 7);
      memcpy(t.d[r] + 3 * i, &pixel, 3);
    }
}

/* sum_columns for pixels of a byte from windows, and for n >= WINDOW / 2. A block has the two
 * samples of each pixel. Behind its orders lie their weights. */
OUTLINE void sum_windows(const s1_columns *pass) {
  const s1_columns t = *pass;
  const vec zero = {0};
  for (int64_t block = 0; block * (WINDOW / 2) < t.n; block++) {
    const uint8_t *const orders = t.weights + block * (t.groups + 2) * WINDOW, *const w = orders + t.groups * WINDOW;
    const vec low = load_lanes(w, w), high = load_lanes(w + WINDOW, w + WINDOW);
    vec x[ROW_VECTORS] = {{0}};
    from_windows(x, &t, block, orders);
#pragma GCC unroll 4
    for (int v = 0; v < ROW_VECTORS; v++)
      store_lanes(t.d + v * ROW_LANES, 2 * min_of(block * (WINDOW / 2), t.n - WINDOW / 2),
                  (vec)narrowed(first_sums(zip(x[v], zero, 1, 0), low), first_sums(zip(x[v], zero, 1, 1), high)));
  }
}

/* pick_columns4 for pixels of a byte and any n. */
OUTLINE void pick_columns1(const s1_columns *pass) {
  const s1_columns t = *pass;
  for (int64_t i = 0; i < t.n; i++)
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++) t.d[r][i] = t.s[r][t.first[i]];
}

/* for (i = 0; i < n; i++) for (r = 0; r < 4; r++) d[0][4*i + r] = s[r][i], for n >= V. */
OUTLINE void join_rows(const s1_columns *pass) {
  const s1_columns t = *pass;
  for (int64_t x = 0; x < t.n; x += V) {
    const int64_t offset = min_of(x, t.n - V);
    store_pixels(t.d[0] + 4 * offset, load(t.s[0] + offset), load(t.s[1] + offset), load(t.s[2] + offset), load(t.s[3] + offset));
  }
}

/* For elements of w bytes, 2 or 4, and for n >= V:
 *
 *   for (i = 0; i < n; i++) for (r = 0; r < 4; r++) element 4*i + r of d[0] = element i of s[r]
 */
FN void join_wide(const s1_columns *pass, int w) {
  const s1_columns t = *pass;
  for (int64_t x = 0; x < t.n; x += V / w) {
    const int64_t offset = min_of(x, t.n - V / w);
    vec row[ROWS];
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++) row[r] = load(t.s[r] + w * offset);
#pragma GCC unroll 4
    for (int q = 0; q < 4; q++) { /* quarters of the elements of each lane */
      const vec pixels = zip(zip(row[0], row[1], w, q / 2), zip(row[2], row[3], w, q / 2), 2 * w, q % 2);
      uint8_t *const d = t.d[0] + 4 * w * offset + 16 * q, *const lanes[] = {d, d + 64};
      store_lanes(lanes, 0, pixels);
    }
  }
}
OUTLINE void join_rows2(const s1_columns *pass) { join_wide(pass, 2); }
OUTLINE void join_rows4(const s1_columns *pass) { join_wide(pass, 4); }

/* for (i = 0; i < n; i++) for (r = 0; r < 4; r++) element i of d[r] = element 4*i + r of s[0],
 * for elements of w bytes, and for n >= V. */
FN void part_rows(const s1_columns *pass, int w) {
  const s1_columns t = *pass;
  for (int64_t x = 0; x < t.n; x += V / w) {
    const int64_t offset = min_of(x, t.n - V / w);
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++) store(t.d[r] + w * offset, select_every(t.s[0] + w * (4 * offset + r), S1_every4, w));
  }
}
OUTLINE void part_rows1(const s1_columns *pass) { part_rows(pass, 1); }
OUTLINE void part_rows4(const s1_columns *pass) { part_rows(pass, 4); }
