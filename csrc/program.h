/* program.h - what Go hands to the loops: program.go in C, field by field.
 *
 * A program is plain data, made ready for one loop of one set of instructions. Offsets
 * and strides are in bytes. The planner, which makes programs, guarantees that every extent is
 * positive, that every element lies in its buffer, that no two destination elements share a
 * byte, and that no destination element shares a byte with a source element. The loops check
 * none of this.
 *
 * Loops store to destination elements alone: to a gap between them they do not even store the
 * value that it has. They may store an element several times, and only the last value is right.
 * They load nothing below the lowest or above the highest source element of a row, but may load
 * the gaps in between. For tiles, the row is all rows of the transposed view.
 */
#ifndef S1_PROGRAM_H
#define S1_PROGRAM_H

#include <assert.h>
#include <stdint.h>

/* Whether what includes this file is compiled for good: with optimization, unless it is to count branches.
 * Before, cgo compiles it without optimization to see what it declares, which takes as long, since gcc then
 * keeps static functions that nothing calls. So the loops are left out there. */
#if defined(__OPTIMIZE__) || defined(S1_NOINLINE)
#define S1_COMPILES 1
#else
#define S1_COMPILES 0
#endif

enum {
  S1_RANK = 8,
  S1_WINDOWS = 8,
  S1_LANE = 16,
  S1_VECTOR = 32,
  S1_PERMUTE = 64,
  S1_LINE = 64,
  S1_TAILS = 4,
  S1_UNITS = 256,
  S1_UNIT_WINDOWS = 2,
  S1_PARAMS = 256,
  S1_PERIOD = 48
};

/* Forms, as in sets.go. The loop of a form and a variant has the number form * S1_VARIANTS + variant. */
enum {
  S1_copy,
  S1_tile,
  S1_narrow,
  S1_folded,
  S1_joined,
  S1_gather,
  S1_element,
  S1_lanes,
  S1_dwords,
  S1_bytes,
  S1_inlane,
  S1_swap,
  S1_cross,
  S1_every2,
  S1_every3,
  S1_every4,
  S1_units_lanes,
  S1_units_dwords,
  S1_units_bytes,
  S1_units_inlane,
  S1_units_cross,
  S1_permute,
  S1_spread,
  S1_units_permute,
  S1_FORMS,
  S1_VARIANTS = 9
};

enum { S1_plain, S1_tiled, S1_windowed, S1_masked, S1_placed, S1_masked_at };

typedef struct {
  int64_t extent, src, dst;
} s1_dim;

typedef struct {
  int64_t distance, reach, begin, length, near;
} s1_prefetch;

typedef struct {
  s1_dim across;
  int64_t band, block;
  s1_dim fold, join;
} s1_tiles;

typedef struct {
  int32_t windows;
  int32_t at[2][S1_WINDOWS];
  uint8_t pick[S1_WINDOWS][S1_VECTOR];
  uint8_t perm[2][S1_VECTOR];
} s1_vector;

typedef struct {
  int64_t src, dst;
  s1_vector vector;
} s1_tail;

typedef struct {
  int64_t count, step, advance, period;
  int32_t tails, tail_lanes;
  s1_vector main;
  s1_tail tail[S1_TAILS];
} s1_windows;

typedef struct {
  int64_t count, step, advance, period;
  int32_t tails, windows;
  int32_t at[S1_WINDOWS];
  uint64_t take[S1_WINDOWS], store;
  int64_t last_src, last_dst;
  uint8_t index[S1_PERMUTE];
} s1_masks;

typedef struct {
  int64_t count, unit;
  s1_vector each;
  int32_t element[S1_VECTOR];
  int32_t at[S1_UNITS];
  uint16_t alone[S1_UNITS + 1];
} s1_units;

typedef struct {
  int64_t whole, tails, unit;
  int32_t windows;
  int32_t window_at[S1_WINDOWS];
  uint64_t take[S1_WINDOWS], store;
  uint8_t index[S1_PERMUTE];
  int32_t at[S1_UNITS];
} s1_masked_units;

typedef struct {
  int32_t set, loop, kind, width;
  int64_t src, dst;
  s1_dim row;
  int32_t outer, nt;
  s1_dim innermost, next;
  s1_dim dims[S1_RANK]; /* outermost first; src and dst step from the last row of the loops inside to the next row */
  s1_prefetch prefetch;
  union {
    s1_tiles tiles;
    s1_windows windows;
    s1_masks masks;
    s1_units units;
    s1_masked_units masked_units;
  };
} s1_program;

/* As Conversion in conversion.go. */
typedef struct {
  int64_t extent, src, dst, param;
} s1_row_loop;

typedef struct {
  int32_t at[S1_PERIOD / 4];
  uint8_t pick[S1_PERIOD][4];
} s1_picks;

typedef struct {
  int32_t type, loops;
  int64_t count, period, advance, whole, last_count;
  s1_picks first, last;
  s1_row_loop loop[S1_RANK];
} s1_conversion;

typedef void s1_loop(const s1_program *p, uint8_t *dst, const uint8_t *src);
typedef void s1_stream(const s1_program *p, s1_loop *run, uint8_t *dst, const uint8_t *src);
typedef void s1_convert(const s1_conversion *c, uint8_t *dst, const uint8_t *src, const float *scale, const float *bias);
typedef void s1_ycbcr(uint8_t *rgb, const uint8_t *y, const uint8_t *cb, const uint8_t *cr, int64_t n, int cell, int skip);

/* A loop, null if the set has none, and the loop that does the same by non-temporal stores, null if there is none. */
typedef struct {
  s1_loop *run, *stream;
} s1_entry;

/* A set of instructions: its name; its loops by their numbers, S1_FORMS * S1_VARIANTS of them; and what
 * converts rows to float32, and YCbCr to RGB. `stream` runs a program with non-temporal stores by a loop
 * that has no such loop beside it; it is null if the set has no such stores. */
typedef struct {
  const char *name;
  const s1_entry *loops;
  s1_stream *stream;
  s1_convert *convert;
  s1_ycbcr *ycbcr;
} s1_set;

#endif
