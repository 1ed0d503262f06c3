/* resample.h - passes over columns and rows of pixels. loops.h includes this file. Besides what
 * vec.h asks for, the set defines
 *   lanes_at(s, at), whose lane k is the 16 bytes at s[k] + at,
 *   halves_at(s, at), which has 8 such bytes in each lane, and zeros behind them,
 *   shuffled(x, at), bytes at[0], at[1], ... of each lane, and 0 where `at` is NIL,
 *   zip(a, b, w, high), elements of w bytes of a and b in turns, from half of each lane,
 *   byte_pairs(a, b), products of unsigned bytes and signed ones, in sums of two,
 *   word_pairs(a, b), the same of signed words,
 *   both(a, b), sums of two numbers of a, then of b, lane by lane,
 *   narrowed(a, b), the numbers of each lane of a and b limited to words, and
 *   limited(a, b), the words of each lane of a and b limited to bytes.
 *
 * Columns are made for ROWS rows at once, which may be the same one. The last vectors of a row may
 * be made twice.
 */

enum { ROWS = 4, ROW_LANES = V / S1_LANE, ROW_VECTORS = ROWS / ROW_LANES, NIL = 255 };

FN vec each4(const uint8_t *s) { return (vec)(load_u32(s) - (dwords){0}); }
FN vec each8(const uint8_t *s) { return (vec)(load_u64(s) - (uint64_t __attribute__((vector_size(V)))){0}); }

/* Stores a lane to each row. */
FN void store_lanes(uint8_t *const *d, int64_t at, vec v) {
#pragma GCC unroll 2
  for (int lane = 0; lane < ROW_LANES; lane++) store16(d[lane] + at, lane_of((piece)v, lane));
}

#define PASS_OF static __attribute__((noinline)) ISA void
#define OF_COLUMNS const int32_t *first, int64_t n, int64_t groups, const uint8_t *weights, uint8_t *const *to, const uint8_t *const *from
#define OF_ROWS const int64_t *rows, int64_t pairs, const uint8_t *weights, uint8_t *d, const uint8_t *s, int64_t n
#define FOUR_ROWS                                                      \
  uint8_t *const d[ROWS] = {to[0], to[1], to[2], to[3]};               \
  const uint8_t *const s[ROWS] = {from[0], from[1], from[2], from[3]}; \
  (void)first, (void)groups, (void)weights

/* Pillow's filters. A weight has 22 bits behind the point, and a sum of weighted samples fits 32
 * bits. A weight is high * 65536 + low, where `high` fits a byte and `low` fits a word, both
 * signed. Two products with `high` fit a word. The sums of both may overflow, since the last sum
 * does not:
 *
 *   weight 1.25 * 2^22 = 5242880 = 80 * 65536 + 0      -0.001 * 2^22 = -4194 = 0 * 65536 - 4194
 */
enum { WEIGHT_BITS = 22, GROUP_BYTES = 12 };

/* The rounded samples of sums. */
FN ints samples_of(dwords sum) { return (ints)(sum + (1u << (WEIGHT_BITS - 1))) >> WEIGHT_BITS; }

FN vec bytes_of(const ints *sum) { return limited(narrowed(sum[0], sum[1]), narrowed(sum[2], sum[3])); }

/* Makes n >= 4 pixels of four samples. Pixel i takes 4 * groups pixels from pixel first[i] on. Each
 * four weights have GROUP_BYTES bytes: four of `high`, then four words of `low`. */
PASS_OF weigh_columns(OF_COLUMNS) {
  const vec zero = {0};
  const words ones = 1 - (words){0};
  const vec16 by_fours = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
  FOUR_ROWS;
  for (int64_t x = 0; x < n; x += 4) {
    const int64_t i = min_of(x, n - 4);
    ints made[ROW_VECTORS][4];
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
          const vec taken = shuffled(lanes_at(s + v * ROW_LANES, at), by_fours);
          high[v] += byte_pairs(taken, h);
          low[v][0] += (dwords)word_pairs((words)zip((piece)taken, (piece)zero, 1, 0), (words)l);
          low[v][1] += (dwords)word_pairs((words)zip((piece)taken, (piece)zero, 1, 1), (words)l);
        }
      }
