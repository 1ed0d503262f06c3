/* plan.h - what the parts of s1_prepare share. */
#ifndef S1_PLAN_H
#define S1_PLAN_H

#include "s1.h"

/* A row as bytes: byte j of it is source byte pattern[j % period] + j / period * advance,
 * counted from the row's first element. */
typedef struct {
  int64_t period, advance, repeat;
  int64_t pattern[S1_PERMUTE];
  int64_t lo, hi; /* the row's span: its first source byte and the one past its last */
  int64_t element; /* what an element costs without a shuffle, 1/S1_CYCLE of a cycle */
} s1_row;

/* A row of units, each the period of `one`, from source bytes at[0], at[1], ...;
 * of the `outer` loops around it the innermost is `around`. */
typedef struct {
  s1_row one;
  int32_t count, at[S1_UNITS];
  int outer;
  s1_dim around;
} s1_units;

static inline int64_t source_of(const s1_row *r, int64_t j) {
  return r->pattern[j % r->period] + j / r->period * r->advance;
}

/* Whether windows are best found from a vector's highest position down. */
static inline int descends(const s1_row *r) {
  return r->advance < 0 || (r->advance == 0 && r->pattern[r->period - 1] < 0);
}

static inline int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

/* a / b rounded up, for b > 0 and any a. */
static inline int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b > 0); }

/* a / b rounded down, for b > 0 and any a. */
static inline int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* Windows that hold some positions between them, each byte of a window at a
 * place no other window's bytes are wanted at: merged, they are one vector. */
typedef struct {
  int32_t windows;
  int32_t at[S1_WINDOWS];
  uint64_t taken[S1_WINDOWS]; /* bit i: byte i of the window is wanted */
} s1_cover;

/* Covers n positions with windows of v bytes, 16, 32 or 64, from the lowest
 * position up, or from the highest down. Reports success. */
int s1_cover_positions(const int64_t *pos, int n, int v, int down, s1_cover *c);

/* The byte of the merged windows that is position pos of a cover. */
int s1_place(const s1_cover *c, int v, int64_t pos);

/* Makes the shuffle of a row and reports success; if not, the windows needed
 * are too many or gathering elements of this width is as good. */
int s1_prepare_shuffle(const s1_row *row, int width, const s1_target *target, s1_prog *prog);
int s1_prepare_permute(const s1_row *row, int width, s1_prog *prog);
int s1_prepare_units(const s1_units *u, int width, const s1_target *target, s1_prog *prog);
int s1_prepare_permute_units(const s1_units *u, s1_prog *prog);

/* The same for an innermost loop with gaps between destination elements. */
int s1_prepare_spread(const s1_dim *inner, int width, s1_prog *prog);

/* Costs are in units of which this many are a cycle. */
enum { S1_CYCLE = 64 * 12 };

/* Gathering costs about a load and an insertion per element. */
static inline int64_t gather_cost(int64_t vector, int width) { return S1_CYCLE * 7 / 12 * vector / width; }

#endif
