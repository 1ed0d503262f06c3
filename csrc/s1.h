/* s1.h - what the C kernels share with each other and with Go.
 *
 * A nest describes a strided copy as loops; s1_prepare turns it once into a
 * program for one instruction set, and that set's run executes it any number
 * of times. Offsets and strides are bytes, int64_t throughout; neither struct
 * holds a pointer. The caller has checked that every address lies in its
 * buffers, that no two destination elements share a byte, and that source and
 * destination do not overlap.
 *
 * Kernels store to destination elements and nothing else, not even for an
 * instant to a gap between them, and load only between the first and the last
 * source element of the row they work on.
 */
#ifndef S1_H
#define S1_H

#include <stdint.h>

/* The classes of inner loop, W bytes per element, w its value:
 *   copy     rows that are contiguous on both sides
 *   shuffle  a few source windows hold each vector of the destination
 *   fill     contiguous destination, one source element per row
 *   tile     contiguous destination, across lines of the source that another loop walks
 *   gather   contiguous destination, source elements far apart
 *   scatter  anything else, along the longest loop
 */
#define S1_CLASSES(X) X(copy) X(shuffle) X(fill) X(tile) X(gather) X(scatter)

enum {
#define X(name) S1_##name,
  S1_CLASSES(X)
#undef X
  S1_CLASS_COUNT
};

/* How a shuffle makes one destination vector:
 *   lanes  per 16-byte lane: bytes picked out of each of its own 16-byte windows
 *   dwords whole-vector windows merged, then dwords permuted
 *   bytes  the same, bytes permuted in their lanes first
 *   inlane windows merged, bytes permuted in their lanes only
 *   swap   the same, the two lanes exchanged first
 *   cross  windows merged, bytes permuted across lanes
 *   permute         64-byte windows merged by mask, bytes permuted across all
 *   spread          the same, gaps between destination elements masked out
 *   every2, every3, every4  every second element of two windows, third of three, fourth of four
 * The variant of every2, every3 and every4 is the width, of the others the number
 * of windows. Where a vector is one lane there are only lanes, inlane, every2 and
 * every4, where it is 64 bytes only permute and spread.
 */
#define S1_FORMS(X) X(lanes) X(dwords) X(bytes) X(inlane) X(swap) X(cross) X(permute) X(spread) X(every2) X(every3) X(every4)

enum {
#define X(name) S1_form_##name,
  S1_FORMS(X)
#undef X
  S1_FORM_COUNT
};

/* The number of the loop that runs a program: its class, or this for a shuffle. */
#define S1_ENTRY(form, variant) (S1_CLASS_COUNT + (form) * (S1_WINDOWS + 1) + (variant))
#define S1_FORM_OF(entry) (((entry) - S1_CLASS_COUNT) / (S1_WINDOWS + 1))

/* Whether a form of 16-byte lanes is every2, every3 or every4, and the windows of
 * one that is. The main vectors take whole vectors of source, which never straddle
 * more lines than they must. The one that ends the row, its only edge, takes
 * windows that end with its last element. */
#define S1_IS_EVERY(form) ((form) >= S1_form_every2)
#define S1_EVERY(form) ((form) - S1_form_every2 + 2)

enum { S1_RANK = 8, S1_WINDOWS = 8, S1_VECTOR = 32, S1_LANE = 16, S1_PERMUTE = 64, S1_LINE = 64, S1_EDGES = 4, S1_UNITS = 256, S1_UNIT_WINDOWS = 2 };

typedef struct {
  int64_t extent, src, dst;
} s1_dim;

typedef struct {
  int32_t rank, width;
  int64_t src_off, dst_off;
  s1_dim dims[S1_RANK]; /* outermost first */
} s1_nest;

/* One destination vector: where its windows lie and which byte of which
 * window goes where. Offsets are relative to the vector's own source position. */