#pragma GCC unroll 4
      for (int v = 0; v < ROW_VECTORS; v++) made[v][k] = samples_of((dwords)both((ints)low[v][0], (ints)low[v][1]) + ((dwords)word_pairs(high[v], ones) << 16));
    }
#pragma GCC unroll 4
    for (int v = 0; v < ROW_VECTORS; v++) store_lanes(d + v * ROW_LANES, 4 * i, bytes_of(made[v]));
  }
}

/* Makes n >= V bytes, which are sums of bytes of 2 * pairs rows. Row k begins at s + rows[k]. Each
 * pair of weights has eight bytes: those of `high` twice, then two words of `low`. */
PASS_OF weigh_rows(OF_ROWS) {
  const vec zero = {0};
  for (int64_t x = 0; x < n; x += V) {
    const int64_t at = min_of(x, n - V);
    words high[2] = {{0}};
    dwords low[4] = {{0}};
    for (int64_t p = 0; p < pairs; p++) {
      const vec a = load(s + rows[2 * p] + at), b = load(s + rows[2 * p + 1] + at), h = each4(weights + 8 * p), l = each4(weights + 8 * p + 4);
#pragma GCC unroll 2
      for (int k = 0; k < 2; k++) {
        const piece both_rows = zip((piece)a, (piece)b, 1, k);
        high[k] += byte_pairs((vec)both_rows, h);
        low[2 * k] += (dwords)word_pairs((words)zip(both_rows, (piece)zero, 1, 0), (words)l);
        low[2 * k + 1] += (dwords)word_pairs((words)zip(both_rows, (piece)zero, 1, 1), (words)l);
      }
    }
    ints made[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) made[k] = samples_of(low[k] + (dwords)zip((piece)zero, (piece)high[k / 2], 2, k % 2));
    store(d + at, bytes_of(made));
  }
}

/* Linear. A pixel, or a row, takes two, whose weights are two words. First passes make words of
 * bytes, and second passes make bytes of words. */
enum { FIRST_SHIFT = 4, SECOND_SHIFT = 2, SECOND_HALF = 2 };
FN ints first_sums(piece pairs, vec weights) { return word_pairs((words)pairs, (words)weights) >> FIRST_SHIFT; }
FN words second_sums(words a, words b) { return (a + b + SECOND_HALF) >> SECOND_SHIFT; }

/* Makes n >= 2 pixels of four samples, of those at first[i] and behind it. */
PASS_OF sum_columns(OF_COLUMNS) {
  const vec16 in_turns = {0, NIL, 4, NIL, 1, NIL, 5, NIL, 2, NIL, 6, NIL, 3, NIL, 7, NIL};
  FOUR_ROWS;
  for (int64_t x = 0; x < n; x += 2) {
    const int64_t i = min_of(x, n - 2);
#pragma GCC unroll 4
    for (int v = 0; v < ROWS; v += ROW_LANES) {
      ints sum[2];
#pragma GCC unroll 2
      for (int k = 0; k < 2; k++) sum[k] = first_sums((piece)shuffled(halves_at(s + v, 4 * (int64_t)first[i + k]), in_turns), each4(weights + 4 * (i + k)));
      store_lanes(d + v, 8 * i, (vec)narrowed(sum[0], sum[1]));
    }
  }
}

/* Makes n >= 4 pixels of four samples, of the words of those at first[i] and behind it. */
PASS_OF add_columns(OF_COLUMNS) {
  const vec16 each_fourfold = {0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3};
  FOUR_ROWS;
  for (int64_t x = 0; x < n; x += 4) {
    const int64_t i = min_of(x, n - 4);
#pragma GCC unroll 4
    for (int v = 0; v < ROWS; v += ROW_LANES) {
      piece product[4];
      words sum[2];
#pragma GCC unroll 4
      for (int k = 0; k < 4; k++)
        product[k] = (piece)high((words)lanes_at(s + v, 8 * (int64_t)first[i + k]), (words)shuffled(each4(weights + 4 * (i + k)), each_fourfold));
#pragma GCC unroll 2
      for (int k = 0; k < 2; k++)
        sum[k] = second_sums((words)zip(product[2 * k], product[2 * k + 1], 8, 0), (words)zip(product[2 * k], product[2 * k + 1], 8, 1));
      store_lanes(d + v, 4 * i, limited(sum[0], sum[1]));
    }
  }
}

