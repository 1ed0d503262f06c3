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
#define HAS_STREAMS 1

#include "vec.h"
#include "x86.h"

FN void store_nt(uint8_t *d, vec v) { _mm512_stream_si512((__m512i *)d, (__m512i)v); }

/* The bytes that `pick` picks out of window k of p, each in a number of 32 bits. */
FN vec picked(const uint8_t *s, const s1_picks *p, int k, vec pick) {
  return (vec)_mm512_maskz_permutexvar_epi8(0x1111111111111111, (__m512i)pick, (__m512i)load(s + p->at[k]));
}

/* Functions for ycbcr.h. */
FN words high(words a, words b) { return (words)_mm512_mulhi_epi16((__m512i)a, (__m512i)b); }
FN vec interleaved(words a, words b) {
  static const uint8_t interleave[V] = {
#define LANE(n) n, n + 8, n + 1, n + 9, n + 2, n + 10, n + 3, n + 11, n + 4, n + 12, n + 5, n + 13, n + 6, n + 14, n + 7, n + 15
      LANE(0), LANE(16), LANE(32), LANE(48)};
#undef LANE
  return (vec)_mm512_permutexvar_epi8((__m512i)load(interleave), _mm512_packus_epi16((__m512i)a, (__m512i)b));
}
FN void store_pixels(uint8_t *d, vec r, vec g, vec b, vec a) {
  static const uint8_t fourfold[V] = {
#define LANE(n) n, n, n, n, n + 1, n + 1, n + 1, n + 1, n + 2, n + 2, n + 2, n + 2, n + 3, n + 3, n + 3, n + 3
      LANE(0), LANE(4), LANE(8), LANE(12)};
#undef LANE
  const uint64_t red = 0x1111111111111111;
#pragma GCC unroll 4
  for (int quarter = 0; quarter < 4; quarter++) {
    const __m512i order = (__m512i)(load(fourfold) + (uint8_t)(quarter * 16));
    store(d + quarter * V, (vec)_mm512_maskz_permutexvar_epi8(red, order, (__m512i)r) | (vec)_mm512_maskz_permutexvar_epi8(red << 1, order, (__m512i)g) |
                               (vec)_mm512_maskz_permutexvar_epi8(red << 2, order, (__m512i)b) |
                               (vec)_mm512_maskz_permutexvar_epi8(red << 3, order, (__m512i)a));
  }
}

/* Functions for decoders.h. */
FN words widened(half v) { return (words)_mm512_cvtepu8_epi16((__m256i)v); }
FN words high_rounded(words a, words b) { return (words)_mm512_mulhrs_epi16((__m512i)a, (__m512i)b); }
FN vec zip(vec a, vec b, int w, int high) {
  (void)w; /* 2 */
  return (vec)(high ? _mm512_unpackhi_epi16((__m512i)a, (__m512i)b) : _mm512_unpacklo_epi16((__m512i)a, (__m512i)b));
}
FN ints word_pairs(words a, words b) { return (ints)_mm512_madd_epi16((__m512i)a, (__m512i)b); }
FN words narrowed(ints a, ints b) { return (words)_mm512_packs_epi32((__m512i)a, (__m512i)b); }

#include "rows.h"
#include "stream.h"

/* The vector at `offset`: its windows merged, and permuted by an index. r->mask[k] says which bytes
 * window k gives, `mask` which bytes the first one at `window` gives. */
FN vec permuted(const recipe *r, const uint8_t *window, uint64_t mask, int64_t offset, vec index, int windows) {
  __m512i x = _mm512_maskz_loadu_epi8(mask, window + offset);
#pragma GCC unroll 8
  for (int k = 1; k < windows; k++) x = _mm512_mask_loadu_epi8(x, r->mask[k], r->window[0][k] + offset);
  return (vec)_mm512_permutexvar_epi8((__m512i)index, x);
}

/* For units, `offset` is the number of a unit. */
FN vec make(const recipe *r, int64_t offset, int form, int variant) {
  if (form == S1_copy) return load(r->window[0][0] + offset);
  return permuted(r, r->window[0][0], r->mask[0], form == S1_units_permute ? r->units[offset] : offset, r->index[0], variant);
}

/* Makes a tail from `offset`. If it has several windows, they are those of other vectors. */
FN __m512i make_tail(const recipe *r, int64_t offset, int windows) {
  return (__m512i)(windows == 1 ? permuted(r, r->tail_window, r->tail_mask, offset, r->tail_index, 1)
                                : permuted(r, r->window[0][0], r->mask[0], offset, r->tail_index, windows));
}

FN vec make_turned(const recipe *r, int64_t offset, int q, int form) {
  (void)form;
  return permuted(r, r->window[0][0], r->mask[0], offset, r->index[q], 1);
}

