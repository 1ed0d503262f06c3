/* neon.h - the loops for NEON: vectors of one 16-byte lane. One lookup picks the bytes of a vector
 * out of up to four windows (form lanes; two lookups for up to eight), or permutes a vector that
 * several windows were merged into (form bytes). */
#include "program.h"

#include <arm_neon.h>

#define ISA
#define SET neon
#define V 16
#define HAS_MASKS 0
#define HAS_PAIRED_PIECES 0

#include "vec.h"

/* A row of a tile: one lane of 16 bytes, so that nothing is `apart`. */
typedef uint8x16_t piece;

/* The 16 bytes at s. */
FN piece load_piece(const uint8_t *s, int64_t apart) {
  (void)apart;
  return vld1q_u8(s);
}

/* The bytes that `pick` picks out of window k of p, each in a number of 32 bits. */
FN vec picked(const uint8_t *s, const s1_picks *p, int k, vec pick) { return vqtbl1q_u8(vld1q_u8(s + p->at[k]), pick); }

/* 16 bytes of the elements of w bytes at s, s + 2*w, s + 4*w, ... Loads no byte behind the last of
 * these elements. */
FN piece load_every2(const uint8_t *s, int64_t apart, int w) {
  const piece a = load_piece(s, apart), b = load_piece(s + 16 - w, apart);
  switch (w) {
    case 1: return vuzp1q_u8(a, vextq_u8(b, b, 1));
    case 2: return (piece)vuzp1q_u16((uint16x8_t)a, (uint16x8_t)vextq_u8(b, b, 2));
    case 4: return (piece)vuzp1q_u32((uint32x4_t)a, (uint32x4_t)vextq_u8(b, b, 4));
    default: return (piece)vcopyq_laneq_u64((uint64x2_t)a, 1, (uint64x2_t)b, 1);
  }
}

#define ZIP(n, type, a, b, high) (high ? (piece)vzip2q_u##n((type)(a), (type)(b)) : (piece)vzip1q_u##n((type)(a), (type)(b)))

/* Interleaves elements of w bytes of a and b: those of the low 8 bytes, or of the high 8 bytes if
 * `high`. */
FN piece zip(piece a, piece b, int w, int high) {
  switch (w) {
    case 1: return ZIP(8, uint8x16_t, a, b, high);
    case 2: return ZIP(16, uint16x8_t, a, b, high);
    case 4: return ZIP(32, uint32x4_t, a, b, high);
    default: return ZIP(64, uint64x2_t, a, b, high);
  }
}
#undef ZIP

#include "rows.h"
#include "gather.h"
#include "tile.h"

/* Returns the bytes that `index` picks out of the windows at w[0] + at to w[n-1] + at, for n from 1
 * to 4. Byte b of window k has index 16*k + b; an index of 16*n or more gives 0. */
FN vec lookup(const uint8_t *const *w, int64_t at, int n, uint8x16_t index) {
  switch (n) {
    case 1: return vqtbl1q_u8(vld1q_u8(w[0] + at), index);
    case 2: return vqtbl2q_u8((uint8x16x2_t){{vld1q_u8(w[0] + at), vld1q_u8(w[1] + at)}}, index);
    case 3: return vqtbl3q_u8((uint8x16x3_t){{vld1q_u8(w[0] + at), vld1q_u8(w[1] + at), vld1q_u8(w[2] + at)}}, index);
    default: return vqtbl4q_u8((uint8x16x4_t){{vld1q_u8(w[0] + at), vld1q_u8(w[1] + at), vld1q_u8(w[2] + at), vld1q_u8(w[3] + at)}}, index);
  }
}

/* Returns the bytes of y where mask is 0xff, and those of x where it is 0. This is no intrinsic,
 * since clang makes three instructions of it where the mask is kept for all of a loop. */
FN vec merge(vec x, vec y, vec mask) {
  __asm__("bit %0.16b, %1.16b, %2.16b" : "+w"(x) : "w"(y), "w"(mask));
  return x;
}

FN vec select_bytes(const uint8_t *const all[VEC_LANES][S1_WINDOWS], int64_t at, int form, int windows, const tables *t) {
  const uint8_t *const *const w = all[0];
  if (form == S1_lanes) return windows <= 4 ? lookup(w, at, windows, t->pick[0]) : lookup(w, at, 4, t->pick[0]) | lookup(w + 4, at, windows - 4, t->pick[1]);
  vec x = load(w[0] + at);
  EACH_WINDOW(1, windows, x = merge(x, load(w[k] + at), t->pick[k]));
  return vqtbl1q_u8(x, t->perm[0]);
}

/* Returns elements 0, 2, 4, ... of w bytes of a, and then those of b. */
FN vec evens(vec a, vec b, int w) {
  switch (w) {
    case 1: return vuzp1q_u8(a, b);
    case 2: return (vec)vuzp1q_u16((uint16x8_t)a, (uint16x8_t)b);
    case 4: return (vec)vuzp1q_u32((uint32x4_t)a, (uint32x4_t)b);
    default: return (vec)vuzp1q_u64((uint64x2_t)a, (uint64x2_t)b);
  }
}

/* Loads whole vectors, also behind the last element. */
FN vec select_every(const uint8_t *s, int form, int w) {
  const vec x = evens(load(s), load(s + V), w);
  return form == S1_every2 ? x : evens(x, evens(load(s + 2 * V), load(s + 3 * V), w), w);
}

FN void tail_vector(uint8_t *d, const uint8_t *s, const s1_vector *v, int lanes) {
  vec x = vdupq_n_u8(0);
  (void)lanes;
  for (int k = 0; k < v->windows; k += 4) {
    const int32_t *at = v->at[0] + k;
    const uint8_t *const w[4] = {s + at[0], s + at[1], s + at[2], s + at[3]};
    x |= lookup(w, 0, 4, load(v->pick[k / 4]));
  }
  store(d, x);
}