/* Makes n >= V words of the bytes of two rows. */
PASS_OF sum_rows(OF_ROWS) {
  const vec w = each4(weights);
  (void)pairs;
  for (int64_t x = 0; x < n; x += V / 2) {
    const int64_t at = min_of(x, n - V / 2);
    const piece a = (piece)load_as_words(s + rows[0] + at), b = (piece)load_as_words(s + rows[1] + at);
    store(d + 2 * at, (vec)narrowed(first_sums(zip(a, b, 2, 0), w), first_sums(zip(a, b, 2, 1), w)));
  }
}

/* Makes n >= V bytes of the words of two rows. */
PASS_OF add_rows(OF_ROWS) {
  const vec w = each4(weights);
  const words a = (words)shuffled(w, (vec16){0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}),
              b = (words)shuffled(w, (vec16){2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3});
  (void)pairs;
  for (int64_t x = 0; x < n; x += V) {
    const int64_t at = min_of(x, n - V);
    const uint8_t *const p = s + rows[0] + 2 * at, *const q = s + rows[1] + 2 * at;
    const uint8_t *const first[] = {p, p + 32}, *const second[] = {q, q + 32};
    words sum[2];
#pragma GCC unroll 2
    for (int k = 0; k < 2; k++) sum[k] = second_sums(high((words)lanes_at(first, 16 * k), a), high((words)lanes_at(second, 16 * k), b));
    store(d + at, limited(sum[0], sum[1]));
  }
}

/* Nearest: copies n >= 4 pixels, those at first[i]. */
PASS_OF pick_columns4(OF_COLUMNS) {
  FOUR_ROWS;
  for (int64_t x = 0; x < n; x += 4) {
    const int64_t i = min_of(x, n - 4), at[] = {4 * (int64_t)first[i], 4 * (int64_t)first[i + 1], 4 * (int64_t)first[i + 2], 4 * (int64_t)first[i + 3]};
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++)
      store16(d[r] + 4 * i, (vec16)(u32x4){load_u32(s[r] + at[0]), load_u32(s[r] + at[1]), load_u32(s[r] + at[2]), load_u32(s[r] + at[3])});
  }
}

PASS_OF pick_columns1(OF_COLUMNS) {
  FOUR_ROWS;
  for (int64_t i = 0; i < n; i++)
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++) d[r][i] = s[r][first[i]];
}

/* Makes a row of n >= V pixels of four samples of as many rows of one. */
PASS_OF join_rows(OF_COLUMNS) {
  (void)first, (void)groups, (void)weights;
  for (int64_t x = 0; x < n; x += V) {
    const int64_t at = min_of(x, n - V);
    store_pixels(to[0] + 4 * at, load(from[0] + at), load(from[1] + at), load(from[2] + at), load(from[3] + at));
  }
}

/* Makes four rows of n >= V samples of w bytes of a row of pixels. */
#define PART(name, w)                                                                                                                   \
  PASS_OF name(OF_COLUMNS) {                                                                                                            \
    FOUR_ROWS;                                                                                                                          \
    for (int64_t x = 0; x < n; x += V / w) {                                                                                            \
      const int64_t at = min_of(x, n - V / w);                                                                                          \
      _Pragma("GCC unroll 4") for (int r = 0; r < ROWS; r++) store(d[r] + w * at, select_every(s[0] + w * (4 * at + r), S1_every4, w)); \
    }                                                                                                                                   \
  }
PART(part_rows1, 1)
PART(part_rows2, 2)
#undef PART
#undef FOUR_ROWS
#undef OF_ROWS
#undef OF_COLUMNS
#undef PASS_OF
