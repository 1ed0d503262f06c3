/* vnni.h - Pillow's filters for pixels of one, three or four samples, by AVX-512 with VNNI. set.h
 * includes this file for sets with masks. Only hosts with VNNI run these loops.
 *
 * A weight is three signed bytes, high, middle and low:
 *
 *   w = 65536*high + 256*middle + low       -4194 = 65536*0 + 256*-16 + -98
 *
 * vpdpbusd adds four products of unsigned bytes, samples, and signed ones, weights, to a sum of 32
 * bits, and saturates nothing. Products with `high` are added first. The sum is shifted by 8 bits,
 * products with `middle` are added, it is shifted again, and those with `low` follow.
 *
 * A vector has 16 sums. For columns, lane c has four sums of channel c. All channels have the same
 * weights, so a lane's 16 bytes of weights are loaded to each lane. Of grey, a vector has sums of
 * 16 pixels, and weights for each. For rows, all sums have the same four weights. The weights of a
 * vector are its bytes of `high`, those of `middle`, those of `low`.
 *
 * Zipped rows are four rows in turns, byte by byte: byte 4*i + r is byte i of row r. Columns may be
 * made in that order. Then a load has what a sum takes of four rows.
 */
#ifdef S1_EMULATE_AVX512
#define VNNI ISA
#else
#define VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vnni,f16c")))
#endif
#ifdef S1_NOINLINE
#define FN_VNNI static __attribute__((noinline)) VNNI
#else
#define FN_VNNI static inline __attribute__((always_inline)) VNNI
#endif
#define OUTLINE_VNNI static __attribute__((noinline)) VNNI

enum { POINT = 22, PLANES = 3, PLANE = S1_LANE, PLACES = S1_LANE, QUAD = PLACES + PLANES * PLANE, SPAN = PLANES * PLANE };

/* What sums begin with, so that the shift by POINT at their end rounds. Sums are shifted left by 8
 * bits twice before that, and then this is half of 1 << POINT. */
enum { HALF = 1 << (POINT - 1 - 16) };

/* The most groups whose samples and weights stay in registers, and the most whose samples do. */
enum { FEW = 3, SEVERAL = 4 };

/* The weights at w: a vector, 16 bytes for each lane, or 4 for each sum. */
FN_VNNI vec weights_at(const uint8_t *w, int bytes) {
  switch (bytes) {
    case V: return load(w);
    case PLANE: return broadcast_lane(w);
    default: return (vec)(load_u32(w) - (dwords){0});
  }
}

FN_VNNI void load_weights(vec *plane, const uint8_t *w, int bytes) {
#pragma GCC unroll 3
  for (int k = 0; k < PLANES; k++) plane[k] = weights_at(w + k * bytes, bytes);
}

/* Sums, and the products of a vector with weights, or those of four vectors. */
FN_VNNI dwords plus_products(dwords sum, vec x, vec weights) { return (dwords)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)x, (__m512i)weights); }
FN_VNNI void add_products(dwords *sum, const vec *x, vec weights) {
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++) sum[k] = plus_products(sum[k], x[k], weights);
}

FN_VNNI void shift(dwords *sum) {
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++) sum[k] <<= 8;
}

/* The sums of a few groups of four vectors. Weights that are not in registers lie `apart` bytes
 * apart from w on. */
FN_VNNI void sum_few(dwords *sum, const vec (*x)[4], int groups, const vec (*weights)[PLANES], const uint8_t *w, int apart, int half) {
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++) sum[k] = half - (dwords){0};
#pragma GCC unroll 3
  for (int plane = 0; plane < PLANES; plane++) {
    if (plane > 0) shift(sum);
#pragma GCC unroll 4
    for (int g = 0; g < groups; g++) add_products(sum, x[g], groups > FEW ? weights_at(w + g * apart + plane * PLANE, PLANE) : weights[g][plane]);
  }
}