typedef struct {
  int32_t windows;
  int32_t at[2][S1_WINDOWS];           /* by lane; merged forms use at[0] */
  uint8_t pick[S1_WINDOWS][S1_VECTOR]; /* lanes: byte indices; merged: 0xff where the window replaces those before */
  uint8_t perm[2][S1_VECTOR];          /* merged: the permutation's indices */
} s1_vector;

typedef struct {
  int64_t src, dst; /* of the vector, from the row's first element */
  s1_vector v;      /* always form lanes */
} s1_edge;

typedef struct {
  int32_t class_, entry, width;
  int32_t narrow; /* whether the narrower instruction set runs this */
  int64_t src_off, dst_off;
  int32_t outer;        /* loops around the row */
  s1_dim dims[S1_RANK]; /* those loops, outermost first; each steps from the last row of those it contains */
  s1_dim innermost, next; /* the last of them and the one around it, or loops of one */
  int64_t count;        /* elements in a row */
  int64_t src, dst;     /* the row's strides */
  s1_dim across;        /* tile: the loop that walks lines of the source upwards */
  int64_t block;        /* tile: elements of a row to take before the next line of source, 0 for all of less than a piece */

  /* If stream, the output is too large for the caches: whole lines are stored
   * past them, and the source is fetched `ahead` bytes from where it is read, as
   * far as it lies within the `length` bytes from `begin`, into the second-level
   * cache or, if near, the first: of rows to copy `reach` bytes, gaps included. Byte
   * x of a row, a multiple of 1 << grain, comes from source byte (x >> grain) * unit. */
  int32_t stream, near, grain;
  int64_t ahead, reach, begin, length, unit;

  /* shuffle: main vectors yield `advance` bytes each from `step` bytes further
   * in the source; what they store beyond that the next one overwrites. If units,
   * the row is that many vectors and a table says where each one's source is. */
  int64_t vectors, step, advance;
  int32_t units;
  union {
    struct { /* the main vectors, then the edges */
      int32_t edges, edge_lanes;
      s1_vector main;
      s1_edge edge[S1_EDGES];
    };
    struct { /* permute: the main vectors, then `rests` by masked stores of `advance` bytes, the last one of fewer */
      int32_t windows, rests;
      int32_t at[S1_WINDOWS];
      uint64_t take[S1_WINDOWS], last_take[S1_WINDOWS], store, last_store; /* store: spread alone */
      uint8_t index[S1_PERMUTE];
      int32_t vector_at[S1_UNITS];
    };
    struct { /* units: those `alone`, ascending, then their number, are made without a vector, which would leave the row */
      s1_vector each;
      int32_t element[S1_VECTOR], unit_at[S1_UNITS];
      uint16_t alone[S1_UNITS + 1];
    };
  };
} s1_prog;

/* What s1_prepare needs to know of an instruction set. */
typedef struct s1_target {
  int32_t vector; /* bytes: 16, 32 or 64 */
  int32_t table;  /* a lookup spans up to 4 windows (index 16*window + byte) */
  const struct s1_target *narrow; /* of a set this one includes, or null */
} s1_target;

typedef struct {
  const char *name;
  s1_target target;
  void (*run)(const s1_prog *prog, uint8_t *dst, const uint8_t *src);
} s1_isa;

extern const s1_isa s1_avx2, s1_avx512, s1_neon;

/* The instruction sets of this build, weakest first, and how many they are. */
extern const s1_isa *const s1_isas[];
extern const int32_t s1_isa_count;

extern const char *const s1_class_names[S1_CLASS_COUNT];

/* How to store the output: for the caches, or past them; then the source is fetched
 * pages ahead into the second-level cache, or, near, rows to copy into the first, or,
 * short, a few lines ahead where there are no gaps or they can be fetched too. */
enum { S1_cached, S1_past, S1_past_near, S1_past_short };

void s1_prepare(const s1_nest *nest, const s1_target *target, int stream, s1_prog *prog);

#endif
