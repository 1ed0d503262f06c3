/* avx2.h - set.h by AVX2: vectors of two 16-byte lanes. */
#include "program.h"

#include <immintrin.h>

#define ISA __attribute__((target("avx2,f16c")))
#define SET avx2
#define V 32
#define HAS_MASKS 0
#define HAS_STREAMS 1

#include "vec.h"
#include "x86.h"

#define BLEND16(a, b, mask) ((vec)_mm256_blend_epi16((__m256i)(a), (__m256i)(b), mask))
#define BLEND32(a, b, mask) ((vec)_mm256_blend_epi32((__m256i)(a), (__m256i)(b), mask))

/* limited_dwords is narrowed for results of uint16. */
FN words narrowed(ints a, ints b) { return (words)_mm256_packs_epi32((__m256i)a, (__m256i)b); }
FN vec limited(words a, words b) { return (vec)_mm256_packus_epi16((__m256i)a, (__m256i)b); }
FN vec limited_dwords(dwords a, dwords b) { return (vec)_mm256_packus_epi32((__m256i)a, (__m256i)b); }

/* The bytes of each lane of x that `order` lists. */
FN vec shuffle_lanes(vec x, vec order) { return (vec)_mm256_shuffle_epi8((__m256i)x, (__m256i)order); }
FN vec shuffled(vec x, vec16 order) { return shuffle_lanes(x, (vec)_mm256_broadcastsi128_si256((__m128i)order)); }

FN vec load_lanes(const uint8_t *lo, const uint8_t *hi) {
  return (vec)_mm256_inserti128_si256(_mm256_castsi128_si256((__m128i)load16(lo)), (__m128i)load16(hi), 1);
}

/* A broadcast of hi and a blend take no shuffle. */
FN vec load_parts(const uint8_t *lo, const uint8_t *hi, int bytes) {
  switch (bytes) {
    case 4: return BLEND32(_mm256_castsi128_si256(_mm_cvtsi32_si128((int)load_u32(lo))), _mm256_set1_epi32((int)load_u32(hi)), 0x10);
    case 8: return BLEND32(_mm256_castsi128_si256(_mm_loadl_epi64((const __m128i *)lo)), _mm256_set1_epi64x((int64_t)load_u64(hi)), 0x30);
    default: return load_lanes(lo, hi);
  }
}

FN vec16 lane_of(vec x, int lane) { return (vec16)(lane ? _mm256_extracti128_si256((__m256i)x, 1) : _mm256_castsi256_si128((__m256i)x)); }
FN vec low_lanes(vec a, vec b) { return (vec)_mm256_permute2x128_si256((__m256i)a, (__m256i)b, 0x20); }
FN vec high_lanes(vec a, vec b) { return (vec)_mm256_permute2x128_si256((__m256i)a, (__m256i)b, 0x31); }

FN vec load_every2(const uint8_t *lo, const uint8_t *hi, int w) {
  const vec a = load_lanes(lo, hi), b = load_lanes(lo + 16 - w, hi + 16 - w);
  switch (w) {
    case 1: return limited(low_bytes((words)a), high_bytes((words)b));
    case 2: return limited_dwords((dwords)a & 0xffff, (dwords)b >> 16);
    case 4: return (vec)_mm256_shuffle_ps((__m256)a, (__m256)b, 0xd8);
    default: must_be(w, 8); return BLEND32(a, b, 0xcc);
  }
}

FN vec load_halves(const uint8_t *lo, const uint8_t *hi, int w) {
  const vec a = load(lo), b = load(hi);
  switch (w) {
    case 1: return limited(low_bytes((words)a), low_bytes((words)b));
    case 2: return limited_dwords((dwords)a & 0xffff, (dwords)b & 0xffff);
    case 4: return (vec)_mm256_shuffle_ps((__m256)a, (__m256)b, 0x88);
    default: must_be(w, 8); return (vec)_mm256_unpacklo_epi64((__m256i)a, (__m256i)b);
  }
}

#define ZIP(n, a, b, high) (vec)(high ? _mm256_unpackhi_epi##n((__m256i)a, (__m256i)b) : _mm256_unpacklo_epi##n((__m256i)a, (__m256i)b))

FN vec zip(vec a, vec b, int w, int high) {
  switch (w) {
    case 1: return ZIP(8, a, b, high);
    case 2: return ZIP(16, a, b, high);
    case 4: return ZIP(32, a, b, high);
    default: must_be(w, 8); return ZIP(64, a, b, high);
  }
}
#undef ZIP

FN void store_nt(uint8_t *d, vec v) { _mm256_stream_si256((__m256i *)d, (__m256i)v); }

FN vec picked(const uint8_t *s, const s1_picks *p, int k, vec pick) { return shuffle_lanes(load_lanes(s + p->at[k], s + p->at[k + 1]), pick); }

/* Bytes of b where m has 0xff, of a where m has 0. _mm256_blendv_epi8 is this instruction, but gcc
 * 12 folds it to a comparison that is never true where char is unsigned (-funsigned-char). */
