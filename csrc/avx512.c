//go:build cgo && !purego && amd64

/* avx512.c - the kernels for AVX-512 with VBMI: vectors of 64 bytes, permuted by
 * byte, loaded and stored under masks. A byte a mask leaves out is not accessed. */
#include "s1.h"

#include <immintrin.h>

#define ISA __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))
#define V 64

#define FORMS(X) \
  X(permute, 1) X(permute, 2) X(permute, 3) X(permute, 4) X(permute, 5) X(permute, 6) X(permute, 7) X(permute, 8) \
  X(spread, 1) X(spread, 2) X(spread, 3) X(spread, 4) X(spread, 5) X(spread, 6) X(spread, 7) X(spread, 8)
#define STREAM_FORMS(X) X(permute)

#include "vec.h"
#include "rows.h"
#include "tile.h"

/* The windows at w[k] + at under masks take[k], merged and permuted. */
FN __m512i merge(const uint8_t *const *w, int64_t at, const __mmask64 *take, int windows, __m512i index) {
  __m512i x = _mm512_maskz_loadu_epi8(take[0], w[0] + at);
#pragma GCC unroll 8
  for (int k = 1; k < windows; k++) x = _mm512_mask_loadu_epi8(x, take[k], w[k] + at);
  return _mm512_permutexvar_epi8(index, x);
}

/* The last bytes of a row, at d from the windows at w[k] + at. */
FN void row_last(const s1_prog *p, uint8_t *d, const uint8_t *const *w, int64_t at, int windows, __m512i index) {
  __mmask64 take[S1_WINDOWS] = {0};
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) take[k] = p->last_take[k];
  _mm512_mask_storeu_epi8(d, p->last_store, merge(w, at, take, windows, index));
}

/* for (j = 0; j < n; j++) d[j] = s[pattern[j % period] + j / period * advance] */
FN void row_permute(const s1_prog *p, uint8_t *d, const uint8_t *s, int windows, const __mmask64 *take, __m512i index) {
  const int64_t step = p->step, advance = p->advance;
  const uint8_t *w[S1_WINDOWS] = {0};
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) w[k] = s + p->at[k];
  int64_t at = 0;
#pragma GCC unroll 2
  for (int64_t i = p->vectors; i > 0; i--, at += step, d += advance) _mm512_storeu_si512(d, merge(w, at, take, windows, index));
  for (int i = p->rests; i > 1; i--, at += step, d += advance)
    _mm512_mask_storeu_epi8(d, ((__mmask64)1 << advance) - 1, merge(w, at, take, windows, index));
  if (p->rests) row_last(p, d, w, at, windows, index);
}

/* for (i = 0; i < units; i++) for (j = 0; j < unit; j++) d[i * unit + j] = s[vector_at[i] + pattern[j]] */
FN void row_units(const s1_prog *p, uint8_t *d, const uint8_t *s, int windows, const __mmask64 *take, __m512i index) {
  const int64_t unit = p->advance;
  const int32_t *so = p->vector_at;
  const uint8_t *w[S1_WINDOWS] = {0};
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) w[k] = s + p->at[k];
  for (int64_t i = p->vectors; i > 0; i--, d += unit) _mm512_storeu_si512(d, merge(w, *so++, take, windows, index));
  for (int i = p->rests; i > 0; i--, d += unit) _mm512_mask_storeu_epi8(d, p->store, merge(w, *so++, take, windows, index));
}

/* for (i = 0; i < n; i++) the element d + i*ds = the element s + i*ss, ds above w */
FN void row_spread(const s1_prog *p, uint8_t *d, const uint8_t *s, int windows, const __mmask64 *take, __m512i index) {
  const int64_t step = p->step, advance = p->advance;
  const __mmask64 kept = p->store;
  const uint8_t *w[S1_WINDOWS] = {0};
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) w[k] = s + p->at[k];
  int64_t at = 0;
  for (int64_t i = p->vectors; i > 0; i--, at += step, d += advance)
    _mm512_mask_storeu_epi8(d, kept, merge(w, at, take, windows, index));
  if (p->rests) row_last(p, d, w, at, windows, index);
}

/* row_permute for an output too large for the caches. */
FN void row_permute_stream(const s1_prog *p, uint8_t *d, const uint8_t *s, int windows, const __mmask64 *take, __m512i index, horizon h) {
  const int64_t n = p->vectors * V, unit = p->unit, per_line = (S1_LINE >> p->grain) * unit;
  const int grain = p->grain;
  const uint8_t *w[S1_WINDOWS] = {0};
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) w[k] = s + p->at[k];
#define VECTOR(x) (vec)merge(w, ((x) >> grain) * unit, take, windows, index)
#define FETCH(x) fetch_line(s + ((x) >> grain) * unit, per_line, h)
  STREAM_ROW(d, n, grain, unit < 0, VECTOR, FETCH);
#undef FETCH
#undef VECTOR
  if (p->rests) row_last(p, d + n, w, p->vectors * p->step, windows, index);
}

FN __m512i load_masks(const s1_prog *p, int windows, __mmask64 *take) {
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) take[k] = p->take[k];
  return _mm512_loadu_si512(p->index);
}

FN void run_shuffle(const s1_prog *p, uint8_t *dst, const uint8_t *src, int form, int windows) {
  __mmask64 take[S1_WINDOWS] = {0};
  const __m512i index = load_masks(p, windows, take);
  if (form == S1_form_spread) EACH_ROW(p, dst, src, row_spread(p, d, s, windows, take, index));
  else if (p->units) EACH_ROW(p, dst, src, row_units(p, d, s, windows, take, index));
  else ONE_OR_EACH_ROW(p, dst, src, row_permute(p, d, s, windows, take, index));
}

FN void run_shuffle_stream(const s1_prog *p, uint8_t *dst, const uint8_t *src, int form, int windows) {
  (void)form;
  __mmask64 take[S1_WINDOWS] = {0};
  const __m512i index = load_masks(p, windows, take);
  const horizon h = horizon_of(p, src);
  EACH_ROW(p, dst, src, row_permute_stream(p, d, s, windows, take, index, h));
}

#include "loops.h"

const s1_isa s1_avx512 = {"avx512", {.vector = V, .narrow = &s1_avx2.target}, run_loop};
