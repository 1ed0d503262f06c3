//go:build cgo && !purego && arm64

/* neon.c - the kernels for NEON: vectors of one 16-byte lane, and lookups that
 * span up to four windows. */
#include "s1.h"

#include <arm_neon.h>

#define ISA
#define V 16

#define FORMS(X) \
  X(lanes, 1) X(lanes, 2) X(lanes, 3) X(lanes, 4) X(lanes, 5) X(lanes, 6) X(lanes, 7) X(lanes, 8)

#include "vec.h"

/* One lookup in the n <= 4 windows w[0..n) + at. */
FN uint8x16_t lookup(const uint8_t *const *w, int64_t at, int n, uint8x16_t index) {
  switch (n) {
    case 1: return vqtbl1q_u8(vld1q_u8(w[0] + at), index);
    case 2: return vqtbl2q_u8((uint8x16x2_t){{vld1q_u8(w[0] + at), vld1q_u8(w[1] + at)}}, index);
    case 3: return vqtbl3q_u8((uint8x16x3_t){{vld1q_u8(w[0] + at), vld1q_u8(w[1] + at), vld1q_u8(w[2] + at)}}, index);
    default: return vqtbl4q_u8((uint8x16x4_t){{vld1q_u8(w[0] + at), vld1q_u8(w[1] + at), vld1q_u8(w[2] + at), vld1q_u8(w[3] + at)}}, index);
  }
}

FN vec select_bytes(const uint8_t *const w[2][S1_WINDOWS], int64_t at, int form, int windows, const tables *t) {
  (void)form;
  if (windows <= 4) return (vec)lookup(w[0], at, windows, (uint8x16_t)t->pick[0]);
  return (vec)vorrq_u8(lookup(w[0], at, 4, (uint8x16_t)t->pick[0]), lookup(w[0] + 4, at, windows - 4, (uint8x16_t)t->pick[1]));
}

FN vec select_every(const uint8_t *s, int form, int w, int ends) {
  (void)form, (void)w, (void)ends;
  return load(s);
}

FN void edge_vector(uint8_t *d, const uint8_t *s, const s1_vector *v, int lanes) {
  (void)lanes;
  uint8x16_t x = vdupq_n_u8(0);
  for (int k = 0; k < v->windows; k += 4) {
    const uint8_t *const w[4] = {s + v->at[0][k], s + v->at[0][k + 1], s + v->at[0][k + 2], s + v->at[0][k + 3]};
    x = vorrq_u8(x, lookup(w, 0, 4, vld1q_u8(v->pick[k / 4])));
  }
  vst1q_u8(d, x);
}

#include "rows.h"
#include "shuffle.h"
#include "loops.h"

const s1_isa s1_neon = {"neon", {.vector = V, .table = 1}, run_loop};