FN vec blend(vec a, vec b, vec m) {
  vec x;
  __asm__("vpblendvb {%3, %2, %1, %0|%0, %1, %2, %3}" : "=x"(x) : "x"(a), "xm"(b), "x"(m));
  return x;
}

FN vec odd_bytes(void) { return (vec)_mm256_set1_epi16((short)0xff00); }
FN vec permute_dwords(vec x, __m256i order) { return (vec)_mm256_permutevar8x32_epi32((__m256i)x, order); }

/* A vector of every second, third or fourth element of w bytes, the first one at s. every3 is for w
 * of 4, every4 for w of 1, 2 or 4. The windows begin V - w bytes apart. So the elements lie at
 * another place in each window, and blends merge them. The last window ends with the last
 * element. */
FN vec every2(const uint8_t *s, int w) {
  const vec a = load(s), b = load(s + (V - w));
  if (w == 8) return (vec)qwords_in_order((narrow_vec)BLEND32(a, b, 0xcc));
  if (w == 4) return permute_dwords(BLEND32(a, b, 0xaa), _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
  const vec x = w == 1 ? blend(a, b, odd_bytes()) : BLEND16(a, b, 0xaa);
  const vec16 even_then_odd =
      w == 1 ? (vec16){0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15} : (vec16){0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15};
  return (vec)qwords_in_order((narrow_vec)shuffled(x, even_then_odd));
}

FN vec every3(const uint8_t *s) {
  const vec a = load(s), b = load(s + (V - 4)), c = load(s + 2 * (V - 4));
  return permute_dwords(BLEND32(BLEND32(a, b, 0x24), c, 0x92), _mm256_setr_epi32(0, 3, 6, 2, 5, 1, 4, 7));
}

FN vec every4(const uint8_t *s, int w) {
  const vec a = load(s), b = load(s + (V - w)), c = load(s + 2 * (V - w)), d = load(s + 3 * (V - w));
  if (w == 4) return (vec)dwords_in_order((narrow_vec)BLEND32(BLEND32(a, b, 0x22), BLEND32(c, d, 0x88), 0xcc));
  const vec x = w == 1 ? BLEND16(blend(a, b, odd_bytes()), blend(c, d, odd_bytes()), 0xaa) : BLEND32(BLEND16(a, b, 0xaa), BLEND16(c, d, 0xaa), 0xaa);
  const vec16 fourths = w == 1 ? (vec16){0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15} : (vec16){0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15};
  return (vec)dwords_in_order((narrow_vec)shuffled(x, fourths));
}

FN vec select_every(const uint8_t *s, int form, int w) { return form == S1_every2 ? every2(s, w) : form == S1_every3 ? every3(s) : every4(s, w); }

/* The 16 bytes at s in both lanes. */
FN vec broadcast_lane(const uint8_t *s) { return (vec)_mm256_broadcastsi128_si256((__m128i)load16(s)); }

FN vec quarters(vec a, vec b, int n) { return n == 1 ? BLEND32(a, b, 0xfc) : n == 2 ? BLEND32(a, b, 0xf0) : BLEND32(a, b, 0xc0); }

FN vec permuted(vec x, int form, const recipe *r, int q) {
  const int n = 2 * q;
  __m256i dwords = (__m256i)r->perm[form == S1_bytes];
  if (q) dwords = _mm256_permutevar8x32_epi32(dwords, _mm256_setr_epi32(n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7));
  return permute_dwords(form == S1_bytes ? shuffle_lanes(x, r->perm[0]) : x, dwords);
}

FN vec select_bytes(const recipe *r, int64_t offset, int form, int windows) {
  const uint8_t *const *const w = r->window[0];
  if (form == S1_lanes) {
    vec x = shuffle_lanes(load_lanes(w[0] + offset, r->window[1][0] + offset), r->pick[0]);
#pragma GCC unroll 8
    for (int k = 1; k < windows; k++) x |= shuffle_lanes(load_lanes(w[k] + offset, r->window[1][k] + offset), r->pick[k]);
    return x;
  }
  /* A load of 16 bytes into both lanes costs no more than a plain load, and saves the shuffle that
   * swaps lanes. */
  if (form == S1_cross && windows == 1)
    return shuffle_lanes(broadcast_lane(w[0] + offset), r->perm[0]) | shuffle_lanes(broadcast_lane(w[0] + offset + S1_LANE), r->perm[1]);
  vec x = load(w[0] + offset);
#pragma GCC unroll 8
  for (int k = 1; k < windows; k++) x = blend(x, load(w[k] + offset), r->pick[k]);
  if (form != S1_cross) return permuted(x, form, r, 0);
  return shuffle_lanes(x, r->perm[0]) | shuffle_lanes((vec)_mm256_permute4x64_epi64((__m256i)x, 0x4e), r->perm[1]);
}

FN void every_tail(uint8_t *d, const uint8_t *s, const s1_tail *t, int form, int w) { store(d + t->dst, select_every(s + t->src, form, w)); }

FN void tail_vector(uint8_t *d, const uint8_t *s, const s1_vector *v, int lanes) {
  vec x = {0};
  for (int k = 0; k < v->windows; k++) x |= shuffle_lanes(load_lanes(s + v->at[0][k], s + v->at[lanes - 1][k]), load(v->pick[k]));
  if (lanes == 1) store16(d, lane_of(x, 0));
  else store(d, x);
}

FN words high(words a, words b) { return (words)_mm256_mulhi_epi16((__m256i)a, (__m256i)b); }
FN uwords high_unsigned(uwords a, uwords b) { return (uwords)_mm256_mulhi_epu16((__m256i)a, (__m256i)b); }
FN words widened(half v) { return (words)_mm256_cvtepu8_epi16((__m128i)v); }
FN words high_rounded(words a, words b) { return (words)_mm256_mulhrs_epi16((__m256i)a, (__m256i)b); }
FN vec interleaved(words a, words b) { return shuffled(limited(a, b), (vec16){0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15}); }
FN void store_pixels(uint8_t *d, vec r, vec g, vec b, vec a) {
  vec four[4]; /* pixels of each quarter of both lanes */
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) four[i] = zip(zip(r, g, 1, i / 2), zip(b, a, 1, i / 2), 2, i % 2);
  store_in_order(d, low_lanes(four[0], four[1])), store_in_order(d + V, low_lanes(four[2], four[3]));
  store_in_order(d + 2 * V, high_lanes(four[0], four[1])), store_in_order(d + 3 * V, high_lanes(four[2], four[3]));
}

