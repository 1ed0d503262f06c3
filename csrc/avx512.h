/* avx512.h - set.h by AVX-512 with VBMI. Where neither masks nor vectors of 64 bytes are faster,
 * there is no loop, and kernel avx512 runs AVX2's. */
#include "program.h"

#include <immintrin.h>

#ifdef S1_EMULATE_AVX512
#include "emulate.h"
#define ISA __attribute__((target("avx2,f16c")))
#else
#define ISA __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,f16c")))
#endif
#define SET avx512
#define V 64
#define HAS_MASKS 1
#define HAS_STREAMS 1

#include "vec.h"
#include "x86.h"

FN vec load_under(uint64_t mask, const uint8_t *s) { return (vec)_mm512_maskz_loadu_epi8(mask, s); }
FN vec load_merged(vec x, uint64_t mask, const uint8_t *s) { return (vec)_mm512_mask_loadu_epi8((__m512i)x, mask, s); }
FN void store_under(uint8_t *d, uint64_t mask, vec v) { _mm512_mask_storeu_epi8(d, mask, (__m512i)v); }
FN vec permute(vec x, vec index) { return (vec)_mm512_permutexvar_epi8((__m512i)index, (__m512i)x); }
FN vec permute_into(vec x, vec window, vec order) {
  return (vec)_mm512_mask_blend_epi8(_mm512_movepi8_mask((__m512i)order), _mm512_permutexvar_epi8((__m512i)order, (__m512i)window), (__m512i)x);
}
FN vec quarters(vec a, vec b, int n) {
  static const uint8_t ones[2 * V] = {[0 ... V - 1] = 0xff};
  const vec kept = load(ones + (4 - n) * (V / 4));
  return (a & kept) | (b & ~kept);
}

FN void store_nt(uint8_t *d, vec v) { _mm512_stream_si512((__m512i *)d, (__m512i)v); }

FN vec picked(const uint8_t *s, const s1_picks *p, int k, vec pick) {
  return (vec)_mm512_maskz_permutexvar_epi8(0x1111111111111111, (__m512i)pick, (__m512i)load(s + p->at[k]));
}

FN words high(words a, words b) { return (words)_mm512_mulhi_epi16((__m512i)a, (__m512i)b); }
FN vec interleaved(words a, words b) {
  static const uint8_t interleave[V] = {
#define LANE(n) n, n + 8, n + 1, n + 9, n + 2, n + 10, n + 3, n + 11, n + 4, n + 12, n + 5, n + 13, n + 6, n + 14, n + 7, n + 15
      LANE(0), LANE(16), LANE(32), LANE(48)};
#undef LANE
  return (vec)_mm512_permutexvar_epi8((__m512i)load(interleave), _mm512_packus_epi16((__m512i)a, (__m512i)b));
}
FN words carried(words x, uwords a, uwords b) {
  return (words)_mm512_mask_sub_epi16((__m512i)x, _mm512_cmpgt_epu16_mask((__m512i)a, (__m512i)b), (__m512i)x, (__m512i) ~(vec){0});
}
FN uwords ordered(uwords v) { return v; }
FN uwords high_unsigned(uwords a, uwords b) { return (uwords)_mm512_mulhi_epu16((__m512i)a, (__m512i)b); }

FN words widened(half v) { return (words)_mm512_cvtepu8_epi16((__m256i)v); }
FN words high_rounded(words a, words b) { return (words)_mm512_mulhrs_epi16((__m512i)a, (__m512i)b); }
#define ZIP(n, a, b, high) (vec)(high ? _mm512_unpackhi_epi##n((__m512i)a, (__m512i)b) : _mm512_unpacklo_epi##n((__m512i)a, (__m512i)b))
FN vec zip(vec a, vec b, int w, int high) {
  switch (w) {
    case 1: return ZIP(8, a, b, high);
    case 2: return ZIP(16, a, b, high);
    case 4: return ZIP(32, a, b, high);
    default: must_be(w, 8); return ZIP(64, a, b, high);
  }
}
#undef ZIP
FN ints word_pairs(words a, words b) { return (ints)_mm512_madd_epi16((__m512i)a, (__m512i)b); }
FN words byte_pairs(vec a, vec b) { return (words)_mm512_maddubs_epi16((__m512i)a, (__m512i)b); }
FN words narrowed(ints a, ints b) { return (words)_mm512_packs_epi32((__m512i)a, (__m512i)b); }
FN vec limited(words a, words b) { return (vec)_mm512_packus_epi16((__m512i)a, (__m512i)b); }
/* Lookups put red and green in turns, and blue and alpha, where zips of lanes take those of pixels
 * in their order. */
FN void store_pairs(uint8_t *d, words r, words g, words b, words r2, words g2, words b2) {
#define FOUR(n) n, n + V, n + 8, n + 8 + V, n + 1, n + 1 + V, n + 9, n + 9 + V
  static const uint8_t orders[2][V] = {{FOUR(0), FOUR(16), FOUR(2), FOUR(18), FOUR(4), FOUR(20), FOUR(6), FOUR(22)},
                                       {FOUR(32), FOUR(48), FOUR(34), FOUR(50), FOUR(36), FOUR(52), FOUR(38), FOUR(54)}};
#undef FOUR
  const __m512i reds = (__m512i)limited(r, r2), greens = (__m512i)limited(g, g2), blues = (__m512i)limited(b, b2), ones = (__m512i) ~(vec){0};
#pragma GCC unroll 2
  for (int half = 0; half < 2; half++) {
    const __m512i order = (__m512i)load(orders[half]);
    const vec red_green = (vec)_mm512_permutex2var_epi8(reds, order, greens);
    const vec blue_alpha = (vec)_mm512_mask_permutexvar_epi8(ones, 0x5555555555555555, order, blues);
    store_in_order(d + 2 * half * V, zip(red_green, blue_alpha, 2, 0)), store_in_order(d + (2 * half + 1) * V, zip(red_green, blue_alpha, 2, 1));
  }
}
/* Byte i of vector k is a byte of red or green by an order, where green's places count from V on,
 * or one of blue where the mask says so. */
