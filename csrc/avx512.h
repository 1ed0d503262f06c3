/* avx512.h - the loops for AVX-512 with VBMI. To make a vector from windows, they load 64 bytes of
 * each window under a mask, which merges the windows, and permute the bytes. A byte that a mask
 * leaves out is not accessed. Where neither masks nor vectors of 64 bytes are faster, there is no
 * loop, and kernel avx512 runs AVX2's. */
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

#include "vec.h"
#include "x86.h"

FN void store_nt(uint8_t *d, vec v) { _mm512_stream_si512((__m512i *)d, (__m512i)v); }

/* The bytes that `pick` picks out of window k of p, each in a number of 32 bits. */
FN vec picked(const uint8_t *s, const s1_picks *p, int k, vec pick) {
  return (vec)_mm512_maskz_permutexvar_epi8(0x1111111111111111, (__m512i)pick, (__m512i)load(s + p->at[k]));
}

/* Functions for ycbcr.h. */
FN words high(words a, words b) { return (words)_mm512_mulhi_epi16((__m512i)a, (__m512i)b); }
FN parts mean(parts a, parts b) { return (parts)_mm512_avg_epu16((__m512i)a, (__m512i)b); }
FN vec interleaved(words a, words b) {
  static const uint8_t in_turns[V] = {
#define LANE(n) n, n + 8, n + 1, n + 9, n + 2, n + 10, n + 3, n + 11, n + 4, n + 12, n + 5, n + 13, n + 6, n + 14, n + 7, n + 15
      LANE(0), LANE(16), LANE(32), LANE(48)};
#undef LANE
  return (vec)_mm512_permutexvar_epi8((__m512i)load(in_turns), _mm512_packus_epi16((__m512i)a, (__m512i)b));
}
FN void store_pixels(uint8_t *d, vec r, vec g, vec b, vec a) {
  static const uint8_t each4[V] = {
#define LANE(n) n, n, n, n, n + 1, n + 1, n + 1, n + 1, n + 2, n + 2, n + 2, n + 2, n + 3, n + 3, n + 3, n + 3
      LANE(0), LANE(4), LANE(8), LANE(12)};
#undef LANE
  const uint64_t red = 0x1111111111111111;
#pragma GCC unroll 4
  for (int quarter = 0; quarter < 4; quarter++) {
    const __m512i at = (__m512i)(load(each4) + (uint8_t)(quarter * 16));
    store(d + quarter * V, (vec)_mm512_maskz_permutexvar_epi8(red, at, (__m512i)r) | (vec)_mm512_maskz_permutexvar_epi8(red << 1, at, (__m512i)g) |
                               (vec)_mm512_maskz_permutexvar_epi8(red << 2, at, (__m512i)b) | (vec)_mm512_maskz_permutexvar_epi8(red << 3, at, (__m512i)a));
  }
}

#include "rows.h"
#include "stream.h"

/* Merges the windows at w[k] + at, for each k below `windows`: mask take[k] says which bytes window
 * k gives. Returns the merged bytes permuted: byte j of the result is their byte index[j]. */
FN vec merge(const uint8_t *const *w, int64_t at, const __mmask64 *take, int windows, vec index) {
  __m512i x = _mm512_maskz_loadu_epi8(take[0], w[0] + at);
  EACH_WINDOW(1, windows, x = _mm512_mask_loadu_epi8(x, take[k], w[k] + at));
  return (vec)_mm512_permutexvar_epi8((__m512i)index, x);
}

FN vec quarters(vec a, vec b, int n) {
  static const uint8_t ones[2 * V] = {[0 ... V - 1] = 0xff};
  const vec kept = load(ones + (4 - n) * (V / 4));
  return (a & kept) | (b & ~kept);
}

/* An index that brings a quarter of a vector q quarters further down than x does. */
FN vec turn(vec x, int q) {
  uint8_t places[V];
  for (int i = 0; i < V; i++) places[i] = (uint8_t)((i + q * (V / 4)) % V);
  return (vec)_mm512_permutexvar_epi8((__m512i)load(places), (__m512i)x);
}

/* A row: vector i is made at s + i*step by the index turned[0], and stored at d + i*advance.
 * turned[k] is that index turned down by k quarters, for vectors of one window. The first `count`
 * vectors are stored whole. The tails behind them are stored under the mask `store`, which also
 * leaves out gaps of the destination. The last tail may overlap the vector before it. */
