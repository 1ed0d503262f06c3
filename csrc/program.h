/* program.h - what Go hands to the loops, and what a set of loops is.
 *
 * A program is plain data, made ready for one loop of one set of instructions. Offsets and strides
 * are in bytes. The planner, which makes programs, guarantees that every extent is positive, that
 * every element lies in its buffer, that no two destination elements share a byte, and that no
 * destination element shares a byte with a source element. The loops check none of this.
 *
 * Loops store to destination elements alone. They do not even store to a gap the value that it has:
 * the gap may hold source elements, or another goroutine may be writing there. They may store an
 * element several times, and only the last value is right. They load nothing below the lowest or
 * above the highest source element of a row, but may load the gaps in between. For tiles, the row
 * is all rows of the transposed view.
 */
#ifndef S1_PROGRAM_H
#define S1_PROGRAM_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* 1 in the real compilation. Before it, cgo compiles the same text without optimization, to see
 * what it declares. gcc then keeps static functions that nothing calls, which takes as long as the
 * real compilation. So the loops are left out there. A build that does not optimize defines
 * S1_UNOPTIMIZED. */
#if defined(__OPTIMIZE__) || defined(S1_UNOPTIMIZED)
#define S1_COMPILES 1
#else
#define S1_COMPILES 0
#endif

#include "layout.h"

/* A loop. That of a form and a variant has the number form * S1_VARIANTS + variant. */
typedef void s1_loop(const s1_program *p, uint8_t *dst, const uint8_t *src);
typedef void s1_stream(const s1_program *p, s1_loop *run, uint8_t *dst, const uint8_t *src);
typedef void s1_convert(const s1_conversion *c, uint8_t *dst, const uint8_t *src, const float *scale, const float *bias);
typedef void s1_to_rgb(const s1_colours *c, uint8_t *dst, const uint8_t *y, const uint8_t *cb, const uint8_t *cr);

/* A loop, null if the set has none, and the loop that does the same by non-temporal stores, null if
 * there is none. */
typedef struct {
  s1_loop *run, *stream;
} s1_entry;

/* A set of instructions: its name; its loops by their numbers, S1_FORMS * S1_VARIANTS of them; and
 * what converts rows to float32, and luma and chroma to R, G and B. `stream` runs a program with
 * non-temporal stores by a loop that has no such loop beside it; it is null if the set has no such
 * stores. */
typedef struct {
  const char *name;
  const s1_entry *loops;
  s1_stream *stream;
  s1_convert *convert;
  s1_to_rgb *ycbcr;
} s1_set;

#endif