/* Sums of any number of groups have the planes of their weights apart. */
typedef struct {
  dwords plane[PLANES][4];
} parted_sums;
FN_VNNI parted_sums no_sums(int half) {
  parted_sums p = {{{{0}}}};
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++) p.plane[0][k] = half - (dwords){0};
  return p;
}
FN_VNNI void add_group(parted_sums *p, const vec *x, const uint8_t *w, int bytes) {
#pragma GCC unroll 3
  for (int plane = 0; plane < PLANES; plane++) add_products(p->plane[plane], x, weights_at(w + plane * bytes, bytes));
}
FN_VNNI dwords joined(dwords high, dwords middle, dwords low) { return (((high << 8) + middle) << 8) + low; }
FN_VNNI void join_planes(dwords *sum, const parted_sums *p) {
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++) sum[k] = joined(p->plane[0][k], p->plane[1][k], p->plane[2][k]);
}

/* The samples of four vectors of sums. Lane i has those of lane i of each. */
FN_VNNI vec samples_in_lanes(const dwords *sum) {
  ints v[4];
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++) v[k] = (ints)sum[k] >> POINT;
  return limited(narrowed(v[0], v[1]), narrowed(v[2], v[3]));
}

/* Weights of columns begin with three vectors: an order in which bytes of the source are taken, as
 * each pass says, the order of the bytes of four rows that are stored, and a mask of eight bytes
 * followed by the bytes that a row gets of a vector: 12 of four pixels of three bytes, else 16. */
enum { HEAD = 3 * V, STORED = 2 * V + 8 };

/* Stores what each row gets of a vector, from byte `offset` on, which are the bytes of `sum` in t's
 * order: each of the bytes of zipped rows, or of each row in turn. */
FN_VNNI void store_quad(const s1_columns *t, int four, int64_t offset, const dwords *sum, int zipped) {
  const vec made = permute(samples_in_lanes(sum), load(t->weights + V));
  const int packed = t->weights[STORED] == 12;
  if (zipped) {
    uint8_t *const d = t->d[four] + 4 * offset;
    if (packed) store_half(d, half_of(made, 0)), store16(d + V / 2, lane_of(made, 2));
    else store(d, made);
    return;
  }
#pragma GCC unroll 4
  for (int r = 0; r < 4; r++) {
    const vec16 lane = lane_of(made, r);
    if (packed) store12(t->d[r] + offset, lane);
    else store16(t->d[r] + offset, lane);
  }
}

/* How many times four rows a call makes. It makes eight of zipped rows if d[1] is another place
 * than d[0]: the second four go there, and weights are loaded once for both. */
FN_VNNI int fours_of(const s1_columns *t, int zipped) { return zipped && t->d[1] != t->d[0] ? 2 : 1; }

/* Prefetches what the rows behind these have where a row of the four has s[r] + offset, as far as
 * rows are equally apart. Rows of a large picture come from memory, and processors that prefetch
 * along a row begin again at each page. */
FN_VNNI void prefetch_rows(const s1_columns *t, int four, int64_t ahead, int64_t offset) {
#pragma GCC unroll 4
  for (int r = 0; r < 4; r++) __builtin_prefetch((const void *)((uintptr_t)t->s[4 * four + r] + (uintptr_t)(ahead + offset)), 0, 2);
}

/* Four pixels at a time, for each of four rows, or of eight that are zipped, and for n >= 4:
 *
 *   for (i = 0; i < n; i++) for (c = 0; c < 4; c++)
 *     d[4*i + c] = the sum of w[i][k] * s[at[i][k] + channel[c]] for k < 4*groups, rounded to a byte
 *
 * For four pixels and four of each one's k, `first` is where their window of V bytes begins. At the
 * same place in the weights are 16 bytes, at[i][k] less that, then the weights: k after k of the
 * first pixel, then those of the next one. The last four pixels of the row may be made twice.
 *
 * If `grey`, the same for 16 pixels of one sample, four times as many bytes, and n >= 16. */
