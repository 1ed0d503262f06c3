//go:build cgo && !purego && amd64

/* avx2.c - the kernels for AVX2: vectors of two 16-byte lanes. */
#include "s1.h"

#include <immintrin.h>

#define ISA __attribute__((target("avx2")))
#define V 32

#define WINDOWS(X, form) X(form, 1) X(form, 2) X(form, 3) X(form, 4) X(form, 5) X(form, 6) X(form, 7) X(form, 8)
#define FORMS(X)                                                                                       \
  WINDOWS(X, lanes) WINDOWS(X, dwords) WINDOWS(X, bytes) WINDOWS(X, inlane) WINDOWS(X, cross) \
  X(pack, 1) X(pack, 2) X(pack, 4) X(pack, 8)

#include "vec.h"

FN __m256i window(const uint8_t *s) { return _mm256_loadu_si256((const __m256i *)s); }

/* The 16 bytes at lo in the low lane, those at hi in the high one. */
FN __m256i lanes_of(const uint8_t *lo, const uint8_t *hi) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)lo)),
                                 _mm_loadu_si128((const __m128i *)hi), 1);
}

/* Every second element of w bytes of the vector at lo, counted from its first,
 * and of the one at hi, counted from its second. */
FN __m256i pack(const uint8_t *lo, const uint8_t *hi, int w) {
  __m256i a = window(lo), b = window(hi), x;
  switch (w) {
    case 1: x = _mm256_packus_epi16(_mm256_and_si256(a, _mm256_set1_epi16(0xff)), _mm256_srli_epi16(b, 8)); break;
    case 2: x = _mm256_packus_epi32(_mm256_and_si256(a, _mm256_set1_epi32(0xffff)), _mm256_srli_epi32(b, 16)); break;
    case 4: x = _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0xd8)); break;
    default: x = _mm256_castpd_si256(_mm256_shuffle_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b), 0xa));
  }
  return _mm256_permute4x64_epi64(x, 0xd8);
}

FN vec select_bytes(const uint8_t *const w[2][S1_WINDOWS], int64_t at, int form, int variant, const tables *t) {
  __m256i x;
  if (form == S1_form_pack) return (vec)pack(w[0][0] + at, w[0][1] + at, variant);
  if (form == S1_form_lanes) {
    x = _mm256_shuffle_epi8(lanes_of(w[0][0] + at, w[1][0] + at), (__m256i)t->pick[0]);
#pragma GCC unroll 8
    for (int k = 1; k < variant; k++)
      x = _mm256_or_si256(x, _mm256_shuffle_epi8(lanes_of(w[0][k] + at, w[1][k] + at), (__m256i)t->pick[k]));
    return (vec)x;
  }
  x = window(w[0][0] + at);
#pragma GCC unroll 8
  for (int k = 1; k < variant; k++)
    x = _mm256_blendv_epi8(x, window(w[0][k] + at), (__m256i)t->pick[k]);
  switch (form) {
    case S1_form_dwords: return (vec)_mm256_permutevar8x32_epi32(x, (__m256i)t->perm[0]);
    case S1_form_bytes: return (vec)_mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(x, (__m256i)t->perm[0]), (__m256i)t->perm[1]);
    case S1_form_inlane: return (vec)_mm256_shuffle_epi8(x, (__m256i)t->perm[0]);
    default: {
      __m256i swapped = _mm256_permute4x64_epi64(x, 0x4e);
      return (vec)_mm256_or_si256(_mm256_shuffle_epi8(x, (__m256i)t->perm[0]), _mm256_shuffle_epi8(swapped, (__m256i)t->perm[1]));
    }
  }
}

FN void edge_vector(uint8_t *d, const uint8_t *s, const s1_vector *v, int lanes) {
  if (lanes == 1) {
    __m128i x = _mm_setzero_si128();
    for (int k = 0; k < v->windows; k++)
      x = _mm_or_si128(x, _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(s + v->at[0][k])), _mm_loadu_si128((const __m128i *)v->pick[k])));
    _mm_storeu_si128((__m128i *)d, x);
    return;
  }
  __m256i x = _mm256_setzero_si256();
  for (int k = 0; k < v->windows; k++)
    x = _mm256_or_si256(x, _mm256_shuffle_epi8(lanes_of(s + v->at[0][k], s + v->at[1][k]), window(v->pick[k])));
  _mm256_storeu_si256((__m256i *)d, x);
}

#include "rows.h"

static void run_avx2(const s1_prog *p, uint8_t *dst, const uint8_t *src) { loops[p->entry](p, dst, src); }

const s1_isa s1_avx2 = {"avx2", {.lanes = 2, .table = 0}, run_avx2};