FN vec quarters(vec a, vec b, int n) {
  static const uint8_t ones[2 * V] = {[0 ... V - 1] = 0xff};
  const vec kept = load(ones + (4 - n) * (V / 4));
  return (a & kept) | (b & ~kept);
}

/* The index x, rotated down by q quarters of a vector. */
FN vec turn(vec x, int q) {
  uint8_t places[V];
  for (int i = 0; i < V; i++) places[i] = (uint8_t)((i + q * (V / 4)) % V);
  return (vec)_mm512_permutexvar_epi8((__m512i)load(places), (__m512i)x);
}

/* How vectors are made that are no tails, and how tails are. */
FN const s1_merged *each_of(const s1_program *p, int form) { return form == S1_units_permute ? &p->masked_units.each : &p->masks.each; }
FN const s1_merged *tail_of(const s1_program *p, int form) { return form == S1_units_permute ? &p->masked_units.tail : &p->masks.tail; }

/* What the vectors of all rows of p share. */
FN recipe make_recipe(const s1_program *p, int form, int windows) {
  const s1_merged *const each = each_of(p, form), *const tail = tail_of(p, form);
  recipe r = {.index = {load(each->index)}, .tail_index = load(tail->index), .tail_mask = tail->take[0], .units = p->masked_units.at};
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) r.mask[k] = each->take[k];
  return r;
}

/* r for a row of p whose source begins at s. */
FN recipe place_recipe(const recipe *r, const s1_program *p, const uint8_t *s, int form, int windows) {
  recipe placed = *r;
  placed.tail_window = s + tail_of(p, form)->at[0];
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) placed.window[0][k] = s + each_of(p, form)->at[k];
  return placed;
}

/* Stores the tails of a row whose windows are several and not those of other vectors. */
OUTLINE void own_tails(const s1_program *p, uint8_t *d, const uint8_t *s) {
  const s1_masks *const m = &p->masks;
  const s1_merged *const t = &m->tail;
  for (int64_t n = m->tails - 1, i = 0; n >= 0; n--, i++) {
    const int64_t from = n ? m->tail_src + i * m->step : m->last_src, to = n ? m->tail_dst + i * m->advance : m->last_dst;
    __m512i x = _mm512_maskz_loadu_epi8(t->take[0], s + from + t->at[0]);
    for (int k = 1; k < t->windows; k++) x = _mm512_mask_loadu_epi8(x, t->take[k], s + from + t->at[k]);
    _mm512_mask_storeu_epi8(d + to, t->store, _mm512_permutexvar_epi8((__m512i)load(t->index), x));
  }
}

/* Stores what follows the whole vectors of a row. The masks also leave out gaps of the destination.
 * The last tail may overlap the vector before it. */
FN void row_tails(const s1_program *p, uint8_t *d, const uint8_t *s, const recipe *r, cursor *c, int form, int windows) {
  const s1_masks *const m = &p->masks;
  const __mmask64 mask = m->each.store;
  for (int64_t n = m->ahead; n > 0; n--, c->offset += c->step, c->d += c->advance)
    _mm512_mask_storeu_epi8(c->d, mask, (__m512i)make(r, c->offset, form, windows));
  if (windows > 1 && m->own) {
    own_tails(p, d, s);
    return;
  }
  const __mmask64 store = m->tail.store;
  c->offset = m->tail_src, c->d = d + m->tail_dst;
  for (int64_t n = m->tails - 1; n > 0; n--, c->offset += c->step, c->d += c->advance) _mm512_mask_storeu_epi8(c->d, store, make_tail(r, c->offset, windows));
  if (m->tails) _mm512_mask_storeu_epi8(d + m->last_dst, store, make_tail(r, m->last_src, windows));
}

/* A row of units: unit i has `unit` bytes at d + i*unit, and is made at s + places[i]. The first
 * `whole` units are stored as whole vectors, and the next unit overwrites the excess. The `tails`
 * units behind them are tails. */
FN void row_units(const s1_program *p, uint8_t *d, const uint8_t *s, const recipe *shared, int form, int windows) {
  const recipe r = place_recipe(shared, p, s, form, windows);
  const s1_masked_units *const u = &p->masked_units;
  cursor c = {d, 0, 1, u->unit};
  make_ahead(&r, &c, u->whole, 0, form, windows);
  for (int64_t i = u->whole, n = i + u->tails; i < n; i++, c.d += c.advance)
    _mm512_mask_storeu_epi8(c.d - u->back, u->tail.store, make_tail(&r, r.units[i], windows));
}

#include "shuffle.h"

OUTLINE void vector_lines(const s1_program *p, cursor c, int64_t lines, const uint8_t *s, prefetcher h) {
  form_lines(p, c, lines, s, h, S1_permute, bounded(1, p->masks.each.windows, S1_WINDOWS));
}

#define STREAMS(X) X(copy)

#include "loops.h"