FN_VNNI void quads(const s1_columns *pass, int few, int zipped, int grey) {
  const s1_columns t = *pass;
  const vec channel = load(t.weights);
  const uint8_t *w = t.weights + HEAD;
  const int32_t *at = t.first;
  const int fours = fours_of(pass, zipped);
  const int64_t groups = few ? few : t.groups, ahead = 4 * fours * (t.s[1] - t.s[0]);
  const int pixels = grey ? 16 : 4, pixel = grey ? 1 : t.weights[STORED] / 4, plane = grey ? V : PLANE, quad = (1 + PLANES) * plane;
  for (int64_t x = 0; x < t.n; x += pixels, w += groups * quad, at += groups) {
    vec order[FEW], weights[FEW][PLANES];
#pragma GCC unroll 3
    for (int g = 0; g < few && few <= FEW; g++) {
      order[g] = broadcast_lane(w + g * QUAD) + channel;
      load_weights(weights[g], w + g * QUAD + PLACES, PLANE);
    }
    for (int four = 0; four < fours; four++) {
      dwords sum[4];
      vec taken[SEVERAL][4];
      parted_sums parted = no_sums(HALF);
#pragma GCC unroll 4
      for (int64_t g = 0; g < groups; g++) {
        const vec places = few && few <= FEW ? order[g] : weights_at(w + g * quad, plane) + channel;
        vec *const group = taken[few ? g : 0];
#pragma GCC unroll 4
        for (int r = 0; r < 4; r++) group[r] = permute(load(t.s[4 * four + r] + at[g]), places);
        if (!few) add_group(&parted, group, w + g * quad + plane, plane);
      }
      if (few) sum_few(sum, (const vec(*)[4])taken, few, (const vec(*)[PLANES])weights, w + PLACES, QUAD, HALF);
      else join_planes(sum, &parted);
      prefetch_rows(&t, four, ahead, at[0]);
      store_quad(&t, four, pixel * min_of(x, t.n - pixels), sum, zipped);
    }
  }
}

/* The lanes' sums of four vectors of four sums a lane: lane c has those of lane c of a, b, c, d. */
FN_VNNI dwords lane_sums(const dwords *v) {
  dwords pairs[2];
#pragma GCC unroll 3
  for (int k = 0; k < 2; k++) {
    const vec a = (vec)v[2 * k], b = (vec)v[2 * k + 1];
    pairs[k] = (dwords)zip(a, b, 4, 0) + (dwords)zip(a, b, 4, 1);
  }
  return (dwords)zip((vec)pairs[0], (vec)pairs[1], 8, 0) + (dwords)zip((vec)pairs[0], (vec)pairs[1], 8, 1);
}

/* The 16 bytes at a, b, c and d, a lane each. */
FN_VNNI vec four_lanes(const uint8_t *a, const uint8_t *b, const uint8_t *c, const uint8_t *d) {
  __m512i x = _mm512_inserti32x4((__m512i)broadcast_lane(a), (__m128i)load16(b), 1);
  x = _mm512_inserti32x4(x, (__m128i)load16(c), 2);
  return (vec)_mm512_inserti32x4(x, (__m128i)load16(d), 3);
}

/* One pixel at a time, four of its k of four rows at once, for windows that are too wide for quads
 * and too narrow for spans:
 *
 *   for (i = 0; i < n; i++) for (c = 0; c < 4; c++)
 *     d[4*i + c] = the sum of w[i][k] * s[at + pixel*k + c] for k < 4*groups, rounded to a byte
 *
 * A lane has 16 bytes of a row, which the first 16 bytes of the weights bring into order: four of
 * channel 0, four of channel 1, ... They are more than four pixels of three bytes have. So first[]
 * has eight times the byte where a pixel loads, plus how many bytes `at` lies behind that, as in
 * resample.h. Weights of four k have 12 bytes. */
OUTLINE_VNNI void runs(const s1_columns *pass, int zipped) {
  const s1_columns t = *pass;
  const vec order = broadcast_lane(t.weights);
  const int fours = fours_of(pass, zipped), pixel = t.weights[STORED] / 4;
  const int64_t ahead = 4 * fours * (t.s[1] - t.s[0]);
  for (int64_t x = 0; x < t.n; x += 4) {
    const int64_t i = min_of(x, t.n - 4);
    for (int four = 0; four < fours; four++) {
      const uint8_t *const *const s = t.s + 4 * four;
      dwords sum[4];
#pragma GCC unroll 4
      for (int p = 0; p < 4; p++) {
        const uint8_t *w = t.weights + HEAD + (i + p) * t.groups * 4 * PLANES;
        int64_t offset = t.first[i + p] >> 3;
        const vec moved = order + (uint8_t)(t.first[i + p] & 7);
        dwords high = HALF - (dwords){0}, middle = {0}, low = {0};
        prefetch_rows(&t, four, ahead, offset);
        for (int64_t g = t.groups; g > 0; g--, w += 4 * PLANES, offset += 4 * pixel) {
          const vec taken = shuffle_lanes(four_lanes(s[0] + offset, s[1] + offset, s[2] + offset, s[3] + offset), moved);
          high = plus_products(high, taken, weights_at(w, 4));
          middle = plus_products(middle, taken, weights_at(w + 4, 4));
          low = plus_products(low, taken, weights_at(w + 8, 4));
        }
        sum[p] = joined(high, middle, low);
      }
      store_quad(&t, four, pixel * i, sum, zipped);
    }
  }
}

