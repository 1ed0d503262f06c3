//go:build cgo && !purego && amd64

/* avx512.c - the kernels for AVX-512 with VBMI: vectors of 64 bytes, permuted by
 * byte, loaded and stored under masks. A byte a mask leaves out is not accessed. */
#include "s1.h"

#include <immintrin.h>

#define ISA __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))
#define V 64

#define FORMS(X) \
  X(permute, 1) X(permute, 2) X(permute, 3) X(permute, 4) X(permute, 5) X(permute, 6) X(permute, 7) X(permute, 8)

#include "vec.h"
#include "rows.h"

/* The windows at w[k] + at under masks take[k], merged and permuted. */
FN __m512i merge(const uint8_t *const *w, int64_t at, const __mmask64 *take, int windows, __m512i index) {
  __m512i x = _mm512_maskz_loadu_epi8(take[0], w[0] + at);
#pragma GCC unroll 8
  for (int k = 1; k < windows; k++) x = _mm512_mask_loadu_epi8(x, take[k], w[k] + at);
  return _mm512_permutexvar_epi8(index, x);
}

/* for (j = 0; j < n; j++) d[j] = s[pattern[j % period] + j / period * advance] */
FN void row_permute(const s1_prog *p, uint8_t *d, const uint8_t *s, int windows, const __mmask64 *take, __m512i index) {
  const int64_t step = p->step, advance = p->advance;
  const uint8_t *w[S1_WINDOWS];
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) w[k] = s + p->at[k];
  int64_t at = 0;
#pragma GCC unroll 2
  for (int64_t i = p->vectors; i > 0; i--, at += step, d += advance) _mm512_storeu_si512(d, merge(w, at, take, windows, index));
  for (int i = p->rests; i > 1; i--, at += step, d += advance)
    _mm512_mask_storeu_epi8(d, ((__mmask64)1 << advance) - 1, merge(w, at, take, windows, index));
  if (p->rests) {
    __mmask64 last[S1_WINDOWS];
#pragma GCC unroll 8
    for (int k = 0; k < windows; k++) last[k] = p->last_take[k];
    _mm512_mask_storeu_epi8(d, p->last_store, merge(w, at, last, windows, index));
  }
}

FN void run_shuffle(const s1_prog *p, uint8_t *dst, const uint8_t *src, int form, int windows) {
  (void)form;
  const __m512i index = _mm512_loadu_si512(p->index);
  __mmask64 take[S1_WINDOWS];
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) take[k] = p->take[k];
  EACH_ROW(p, dst, src, row_permute(p, d, s, windows, take, index));
}

#include "loops.h"

static void run_avx512(const s1_prog *p, uint8_t *dst, const uint8_t *src) { loops[p->entry](p, dst, src); }

const s1_isa s1_avx512 = {"avx512", {.vector = V}, run_avx512};
