//go:build cgo && !purego && arm64

/* neon.c - the kernels for NEON: vectors of one 16-byte lane, made by a lookup in
 * up to four windows, or in one that several were merged into. */
#include "s1.h"

#include <arm_neon.h>

#define ISA
#define V 16

#define FORMS(X)                                                                                         \
  X(lanes, 1) X(lanes, 2) X(lanes, 3) X(lanes, 4) X(lanes, 5) X(lanes, 6) X(lanes, 7) X(lanes, 8)        \
  X(inlane, 3) X(inlane, 4) X(inlane, 5) X(inlane, 6) X(inlane, 7) X(inlane, 8)                          \
  X(every2, 1) X(every2, 2) X(every2, 4) X(every2, 8) X(every4, 1) X(every4, 2) X(every4, 4)

#include "vec.h"
#include "rows.h"
#include "tile.h"

/* One lookup in the n <= 4 windows w[0..n) + at. */
FN vec lookup(const uint8_t *const *w, int64_t at, int n, uint8x16_t index) {
  switch (n) {
    case 1: return vqtbl1q_u8(vld1q_u8(w[0] + at), index);
    case 2: return vqtbl2q_u8((uint8x16x2_t){{vld1q_u8(w[0] + at), vld1q_u8(w[1] + at)}}, index);
    case 3: return vqtbl3q_u8((uint8x16x3_t){{vld1q_u8(w[0] + at), vld1q_u8(w[1] + at), vld1q_u8(w[2] + at)}}, index);
    default: return vqtbl4q_u8((uint8x16x4_t){{vld1q_u8(w[0] + at), vld1q_u8(w[1] + at), vld1q_u8(w[2] + at), vld1q_u8(w[3] + at)}}, index);
  }
}

/* What a shuffle's vectors are made by, held in registers: the main ones and, if
 * ends, the edge that ends a row; `edges` others are not. */
typedef struct {
  vec pick[S1_WINDOWS], perm, last;
  int64_t at[S1_WINDOWS], last_at[4], last_dst;
  int64_t vectors, step, advance;
  int edges, ends;
} recipe;

FN void hold_vector(recipe *r, const s1_vector *v, int windows) {
  r->perm = load(v->perm[0]);
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) {
    r->pick[k] = load(v->pick[k]);
    r->at[k] = v->at[0][k];
  }
}

FN recipe recipe_of(const s1_prog *p, int form, int windows) {
  recipe r = {.vectors = p->vectors, .edges = p->edges};
  if (!S1_IS_EVERY(form)) {
    hold_vector(&r, &p->main, windows);
    r.step = p->step, r.advance = p->advance;
  }
  const int most = windows <= 2 ? 2 : 4;
  const s1_edge *e = &p->edge[p->edges ? p->edges - 1 : 0];
  if (S1_IS_EVERY(form) || (p->edges && e->v.windows <= most)) {
    r.edges--;
    r.ends = 1;
    r.last_dst = e->dst;
    r.last = load(e->v.pick[0]);
#pragma GCC unroll 4
    for (int k = 0; k < most; k++) r.last_at[k] = e->src + e->v.at[0][k];
  }
  return r;
}

/* The bytes of y where mask is set, else those of x. Of the intrinsic, clang makes
 * three instructions where the mask outlives a loop. */
FN vec merge(vec x, vec y, vec mask) {
  __asm__("bit %0.16b, %1.16b, %2.16b" : "+w"(x) : "w"(y), "w"(mask));
  return x;
}

FN vec shuffled(const uint8_t *const *w, int64_t at, int form, int windows, const recipe *r) {
  if (form == S1_form_lanes)
    return windows <= 4 ? lookup(w, at, windows, r->pick[0]) : lookup(w, at, 4, r->pick[0]) | lookup(w + 4, at, windows - 4, r->pick[1]);
  vec x = load(w[0] + at);
#pragma GCC unroll 8
  for (int k = 1; k < windows; k++) x = merge(x, load(w[k] + at), r->pick[k]);
  return vqtbl1q_u8(x, r->perm);
}

/* Leaves x in a register of its own, whatever sum the compiler knows it to be: it
 * would keep one for each vector and window. */
#define HOLD(x) __asm__("" : "+r"(x))

FN void main_shuffled(uint8_t *o, const uint8_t *s, int form, int windows, const recipe *r) {
  const int64_t step = r->step, advance = r->advance;
  const uint8_t *w[S1_WINDOWS] = {0};
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) {
    w[k] = s + r->at[k];
    HOLD(w[k]);
  }
  int64_t i = r->vectors, at = 0;
#define VECTOR()                                \
  store(o, shuffled(w, at, form, windows, r));  \
  at += step;                                   \
  HOLD(at);                                     \
  o += advance;                                 \
  HOLD(o)
  if (windows <= 4) /* of more windows, one vector takes long and most registers */
    for (; i >= 4; i -= 4) {
      VECTOR();
      VECTOR();
      VECTOR();
      VECTOR();
    }