/* The 16 bytes from s + at[k] on in lane k. */
FN_VNNI vec lanes_of_row(const uint8_t *s, const int32_t *at) { return four_lanes(s + at[0], s + at[1], s + at[2], s + at[3]); }

/* One pixel at a time, 16 of its k at once, for windows that are too wide for quads:
 *
 *   for (i = 0; i < n; i++) for (c = 0; c < 4; c++)
 *     d[4*i + c] = the sum of w[i][k] * s[first[i][k / 16] + at[c][k % 16]] for k < 16*groups, rounded to a byte
 *
 * The first vector of weights is `at`. The bytes of a window that the mask leaves out are not read.
 *
 * If `grey`, four pixels of one sample at a time, a lane each, whose at[k] is k, and n >= 16. Each
 * four have four places in `first` for each 16 of their k, and three vectors of weights. */
FN_VNNI void spans(const s1_columns *pass, int few, int zipped, int grey) {
  const s1_columns t = *pass;
  const vec order = load(t.weights);
  const uint64_t mask = load_u64(t.weights + 2 * V);
  const int fours = fours_of(pass, zipped);
  const int64_t groups = few ? few : t.groups, ahead = 4 * fours * (t.s[1] - t.s[0]);
  const int pixels = grey ? 16 : 4, plane = grey ? V : PLANE, span = PLANES * plane, places = grey ? 4 : 1;
  for (int64_t x = 0; x < t.n; x += pixels) {
    const int64_t i = min_of(x, t.n - pixels), before = grey ? x / 4 : i;
    const uint8_t *w = t.weights + HEAD + before * groups * span;
    const int32_t *at = t.first + before * groups * places;
    dwords pixel[2][4];
    for (int p = 0; p < 4; p++, w += groups * span, at += groups * places) {
      vec weights[FEW][PLANES];
#pragma GCC unroll 3
      for (int g = 0; g < few; g++) load_weights(weights[g], w + g * SPAN, PLANE);
      for (int four = 0; four < fours; four++) {
        dwords sum[4];
        vec taken[FEW][4];
        parted_sums parted = no_sums(HALF / 4);
#pragma GCC unroll 3
        for (int64_t g = 0; g < groups; g++) {
          vec *const group = taken[few ? g : 0];
#pragma GCC unroll 4
          for (int r = 0; r < 4; r++)
            group[r] = grey ? lanes_of_row(t.s[4 * four + r], at + 4 * g) : permute(load_under(mask, t.s[4 * four + r] + at[g]), order);
          if (!few) add_group(&parted, group, w + g * span, plane);
        }
        if (few) sum_few(sum, (const vec(*)[4])taken, few, (const vec(*)[PLANES])weights, 0, 0, HALF / 4);
        else join_planes(sum, &parted);
        prefetch_rows(&t, four, ahead, at[0]);
        pixel[four][p] = lane_sums(sum);
      }
    }
    for (int four = 0; four < fours; four++) store_quad(&t, four, t.weights[STORED] / pixels * i, pixel[four], zipped);
  }
}

#define BY_GROUPS(groups, call, ...)               \
  switch (groups) {                                \
    case 1: call(pass, 1, __VA_ARGS__); break;     \
    case 2: call(pass, 2, __VA_ARGS__); break;     \
    case FEW: call(pass, FEW, __VA_ARGS__); break; \
    default: call(pass, 0, __VA_ARGS__);           \
  }
