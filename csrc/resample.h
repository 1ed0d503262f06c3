/* resample.h - sums of weighted samples, of several columns or rows, rounded to bytes. loops.h
 * includes this file. Besides what vec.h asks for, the set defines
 *   lanes_at(rows, at), whose lane k is the 16 bytes at rows[k] + at,
 *   by_fours(x), bytes 0, 4, 8, 12, 1, 5, ... of each lane,
 *   zipped(a, b, w, high), elements of w bytes of a and b in turns, from half of each lane,
 *   byte_pairs(a, b), products of unsigned bytes and signed ones, in sums of two,
 *   word_pairs(a, b), the same of signed words,
 *   both(a, b), sums of two numbers of a, then of b, lane by lane, and
 *   limited(a, b, c, d), the numbers of each lane of a to d limited to bytes.
 *
 * A weight has 22 bits behind the point, and a sum of weighted samples fits 32 bits. A weight is
 * high * 65536 + low, where `high` fits a byte and `low` fits a word, both signed. Two products with
 * `high` fit a word. The sums of both may overflow, since the last sum does not:
 *
 *   weight 1.25 * 2^22 = 5242880 = 80 * 65536 + 0      -0.001 * 2^22 = -4194 = 0 * 65536 - 4194
 */

enum { ROWS = 4, ROW_LANES = V / S1_LANE, ROW_VECTORS = ROWS / ROW_LANES, WEIGHT_BITS = 22, GROUP_BYTES = 12 };

FN vec each4(const uint8_t *s) { return (vec)(load_u32(s) - (dwords){0}); }
FN vec each8(const uint8_t *s) { return (vec)(load_u64(s) - (uint64_t __attribute__((vector_size(V)))){0}); }

/* The rounded samples of sums. */
FN ints samples_of(dwords sum) { return (ints)(sum + (1u << (WEIGHT_BITS - 1))) >> WEIGHT_BITS; }

/* Makes n >= 4 pixels of four samples of each of ROWS rows. Pixel i takes 4 * groups pixels from
 * pixel first[i] on. Each four weights have GROUP_BYTES bytes: four of `high`, then four words of
 * `low`. */
static __attribute__((noinline)) ISA void NAMED(SET, weigh_columns)(const int32_t *first, int64_t n, int64_t groups, const uint8_t *weights, uint8_t *const *d,
                                                                    const uint8_t *const *s) {
  const vec zero = {0};
  const words ones = 1 - (words){0};
  for (int64_t x = 0; x < n; x += 4) {
    const int64_t i = min_of(x, n - 4); /* the last pixels may be made twice */
    ints made[4][ROW_VECTORS];
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
      const uint8_t *w = weights + (i + k) * groups * GROUP_BYTES;
      words high[ROW_VECTORS] = {0};
      dwords low[ROW_VECTORS][2] = {{{0}}};
      int64_t at = 4 * (int64_t)first[i + k];
      for (int64_t g = groups; g > 0; g--, w += GROUP_BYTES, at += 16) {
        const vec h = each4(w), l = each8(w + 4);
#pragma GCC unroll 4
        for (int v = 0; v < ROW_VECTORS; v++) {
          const vec taken = by_fours(lanes_at(s + v * ROW_LANES, at));
          high[v] += byte_pairs(taken, h);
          low[v][0] += (dwords)word_pairs((words)zipped(taken, zero, 1, 0), (words)l);
          low[v][1] += (dwords)word_pairs((words)zipped(taken, zero, 1, 1), (words)l);
        }
      }
#pragma GCC unroll 4
      for (int v = 0; v < ROW_VECTORS; v++) made[k][v] = samples_of((dwords)both((ints)low[v][0], (ints)low[v][1]) + ((dwords)word_pairs(high[v], ones) << 16));
    }
#pragma GCC unroll 4
    for (int v = 0; v < ROW_VECTORS; v++) {
      uint8_t pixels[V];
      store(pixels, limited(made[0][v], made[1][v], made[2][v], made[3][v]));
#pragma GCC unroll 4
      for (int lane = 0; lane < ROW_LANES; lane++) store16(d[v * ROW_LANES + lane] + 4 * i, load16(pixels + lane * S1_LANE));
    }
  }
}

/* Makes n >= V bytes, which are sums of bytes of 2 * pairs rows. Row k begins at s + rows[k]. Each
 * pair of weights has eight bytes: those of `high` twice, then two words of `low`. */
static __attribute__((noinline)) ISA void NAMED(SET, weigh_rows)(const int64_t *rows, int64_t pairs, const uint8_t *weights, uint8_t *d, const uint8_t *s,
                                                                 int64_t n) {
  const vec zero = {0};
  for (int64_t x = 0; x < n; x += V) {
    const int64_t at = min_of(x, n - V); /* the last bytes may be made twice */
    words high[2] = {{0}};
    dwords low[4] = {{0}};
    for (int64_t p = 0; p < pairs; p++) {
      const vec a = load(s + rows[2 * p] + at), b = load(s + rows[2 * p + 1] + at), h = each4(weights + 8 * p), l = each4(weights + 8 * p + 4);
#pragma GCC unroll 2
      for (int k = 0; k < 2; k++) {
        const vec both_rows = zipped(a, b, 1, k);
        high[k] += byte_pairs(both_rows, h);
        low[2 * k] += (dwords)word_pairs((words)zipped(both_rows, zero, 1, 0), (words)l);
        low[2 * k + 1] += (dwords)word_pairs((words)zipped(both_rows, zero, 1, 1), (words)l);
      }
    }
    ints made[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) made[k] = samples_of(low[k] + (dwords)zipped(zero, (vec)high[k / 2], 2, k % 2));
    store(d + at, limited(made[0], made[1], made[2], made[3]));
  }
}
