/* program.h - what Go hands to the loops, and what a set of loops is.
 *
 * A program is plain data, made ready for one loop of one instruction set. Offsets and strides are
 * in bytes. The planner, which makes programs, guarantees that every extent is positive, that
 * every element lies in its buffer, that no two destination elements share a byte, and that no
 * destination element shares a byte with a source element. The loops check none of this.
 *
 * Loops store only to destination elements. They do not store to the gaps between them, not even
 * the value that a gap already has: the gap may hold source elements, or another goroutine may be
 * writing there. They may store an element several times, and only the last value is right. They
 * load only between the lowest and the highest source element of a row, the gaps included. For
 * tiles, a row here means all rows of the transposed view.
 */
#ifndef S1_PROGRAM_H
#define S1_PROGRAM_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* 1 if this compilation has the loops. cgo compiles this text twice: first without optimization, to
 * see what it declares, then for real. Without optimization gcc keeps static functions that nothing
 * calls, so the first compilation would take as long as the second. So it leaves out the loops. A
 * real build that does not optimize defines S1_UNOPTIMIZED. */
#if defined(__OPTIMIZE__) || defined(S1_UNOPTIMIZED)
#define S1_COMPILES 1
#else
#define S1_COMPILES 0
#endif

#include "layout.h"

/* A loop, and its number. */
#define LOOP_NUMBER(form, variant) (S1_##form * S1_VARIANTS + (variant))
typedef void s1_loop(const s1_program *p, uint8_t *dst, const uint8_t *src);
typedef void s1_stream(const s1_program *p, s1_loop *run, uint8_t *dst, const uint8_t *src);
typedef void s1_convert(const s1_conversion *c, uint8_t *dst, const uint8_t *src, const float *scale, const float *bias);
typedef void s1_to_rgb(const s1_colours *c, uint8_t *dst, const uint8_t *y, const uint8_t *cb, const uint8_t *cr);
typedef void s1_to_samples(const s1_frame *f, uint8_t *y, uint8_t *cb, uint8_t *cr, const uint8_t *src);

/* What a pass of resample.h takes: s1_columns for a pass over the columns of four rows, s1_rows for
 * a pass over `count` rows. The loop above each pass names the fields, but for `weights`, the bytes
 * of its w. Go hands over the numbers in an s1_column_pass. */
typedef struct {
  const int32_t *first;
  int64_t n, groups;
  const uint8_t *weights;
  uint8_t *d[8];
  const uint8_t *s[8];
} s1_columns;
typedef struct {
  const int64_t *rows;
  int64_t count;
  const uint8_t *weights;
  uint8_t *d;
  const uint8_t *s;
  int64_t n;
} s1_rows;

/* What a pass of planes.h takes, over the columns of JOINED rows or over n_rows rows. The loop
 * above each pass names the fields. `room` has room for `width` vectors, and `rows` has bytes from
 * s. */
typedef struct {
  const int32_t *first, *count;
  int64_t n, width, taps;
  const void *weights;
  float *room, *d[S1_JOINED];
  const float *s[S1_JOINED];
} s1_plane_columns;
typedef struct {
  const int64_t *rows;
  int64_t n_rows, taps, n, count, stride;
  const void *weights;
  float *d;
  const uint8_t *s;
} s1_plane_rows;

/* `run` is a loop, and `stream` does the same by non-temporal stores. Each is null if the set does
 * not have it. */
typedef struct {
  s1_loop *run, *stream;
} s1_entry;

/* An instruction set. `loops` has S1_FORMS * S1_VARIANTS entries, each at the number of its
 * loop. `stream` runs a program with non-temporal stores by a loop whose entry has no `stream`; it
 * is null if the set has no such stores. `convert` converts rows of numbers, `ycbcr` luma and
 * chroma to R, G and B, and `frame` pixels to luma and chroma. `columns` and `rows` have the passes
 * of resampling, and plane_columns and plane_rows those of planes; those are null that the set
 * leaves to a weaker one or does not have. */
typedef struct {
  const s1_entry *loops;
  s1_stream *stream;
  s1_convert *convert;
  s1_to_rgb *ycbcr;
  s1_to_samples *frame;
  void (*columns[S1_COLUMNS])(const s1_columns *pass);
  void (*rows[S1_ROWS])(const s1_rows *pass);
  void (*plane_columns[S1_PLANE_COLUMNS])(const s1_plane_columns *pass);
  void (*plane_rows[S1_PLANE_ROWS])(const s1_plane_rows *pass);
} s1_set;

#endif
