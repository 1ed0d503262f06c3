/* avx512.h - the loops for AVX-512 with VBMI: those that make vectors from windows load 64 bytes
 * under a mask for each window and permute bytes. A byte that a mask leaves out is not accessed. */
#include "program.h"

#include <immintrin.h>

#ifdef S1_EMULATE_AVX512
#include "emulate.h"
#define ISA __attribute__((target("avx2")))
#else
#define ISA __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))
#endif
#define SET avx512
#define V 64

#define HAS_NONTEMPORAL 1
#define HAS_MASKS 1
#define HAS_PAIRED_PIECES 1

#include "vec.h"
#include "x86.h"

FN void store_nt(uint8_t *d, vec v) { _mm512_stream_si512((__m512i *)d, (__m512i)v); }

/* The bytes that `pick` picks out of window k of p, each in a number of 32 bits. */
FN vec picked(const uint8_t *s, const s1_picks *p, int k, vec pick) {
  return (vec)_mm512_maskz_permutexvar_epi8(0x1111111111111111, (__m512i)pick, (__m512i)load(s + p->at[k]));
}

#include "rows.h"
#include "tile.h"

/* Merges the bytes that mask take[k] has of the window at w[k] + at, for each k below `windows`.
 * Returns them permuted: byte j of the result is byte index[j] of the merged ones. */
FN __m512i merge(const uint8_t *const *w, int64_t at, const __mmask64 *take, int windows, __m512i index) {
  __m512i x = _mm512_maskz_loadu_epi8(take[0], w[0] + at);
#pragma GCC unroll 8
  for (int k = 1; k < windows; k++) x = _mm512_mask_loadu_epi8(x, take[k], w[k] + at);
  return _mm512_permutexvar_epi8(index, x);
}

/* Stores the last tail of the row at d if the row has tails. It may overlap the vector before
 * it. w[k] is window k of the row's first vector. */
FN void row_last(const s1_program *p, uint8_t *d, const uint8_t *const *w, int windows, const __mmask64 *take, __m512i index) {
  if (p->masks.tails) _mm512_mask_storeu_epi8(d + p->masks.last_dst, p->masks.store, merge(w, p->masks.last_src, take, windows, index));
}

/* A row without gaps in the destination: vector i is made at s + i*step and stored at
 * d + i*advance. The first `count` vectors are stored whole, the tails behind them under the mask
 * `store`; row_last stores the last tail. */
FN void row_permute(const s1_program *p, uint8_t *d, const uint8_t *s, int windows, const __mmask64 *take, __m512i index) {
  const int64_t step = p->masks.step, advance = p->masks.advance;
  const uint8_t *w[S1_WINDOWS] = {0};
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) w[k] = s + p->masks.at[k];
  uint8_t *o = d;
  int64_t at = 0;
#define NEXT() (at += step, (vec)merge(w, at - step, take, windows, index))
#define PUT(x) (store_here(o, x), o += advance)
  int64_t i = p->masks.count;
  /* Vectors are made ahead of the stores if each has one window, or if it has two and source and
   * destination advance alike. In other rows the addresses of loads and stores soon differ in the
   * low bits, or loads are many, and one vector at a time is faster. */
  if (windows == 1 || (windows == 2 && step == advance)) {
    IN_TURNS(i, 0, NEXT, PUT);
    i = 0;
  }
#undef PUT
#undef NEXT
#pragma GCC unroll 2
  for (; i > 0; i--, at += step, o += advance) _mm512_storeu_si512(o, merge(w, at, take, windows, index));
  for (i = p->masks.tails; i > 1; i--, at += step, o += advance) _mm512_mask_storeu_epi8(o, p->masks.store, merge(w, at, take, windows, index));
  row_last(p, d, w, windows, take, index);
}

/* A row of units: unit i, `unit` bytes at d + i*unit, is made at s + at[i]. The first `whole`
 * units are stored as whole vectors, of which the next unit overwrites what is too much; the
 * `tails` units behind them are stored under the mask `store`. */
FN void row_units(const s1_program *p, uint8_t *d, const uint8_t *s, int windows, const __mmask64 *take, __m512i index) {
  const int64_t unit = p->masked_units.unit;
  const int32_t *so = p->masked_units.at;
  const uint8_t *w[S1_WINDOWS] = {0};
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) w[k] = s + p->masked_units.window_at[k];
#define NEXT() ((vec)merge(w, *so++, take, windows, index))
#define PUT(x) (store_here(d, x), d += unit)
  IN_TURNS(p->masked_units.whole, 0, NEXT, PUT);
