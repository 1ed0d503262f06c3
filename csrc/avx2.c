//go:build cgo && !purego && amd64

/* avx2.c - the kernels for AVX2: vectors of two 16-byte lanes. */
#include "s1.h"

#include <immintrin.h>

#define ISA __attribute__((target("avx2")))
#define V 32

#define WINDOWS(X, form) X(form, 1) X(form, 2) X(form, 3) X(form, 4) X(form, 5) X(form, 6) X(form, 7) X(form, 8)
#define FORMS(X)                                                                            \
  WINDOWS(X, lanes) WINDOWS(X, dwords) WINDOWS(X, bytes) WINDOWS(X, inlane) WINDOWS(X, swap) \
  WINDOWS(X, cross) X(every2, 1) X(every2, 2) X(every2, 4) X(every2, 8) X(every3, 4)
#define STREAM_FORMS(X) X(lanes) X(dwords) X(bytes) X(inlane) X(swap) X(cross) X(every2) X(every3)

#include "vec.h"

FN __m256i window(const uint8_t *s) { return _mm256_loadu_si256((const __m256i *)s); }

/* The 16 bytes at lo in the low lane, those at hi in the high one. */
FN __m256i lanes_of(const uint8_t *lo, const uint8_t *hi) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)lo)),
                                 _mm_loadu_si128((const __m128i *)hi), 1);
}

/* Every second element of w bytes of two vectors; if ends, of windows w bytes
 * less than a vector apart, the second one counted from its second element. */
FN __m256i every2(const uint8_t *s, int w, int ends) {
  const __m256i a = window(s), b = window(s + (ends ? V - w : V));
  __m256i x;
  switch (w) {
    case 1: {
      const __m256i low = _mm256_set1_epi16(0xff);
      x = _mm256_packus_epi16(_mm256_and_si256(a, low), ends ? _mm256_srli_epi16(b, 8) : _mm256_and_si256(b, low));
      break;
    }
    case 2: {
      const __m256i low = _mm256_set1_epi32(0xffff);
      x = _mm256_packus_epi32(_mm256_and_si256(a, low), ends ? _mm256_srli_epi32(b, 16) : _mm256_and_si256(b, low));
      break;
    }
    case 4: {
      const __m256 af = _mm256_castsi256_ps(a), bf = _mm256_castsi256_ps(b);
      x = _mm256_castps_si256(ends ? _mm256_shuffle_ps(af, bf, 0xd8) : _mm256_shuffle_ps(af, bf, 0x88));
      break;
    }
    default: x = ends ? _mm256_blend_epi32(a, b, 0xcc) : _mm256_unpacklo_epi64(a, b);
  }
  return _mm256_permute4x64_epi64(x, 0xd8);
}

/* Every third element of 4 bytes of three vectors; if ends, of windows 4 bytes
 * less than a vector apart. */
FN __m256i every3(const uint8_t *s, int ends) {
  const int apart = ends ? V - 4 : V;
  const __m256i a = window(s), b = window(s + apart), c = window(s + 2 * apart);
  if (ends)
    return _mm256_permutevar8x32_epi32(_mm256_blend_epi32(_mm256_blend_epi32(a, b, 0x24), c, 0x92), _mm256_setr_epi32(0, 3, 6, 2, 5, 1, 4, 7));
  return _mm256_permutevar8x32_epi32(_mm256_blend_epi32(_mm256_blend_epi32(a, b, 0x92), c, 0x24), _mm256_setr_epi32(0, 3, 6, 1, 4, 7, 2, 5));
}

FN vec select_every(const uint8_t *s, int form, int w, int ends) {
  return (vec)(form == S1_form_every2 ? every2(s, w, ends) : every3(s, ends));
}

FN vec select_bytes(const uint8_t *const w[2][S1_WINDOWS], int64_t at, int form, int windows, const tables *t) {
  __m256i x;
  if (form == S1_form_lanes) {
    x = _mm256_shuffle_epi8(lanes_of(w[0][0] + at, w[1][0] + at), (__m256i)t->pick[0]);
#pragma GCC unroll 8
    for (int k = 1; k < windows; k++)
      x = _mm256_or_si256(x, _mm256_shuffle_epi8(lanes_of(w[0][k] + at, w[1][k] + at), (__m256i)t->pick[k]));
    return (vec)x;
  }
  x = window(w[0][0] + at);
#pragma GCC unroll 8
  for (int k = 1; k < windows; k++)
    x = _mm256_blendv_epi8(x, window(w[0][k] + at), (__m256i)t->pick[k]);
  switch (form) {
    case S1_form_dwords: return (vec)_mm256_permutevar8x32_epi32(x, (__m256i)t->perm[0]);
    case S1_form_bytes: return (vec)_mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(x, (__m256i)t->perm[0]), (__m256i)t->perm[1]);
    case S1_form_inlane: return (vec)_mm256_shuffle_epi8(x, (__m256i)t->perm[0]);
    case S1_form_swap: return (vec)_mm256_shuffle_epi8(_mm256_permute4x64_epi64(x, 0x4e), (__m256i)t->perm[0]);
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
#include "tile.h"
#include "shuffle.h"
#include "loops.h"

const s1_isa s1_avx2 = {"avx2", {.vector = V}, run_loop};