FN void store_pairs(uint8_t *d, words r, words g, words b, words r2, words g2, words b2) {
  store_pixels(d, interleaved(r, r2), interleaved(g, g2), interleaved(b, b2), ~(vec){0});
}
/* Bytes 16*k to 16*k + 15 of the 48 that a lane's pixels make are joined of each channel. */
FN void store_triples(uint8_t *d, words r, words g, words b, words r2, words g2, words b2) {
#define NO NIL
  static const uint8_t orders[3][3][16] = {{{0, NO, NO, 8, NO, NO, 1, NO, NO, 9, NO, NO, 2, NO, NO, 10},
                                            {NO, 0, NO, NO, 8, NO, NO, 1, NO, NO, 9, NO, NO, 2, NO, NO},
                                            {NO, NO, 0, NO, NO, 8, NO, NO, 1, NO, NO, 9, NO, NO, 2, NO}},
                                           {{NO, NO, 3, NO, NO, 11, NO, NO, 4, NO, NO, 12, NO, NO, 5, NO},
                                            {10, NO, NO, 3, NO, NO, 11, NO, NO, 4, NO, NO, 12, NO, NO, 5},
                                            {NO, 10, NO, NO, 3, NO, NO, 11, NO, NO, 4, NO, NO, 12, NO, NO}},
                                           {{NO, 13, NO, NO, 6, NO, NO, 14, NO, NO, 7, NO, NO, 15, NO, NO},
                                            {NO, NO, 13, NO, NO, 6, NO, NO, 14, NO, NO, 7, NO, NO, 15, NO},
                                            {5, NO, NO, 13, NO, NO, 6, NO, NO, 14, NO, NO, 7, NO, NO, 15}}};
#undef NO
  const vec reds = limited(r, r2), greens = limited(g, g2), blues = limited(b, b2);
  vec x[3];
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++) x[k] = shuffled(reds, load16(orders[k][0])) | shuffled(greens, load16(orders[k][1])) | shuffled(blues, load16(orders[k][2]));
  store_in_order(d, low_lanes(x[0], x[1])), store_in_order(d + V, BLEND32(x[2], x[0], 0xf0)), store_in_order(d + 2 * V, high_lanes(x[1], x[2]));
}
FN words carried(words x, uwords a, uwords b) { return x - ((words)a > (words)b); }
FN uwords ordered(uwords v) { return v ^ 0x8000; }
FN vec limited_in_order(words a, words b) { return (vec)qwords_in_order((narrow_vec)limited(a, b)); }
FN words paired(ints a, ints b) { return (words)BLEND16(a, b, 0xaa); }
FN vec bytes_in_order(words a, words b) {
  return (vec)dwords_in_order((narrow_vec)shuffled(limited(a, b), (vec16){0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15}));
}
FN vec pairs_in_order(words a, words b) { return (vec)dwords_in_order((narrow_vec)limited(a, b)); }
FN vec parted(vec x) { return (vec)qwords_in_order((narrow_vec)shuffled(x, (vec16){0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15})); }
FN words byte_pairs(vec a, vec b) { return (words)_mm256_maddubs_epi16((__m256i)a, (__m256i)b); }
FN ints word_pairs(words a, words b) { return (ints)_mm256_madd_epi16((__m256i)a, (__m256i)b); }
FN ints pair_sums(ints a, ints b) { return (ints)_mm256_hadd_epi32((__m256i)a, (__m256i)b); }

FN doubles widened_floats(const float *s) { return (doubles)_mm256_cvtps_pd(_mm_loadu_ps(s)); }
FN floats narrowed_doubles(doubles a, doubles b) {
  return (floats)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps((__m256d)a)), _mm256_cvtpd_ps((__m256d)b), 1);
}

#include "planes256.h"

#define STREAMS(X) X(copy) X(tile)

#include "set.h"