#undef PUT
#undef NEXT
  for (int64_t i = p->masked_units.tails; i > 0; i--, d += unit) _mm512_mask_storeu_epi8(d, p->masked_units.store, merge(w, *so++, take, windows, index));
}

/* A row with gaps between the elements of the destination: vector i below `count` is made at
 * s + i*step and stored at d + i*advance under the mask `store`, which leaves out the gaps. row_last
 * stores the tail, if there is one. */
FN void row_spread(const s1_program *p, uint8_t *d, const uint8_t *s, int windows, const __mmask64 *take, __m512i index) {
  const int64_t step = p->masks.step, advance = p->masks.advance;
  const __mmask64 kept = p->masks.store;
  const uint8_t *w[S1_WINDOWS] = {0};
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) w[k] = s + p->masks.at[k];
  uint8_t *o = d;
  int64_t at = 0;
  for (int64_t i = p->masks.count; i > 0; i--, at += step, o += advance) _mm512_mask_storeu_epi8(o, kept, merge(w, at, take, windows, index));
  row_last(p, d, w, windows, take, index);
}

/* row_permute by non-temporal stores. `advance` must be V, and a period 1 << grain bytes, which
 * take `unit` bytes of the source. */
FN void row_permute_nt(const s1_program *p, uint8_t *d, const uint8_t *s, int windows, const __mmask64 *take, __m512i index, horizon h) {
  const int64_t n = p->masks.last_dst + V, unit = p->masks.per_grain, per_line = h.ahead ? (S1_LINE >> p->masks.grain) * unit : 0;
  const int grain = p->masks.grain;
  const uint8_t *w[S1_WINDOWS] = {0};
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) w[k] = s + p->masks.at[k];
#define VECTOR(x) (vec) merge(w, ((x) >> grain) * unit, take, windows, index)
#define FETCH(x) fetch_line(s + ((x) >> grain) * unit, per_line, h)
  NT_ROW(d, n, grain, unit < 0, VECTOR, VECTOR, FETCH);
#undef FETCH
#undef VECTOR
}

/* Copies `windows` masks to `take`, and returns the index loaded. */
FN __m512i load_masks(const uint64_t *from, const uint8_t *index, int windows, __mmask64 *take) {
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) take[k] = from[k];
  return _mm512_loadu_si512(index);
}

FN void run_permute(const s1_program *p, uint8_t *dst, const uint8_t *src, int windows) {
  __mmask64 take[S1_WINDOWS] = {0};
  const __m512i index = load_masks(p->masks.take, p->masks.index, windows, take);
  ONE_OR_EACH_ROW(p, dst, src, row_permute(p, d, s, windows, take, index));
}

FN void run_spread(const s1_program *p, uint8_t *dst, const uint8_t *src, int windows) {
  __mmask64 take[S1_WINDOWS] = {0};
  const __m512i index = load_masks(p->masks.take, p->masks.index, windows, take);
  EACH_ROW(p, dst, src, row_spread(p, d, s, windows, take, index));
}

FN void run_units_permute(const s1_program *p, uint8_t *dst, const uint8_t *src, int windows) {
  __mmask64 take[S1_WINDOWS] = {0};
  const __m512i index = load_masks(p->masked_units.take, p->masked_units.index, windows, take);
  EACH_ROW(p, dst, src, row_units(p, d, s, windows, take, index));
}

FN void run_permute_nt(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  const int windows = p->masks.windows;
  __mmask64 take[S1_WINDOWS] = {0};
  const __m512i index = load_masks(p->masks.take, p->masks.index, windows, take);
  const horizon h = horizon_of(p, src);
  EACH_ROW(p, dst, src, row_permute_nt(p, d, s, windows, take, index, h));
  fence_nt();
}

/* clang-format off */
#define FOUR(X, form)                                                           \
  X(form##1, run_##form(p, dst, src, 1)) X(form##2, run_##form(p, dst, src, 2)) \
  X(form##3, run_##form(p, dst, src, 3)) X(form##4, run_##form(p, dst, src, 4))
#define EIGHT(X, form)                                                          \
  FOUR(X, form)                                                                 \
  X(form##5, run_##form(p, dst, src, 5)) X(form##6, run_##form(p, dst, src, 6)) \
  X(form##7, run_##form(p, dst, src, 7)) X(form##8, run_##form(p, dst, src, 8))
#define LOOPS(X)                                               \
  X86_LOOPS(X)                                                 \
  EIGHT(X, permute) X(permute_nt, run_permute_nt(p, dst, src)) \
  EIGHT(X, spread) FOUR(X, units_permute)
/* clang-format on */

#include "loops.h"