FN void row_permute(const s1_program *p, uint8_t *d, const uint8_t *s, int windows, const __mmask64 *take, const vec *turned) {
  const int64_t step = p->masks.step, advance = p->masks.advance;
  const __mmask64 part = p->masks.store;
  const uint8_t *w[S1_WINDOWS] = {0};
  EACH_WINDOW(0, windows, w[k] = s + p->masks.at[k]);
  uint8_t *o = d;
  int64_t at = 0, i = p->masks.count;
#define TURNED(at, k) merge(w, at, take, windows, turned[k])
#define MAKE(at) TURNED(at, 0)
  if (windows == 1 && advance == 3 * V / 4) IN_FOURS(i, o, at, step, TURNED);
  EACH_VECTOR(i, windows, o, advance, at, step, MAKE);
  for (i = p->masks.tails - 1; i > 0; i--, at += step, o += advance) _mm512_mask_storeu_epi8(o, part, (__m512i)MAKE(at));
  if (p->masks.tails) _mm512_mask_storeu_epi8(d + p->masks.last_dst, part, (__m512i)MAKE(p->masks.last_src));
#undef MAKE
#undef TURNED
}

/* A row of units: unit i has `unit` bytes at d + i*unit, and is made at s + at[i]. The first
 * `whole` units are stored as whole vectors, and the next unit overwrites the excess. The `tails`
 * units behind them are stored under the mask `store`. */
FN void row_units(const s1_program *p, uint8_t *d, const uint8_t *s, int windows, const __mmask64 *take, vec index) {
  const int64_t unit = p->masked_units.unit;
  const int32_t *so = p->masked_units.at;
  const uint8_t *w[S1_WINDOWS] = {0};
  EACH_WINDOW(0, windows, w[k] = s + p->masked_units.window_at[k]);
#define MAKE(so) merge(w, *(so), take, windows, index)
  IN_TURNS(p->masked_units.whole, 0, d, unit, so, 1, MAKE);
  for (int64_t i = p->masked_units.tails; i > 0; i--, d += unit) _mm512_mask_storeu_epi8(d, p->masked_units.store, (__m512i)MAKE(so++));
#undef MAKE
}

/* Copies `windows` masks to `take`, and returns the index loaded. */
FN vec load_masks(const uint64_t *from, const uint8_t *index, int windows, __mmask64 *take) {
  EACH_WINDOW(0, windows, take[k] = from[k]);
  return load(index);
}

static __attribute__((noinline)) ISA void vector_lines(const s1_program *p, uint8_t *o, int64_t lines, const uint8_t *s, int64_t from, horizon h) {
  const int windows = between(1, p->masks.windows, S1_WINDOWS);
  __mmask64 take[S1_WINDOWS] = {0};
  const uint8_t *w[S1_WINDOWS] = {0};
  const vec index = load_masks(p->masks.take, p->masks.index, windows, take);
  EACH_WINDOW(0, windows, w[k] = s + p->masks.at[k]);
  EACH_LINE(o, lines, s, from, p->masks.step, h, merge(w, at, take, windows, index));
}

FN void run_permute(const s1_program *p, uint8_t *dst, const uint8_t *src, int windows) {
  __mmask64 take[S1_WINDOWS] = {0};
  vec turned[4] = {load_masks(p->masks.take, p->masks.index, windows, take)};
  for (int k = 1; k < 4; k++) turned[k] = turn(turned[0], k);
  ONE_OR_EACH_ROW(p, dst, src, row_permute(p, d, s, windows, take, turned));
}

FN void run_units_permute(const s1_program *p, uint8_t *dst, const uint8_t *src, int windows) {
  __mmask64 take[S1_WINDOWS] = {0};
  const vec index = load_masks(p->masked_units.take, p->masked_units.index, windows, take);
  EACH_ROW(p, dst, src, row_units(p, d, s, windows, take, index));
}

#define RUN(form, windows)                                     \
  do {                                                         \
    if (form == S1_permute) run_permute(p, dst, src, windows); \
    else run_units_permute(p, dst, src, windows);              \
  } while (0)
#define STREAMS(X) X(copy_nt, copy, run_copy_nt(p, dst, src))

#include "loops.h"