#include "shuffle.h"

/* What makes a row: the tables of its main vectors, unless the form is every2 or every4, which need
 * none, and, if `ends` is set, those of the tail that ends the row, which the compiler can keep in
 * registers, too. Those of the `tails` other tails are loaded where they are used. */
typedef struct {
  tables main;
  vec last;
  int64_t last_at[4], last_dst;
  int64_t count, step, advance;
  int tails, ends;
} recipe;

FN recipe recipe_of(const s1_program *p, int form, int windows) {
  const s1_windows *b = &p->windows;
  recipe r = {.count = b->count, .tails = b->tails};
  if (!IS_EVERY(form)) {
    load_tables(&b->main, windows, &r.main);
    r.step = b->step, r.advance = b->advance;
  }
  const int most = windows <= 2 ? 2 : 4;
  const s1_tail *t = &b->tail[b->tails ? b->tails - 1 : 0];
  if (IS_EVERY(form) || (b->tails && t->vector.windows <= most)) {
    r.tails--;
    r.ends = 1;
    r.last_dst = t->dst;
    r.last = load(t->vector.pick[0]);
#pragma GCC unroll 4
    for (int k = 0; k < most; k++) r.last_at[k] = t->src + t->vector.at[0][k];
  }
  return r;
}

/* Makes the compiler keep x in a register and forget how it was computed. Otherwise it would keep the
 * address of each window of each of four vectors in a register of its own. */
#define HOLD(x) __asm__("" : "+r"(x))

FN void row_main(uint8_t *o, const uint8_t *s, int form, int windows, const recipe *r) {
  const int64_t step = r->step, advance = r->advance;
  const uint8_t *w[VEC_LANES][S1_WINDOWS] = {{0}};
  EACH_WINDOW(0, windows, {
    w[0][k] = s + r->main.at[0][k];
    HOLD(w[0][k]);
  });
  int64_t i = r->count, at = 0;
#define VECTOR(x)                                             \
  const vec x = select_bytes(w, at, form, windows, &r->main); \
  at += step;                                                 \
  HOLD(at)
#define PUT(x)  \
  store(o, x);  \
  o += advance; \
  HOLD(o)
  if (windows <= 4) /* for more windows, one vector at a time: it takes most of the registers */
    for (; i >= 4; i -= 4) {
      /* clang-format off */
      VECTOR(a); VECTOR(b); VECTOR(c); VECTOR(e);
      PUT(a); PUT(b); PUT(c); PUT(e);
      /* clang-format on */
    }
#pragma GCC unroll 1
  for (; i > 0; i--) {
    VECTOR(a);
    PUT(a);
  }
#undef PUT
#undef VECTOR
}

/* A row: main vector i is made at s + i*step and stored at d + i*advance, and the tails follow. If the
 * form is every2 or every4, `variant` is the width of an element, else the number of windows. */
FN void row_shuffle(const s1_program *p, uint8_t *d, const uint8_t *s, int form, int variant, const recipe *r) {
  const int windows = IS_EVERY(form) ? EVERY_OF(form) : variant;
  if (IS_EVERY(form)) {
    row_every(d, s, r->count, form, variant);
  } else {
    row_main(d, s, form, windows, r);
    if (r->tails) row_tails(p, r->tails, d, s);
  }
  if (IS_EVERY(form) || r->ends) {
    const uint8_t *const w[4] = {s + r->last_at[0], s + r->last_at[1], s + r->last_at[2], s + r->last_at[3]};
    store(d + r->last_dst, lookup(w, 0, windows <= 2 ? 2 : 4, r->last));
  }
}

FN void run_windows(const s1_program *p, uint8_t *dst, const uint8_t *src, int form, int variant) {
  const recipe r = recipe_of(p, form, IS_EVERY(form) ? EVERY_OF(form) : variant);
  ONE_OR_EACH_ROW(p, dst, src, row_shuffle(p, d, s, form, variant, &r));
}

#define SET_STREAM 0

/* clang-format off */
#define WINDOWS(X, form, n) X(form##n, form, n, n, run_windows(p, dst, src, S1_##form, n))
#define SIX(X, form) \
  WINDOWS(X, form, 3) WINDOWS(X, form, 4) WINDOWS(X, form, 5) WINDOWS(X, form, 6) WINDOWS(X, form, 7) WINDOWS(X, form, 8)
#define EVERY(X, form, w) X(form##_##w, form, w, w, run_windows(p, dst, src, S1_##form, w))
#define UNITS(X, n) X(units_lanes##n, units_lanes, n, n, run_units(p, dst, src, S1_lanes, n))
#define LOOPS(X)                                                                    \
  X(copy, copy, 0, 0, run_copy(p, dst, src)) X(tile, tile, 0, 0, run_tile(p, dst, src)) \
  X(gather, gather, 0, 0, run_gather(p, dst, src)) X(element, element, 0, 0, run_element(p, dst, src)) \
  WINDOWS(X, lanes, 1) WINDOWS(X, lanes, 2) SIX(X, lanes) SIX(X, bytes)            \
  EVERY(X, every2, 1) EVERY(X, every2, 2) EVERY(X, every2, 4) EVERY(X, every2, 8)   \
  EVERY(X, every4, 1) EVERY(X, every4, 2) EVERY(X, every4, 4)                       \
  UNITS(X, 1) UNITS(X, 2)
#define STREAMS(X)
#define SHARED(X)
/* clang-format on */

#include "loops.h"