FN void store_triples(uint8_t *d, words r, words g, words b, words r2, words g2, words b2) {
  static const uint8_t orders[3][V] = {
      {0, 64, 0,  8,  72, 8,  1, 65, 1,  9,  73, 9,  2, 66, 2,  10, 74, 10, 3,  67, 3,  11, 75, 11, 4,  68, 4,  12, 76, 12, 5,  69,
       5, 13, 77, 13, 6,  70, 6, 14, 78, 14, 7,  71, 7, 15, 79, 15, 16, 80, 16, 24, 88, 24, 17, 81, 17, 25, 89, 25, 18, 82, 18, 26},
      {90, 26, 19, 83, 19,  27, 91, 27, 20, 84, 20,  28, 92, 28, 21, 85, 21,  29, 93, 29, 22, 86, 22,  30, 94, 30,  23, 87, 23,  31, 95, 31,
       32, 96, 32, 40, 104, 40, 33, 97, 33, 41, 105, 41, 34, 98, 34, 42, 106, 42, 35, 99, 35, 43, 107, 43, 36, 100, 36, 44, 108, 44, 37, 101},
      {37,  45, 109, 45,  38, 102, 38,  46, 110, 46,  39, 103, 39,  47, 111, 47,  48, 112, 48,  56, 120, 56,  49, 113, 49,  57, 121, 57,  50, 114, 50,  58,
       122, 58, 51,  115, 51, 59,  123, 59, 52,  116, 52, 60,  124, 60, 53,  117, 53, 61,  125, 61, 54,  118, 54, 62,  126, 62, 55,  119, 55, 63,  127, 63}};
  static const uint64_t of_blue[3] = {0x4924924924924924, 0x2492492492492492, 0x9249249249249249};
  const __m512i reds = (__m512i)limited(r, r2), greens = (__m512i)limited(g, g2), blues = (__m512i)limited(b, b2);
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++) {
    const __m512i order = (__m512i)load(orders[k]), both = _mm512_permutex2var_epi8(reds, order, greens);
    store_in_order(d + k * V, (vec)_mm512_mask_blend_epi8(of_blue[k], both, _mm512_permutexvar_epi8(order, blues)));
  }
}
FN vec broadcast_lane(const uint8_t *s) { return (vec)_mm512_broadcast_i32x4((__m128i)load16(s)); }
FN vec16 lane_of(vec x, int lane) {
  switch (lane) {
    case 0: return (vec16)_mm512_castsi512_si128((__m512i)x);
    case 1: return (vec16)_mm512_extracti32x4_epi32((__m512i)x, 1);
    case 2: return (vec16)_mm512_extracti32x4_epi32((__m512i)x, 2);
    default: return (vec16)_mm512_extracti32x4_epi32((__m512i)x, 3);
  }
}

FN vec shuffle_lanes(vec x, vec order) { return (vec)_mm512_shuffle_epi8((__m512i)x, (__m512i)order); }
FN ints pair_sums(ints a, ints b) { return (ints)_mm512_shuffle_ps((__m512)a, (__m512)b, 0x88) + (ints)_mm512_shuffle_ps((__m512)a, (__m512)b, 0xdd); }
FN words paired(ints a, ints b) { return (words)(a | (b & ~0xffff)); }
FN vec bytes_in_order(words a, words b) {
  static const uint8_t order[V] = {
#define DWORD(n) n, n + 2, n + 4, n + 6, n + 16, n + 18, n + 20, n + 22, n + 32, n + 34, n + 36, n + 38, n + 48, n + 50, n + 52, n + 54
      DWORD(0), DWORD(1), DWORD(8), DWORD(9)};
#undef DWORD
  return permute(limited(a, b), load(order));
}
FN vec pairs_in_order(words a, words b) {
  static const uint8_t order[V] = {
#define DWORD(n) n, n + 1, n + 2, n + 3, n + 16, n + 17, n + 18, n + 19, n + 32, n + 33, n + 34, n + 35, n + 48, n + 49, n + 50, n + 51
      DWORD(0), DWORD(4), DWORD(8), DWORD(12)};
#undef DWORD
  return permute(limited(a, b), load(order));
}
FN vec parted(vec x) {
  static const uint8_t order[V] = {
#define BYTES_OF(n) n, n + 2, n + 4, n + 6, n + 8, n + 10, n + 12, n + 14, n + 16, n + 18, n + 20, n + 22, n + 24, n + 26, n + 28, n + 30
      BYTES_OF(0), BYTES_OF(32), BYTES_OF(1), BYTES_OF(33)};
#undef BYTES_OF
  return permute(x, load(order));
}

#include "planes512.h"

#define STREAMS(X) X(copy)

#include "set.h"