/* clang-format off */
OUTLINE_VNNI void quads_of(const s1_columns *pass, int zipped) {
  if (pass->groups == SEVERAL) quads(pass, SEVERAL, zipped, 0);
  else BY_GROUPS(pass->groups, quads, zipped, 0)
}
OUTLINE_VNNI void spans_of(const s1_columns *pass, int zipped) { BY_GROUPS(pass->groups, spans, zipped, 0) } /* clang-format on */
OUTLINE_VNNI void quads1_of(const s1_columns *pass, int zipped) {
  quads(pass, 0, zipped, 1);
}
OUTLINE_VNNI void spans1_of(const s1_columns *pass, int zipped) { spans(pass, 0, zipped, 1); }
OUTLINE_VNNI void weigh_quads(const s1_columns *pass) { quads_of(pass, 0); }
OUTLINE_VNNI void zip_quads(const s1_columns *pass) { quads_of(pass, 1); }
OUTLINE_VNNI void weigh_spans(const s1_columns *pass) { spans_of(pass, 0); }
OUTLINE_VNNI void zip_spans(const s1_columns *pass) { spans_of(pass, 1); }
OUTLINE_VNNI void weigh_runs(const s1_columns *pass) { runs(pass, 0); }
OUTLINE_VNNI void zip_runs(const s1_columns *pass) { runs(pass, 1); }
OUTLINE_VNNI void weigh_quads1(const s1_columns *pass) { quads1_of(pass, 0); }
OUTLINE_VNNI void zip_quads1(const s1_columns *pass) { quads1_of(pass, 1); }
OUTLINE_VNNI void weigh_spans1(const s1_columns *pass) { spans1_of(pass, 0); }
OUTLINE_VNNI void zip_spans1(const s1_columns *pass) { spans1_of(pass, 1); }

/* Samples 4*k, 4*k + 1, ... of four rows in turns, in lane after lane: those of all lanes make a
 * vector of the four rows, of which `x` then has the bytes of four sums in each lane. */
FN_VNNI void zip_rows(vec *x, const uint8_t *s, const int64_t *rows) {
  const vec a = load(s + rows[0]), b = load(s + rows[1]), c = load(s + rows[2]), d = load(s + rows[3]);
#pragma GCC unroll 3
  for (int k = 0; k < 2; k++) {
    const vec ab = zip(a, b, 1, k), cd = zip(c, d, 1, k);
    x[2 * k] = zip(ab, cd, 2, 0), x[2 * k + 1] = zip(ab, cd, 2, 1);
  }
}

/* For n >= V:
 *
 *   for (i = 0; i < n; i++)
 *     d[i] = the sum of w[k] * s[rows[k] + i] for k < count, rounded to a byte
 *
 * or, of zipped rows, of w[4*k + r] * s[rows[k] + 4*i + r]. Weights of four rows have 12 bytes. */
FN_VNNI void fours(const s1_rows *pass, int few, int zipped) {
#define SUM(n) n, n + 1, n + 2, n + 3
#define FROM(n) SUM(n), SUM(n + 16), SUM(n + 32), SUM(n + 48)
  static const uint8_t in_order[V] = {FROM(0), FROM(4), FROM(8), FROM(12)};
#undef FROM
#undef SUM
  const s1_rows t = *pass;
  const int64_t groups = few ? few : zipped ? t.count : t.count / 4;
  const vec order = load(in_order);
  vec weights[FEW][PLANES];
#pragma GCC unroll 3
  for (int g = 0; g < few; g++) load_weights(weights[g], t.weights + g * 4 * PLANES, 4);
  for (int64_t x = 0; x < t.n; x += V) {
    const int64_t offset = min_of(x, t.n - V);
    dwords sum[4];
    vec taken[FEW][4];
    parted_sums parted = no_sums(HALF);
#pragma GCC unroll 3
    for (int64_t g = 0; g < groups; g++) {
      vec *const group = taken[few ? g : 0];
      if (zipped) {
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++) group[k] = load(t.s + t.rows[g] + 4 * offset + V * k);
      } else {
        zip_rows(group, t.s + offset, t.rows + 4 * g);
      }
      if (!few) add_group(&parted, group, t.weights + g * 4 * PLANES, 4);
    }
    if (few) sum_few(sum, (const vec(*)[4])taken, few, (const vec(*)[PLANES])weights, 0, 0, HALF);
    else join_planes(sum, &parted);
    const vec made = samples_in_lanes(sum);
    store(t.d + offset, zipped ? permute(made, order) : made);
  }
}
OUTLINE_VNNI void weigh_fours(const s1_rows *pass) { fours(pass, 0, 0); }

OUTLINE_VNNI void weigh_zipped(const s1_rows *pass) { BY_GROUPS(pass->count, fours, 1) }
#undef BY_GROUPS