#pragma GCC unroll 1
  for (; i > 0; i--) {
    VECTOR();
  }
#undef VECTOR
}

/* The even elements of w bytes of a and b. */
FN vec evens(vec a, vec b, int w) {
  switch (w) {
    case 1: return vuzp1q_u8(a, b);
    case 2: return (vec)vuzp1q_u16((uint16x8_t)a, (uint16x8_t)b);
    case 4: return (vec)vuzp1q_u32((uint32x4_t)a, (uint32x4_t)b);
    default: return (vec)vuzp1q_u64((uint64x2_t)a, (uint64x2_t)b);
  }
}

/* Every k-th element of w bytes of k vectors, k being 2 or 4. */
FN vec every(const uint8_t *s, int k, int w) {
  const vec x = evens(load(s), load(s + V), w);
  return k == 2 ? x : evens(x, evens(load(s + 2 * V), load(s + 3 * V), w), w);
}

FN void main_every(uint8_t *o, const uint8_t *s, int64_t vectors, int k, int w) {
  for (; vectors >= 4; vectors -= 4, o += 4 * V, s += 4 * k * V) {
    vec a = every(s, k, w), b = every(s + k * V, k, w);
    store(o, a), store(o + V, b);
    a = every(s + 2 * k * V, k, w), b = every(s + 3 * k * V, k, w);
    store(o + 2 * V, a), store(o + 3 * V, b);
  }
#pragma GCC unroll 1
  for (; vectors > 0; vectors--, o += V, s += k * V) store(o, every(s, k, w));
}

/* The first `edges` edges of the row at d. */
static __attribute__((noinline)) void row_edges(const s1_prog *p, int edges, uint8_t *d, const uint8_t *s) {
  for (const s1_edge *e = p->edge; e < p->edge + edges; e++) {
    vec x = vdupq_n_u8(0);
    for (int k = 0; k < e->v.windows; k += 4) {
      const int32_t *at = e->v.at[0] + k;
      const uint8_t *const from = s + e->src, *const w[4] = {from + at[0], from + at[1], from + at[2], from + at[3]};
      x |= lookup(w, 0, 4, load(e->v.pick[k / 4]));
    }
    store(d + e->dst, x);
  }
}

/* for (j = 0; j < n; j++) d[j] = s[pattern[j % period] + j / period * advance] */
FN void row_shuffle(const s1_prog *p, uint8_t *d, const uint8_t *s, int form, int variant, const recipe *r) {
  const int windows = S1_IS_EVERY(form) ? S1_EVERY(form) : variant;
  if (S1_IS_EVERY(form)) {
    main_every(d, s, r->vectors, windows, variant);
  } else {
    main_shuffled(d, s, form, windows, r);
    if (r->edges) row_edges(p, r->edges, d, s);
  }
  if (S1_IS_EVERY(form) || r->ends) {
    const uint8_t *const w[4] = {s + r->last_at[0], s + r->last_at[1], s + r->last_at[2], s + r->last_at[3]};
    store(d + r->last_dst, lookup(w, 0, windows <= 2 ? 2 : 4, r->last));
  }
}

/* for (i = 0; i < units; i++) for (j = 0; j < unit; j++) d[i * unit + j] = s[unit_at[i] + pattern[j]] */
FN void row_units(const s1_prog *p, uint8_t *d, const uint8_t *s, int form, int windows, const recipe *r) {
  const int64_t unit = p->advance;
  const int32_t *const at = p->unit_at;
  const uint8_t *w[S1_WINDOWS] = {0};
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) w[k] = s + r->at[k];
  int64_t i = 0;
  for (const uint16_t *alone = p->alone;; alone++) {
    const int64_t stop = *alone;
#pragma GCC unroll 2
    for (; i < stop; i++, d += unit) store(d, shuffled(w, at[i], form, windows, r));
    if (i == p->units) return;
    unit_elements(p, d, s + at[i]);
    i++, d += unit;
  }
}

FN void run_shuffle(const s1_prog *p, uint8_t *dst, const uint8_t *src, int form, int variant) {
  if (!S1_IS_EVERY(form) && variant <= S1_UNIT_WINDOWS && p->units) {
    recipe r = {0};
    hold_vector(&r, &p->each, variant);
    EACH_ROW(p, dst, src, row_units(p, d, s, form, variant, &r));
    return;
  }
  const recipe r = recipe_of(p, form, S1_IS_EVERY(form) ? S1_EVERY(form) : variant);
  ONE_OR_EACH_ROW(p, dst, src, row_shuffle(p, d, s, form, variant, &r));
}

#include "loops.h"

const s1_isa s1_neon = {"neon", {.vector = V, .table = 1}, run_loop};
