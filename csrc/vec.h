/* vec.h - vectors and their unaligned loads and stores, for the header of a set, which says first
 * what set.h lists.
 *
 * A window is a piece of the source, as long as a vector or as a 16-byte lane. A vector of the
 * destination is made of bytes from one window or several.
 *
 * Functions that take or return a vector are declared by FN, which inlines them, except in
 * emulate.h. The reason: 64-bit Windows aligns the stack to 16 bytes, but gcc puts 32-byte
 * arguments on it as if it were aligned to 32.
 */
#include <string.h>

#define PASTE(a, b) a##_##b
#define NAMED(set, name) PASTE(set, name)

/* A loop of a few instructions runs at half speed if it straddles a cache line of code. align-loops
 * is set here because cgo accepts no -falign-loops. The next four options are of -O3. The two
 * no-var-tracking options leave out the debug information that says where each variable lies at
 * each instruction, which would take a third of the compile time. The last option, and clang's
 * pragma, forbid fusing a product and a sum: a fused one rounds once, where other sets round twice.
 * cgo accepts no -ffp-contract either, and gcc does not promise what its pragma does, so
 * fused_test.go reads the machine code in every run of CI. In cgo.go, -fno-fast-math undoes what
 * else CGO_CFLAGS may say about floats, since the compiler gets it later. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("align-loops=64", "peel-loops", "unswitch-loops", "tree-partial-pre", "gcse-after-reload", "no-var-tracking", \
                     "no-var-tracking-assignments", "fp-contract=off")
#endif
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* 1 if a memory sanitizer reports what is read before it is set, even where any value will do. */
#ifdef __has_feature
#define SETS_ENDS __has_feature(memory_sanitizer)
#else
#define SETS_ENDS 0
#endif

/* OUTLINE declares a function that is not inlined: it has a stack frame of its own, which is no
 * larger than it needs. */
#define OUTLINE static __attribute__((noinline)) ISA

/* With S1_NOINLINE, FN compiles each function of an instruction set once and inlines none. Builds
 * that count branches (.ci/cover) need that. Builds with sanitizers use it, too: with inlining,
 * compilers take minutes. */
#ifdef S1_NOINLINE
#define FN static __attribute__((noinline, unused)) ISA
#else
#define FN static inline __attribute__((always_inline)) ISA
#endif

typedef uint8_t vec __attribute__((vector_size(V)));
typedef int16_t words __attribute__((vector_size(V)));
typedef uint16_t uwords __attribute__((vector_size(V)));
typedef int32_t ints __attribute__((vector_size(V)));
typedef uint32_t dwords __attribute__((vector_size(V)));
typedef float floats __attribute__((vector_size(V)));
typedef double doubles __attribute__((vector_size(V)));
typedef uint8_t half __attribute__((vector_size(V / 2)));
typedef uint8_t vec16 __attribute__((vector_size(16)));
typedef uint16_t u16x8 __attribute__((vector_size(16)));
typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef uint64_t u64x2 __attribute__((vector_size(16)));

/* Vectors that may lie at any address and alias any type. They replace memcpy, since gcc copies 16
 * bytes by memcpy through general registers. */
typedef uint8_t loose __attribute__((vector_size(V), aligned(1), may_alias));
typedef uint8_t loose_half __attribute__((vector_size(V / 2), aligned(1), may_alias));
typedef uint8_t loose16 __attribute__((vector_size(16), aligned(1), may_alias));

FN vec load(const uint8_t *s) { return *(const loose *)s; }
FN void store(uint8_t *d, vec v) { *(loose *)d = v; }
FN half load_half(const uint8_t *s) { return *(const loose_half *)s; }
FN void store_half(uint8_t *d, half v) { *(loose_half *)d = v; }
FN vec16 load16(const uint8_t *s) { return *(const loose16 *)s; }
FN void store16(uint8_t *d, vec16 v) { *(loose16 *)d = v; }

/* Stores the first 12 bytes of v, which are four pixels of three bytes. */
FN void store12(uint8_t *d, vec16 v) {
  const uint64_t low = ((u64x2)v)[0];
  const uint32_t high = ((u32x4)v)[2];
  memcpy(d, &low, sizeof low), memcpy(d + sizeof low, &high, sizeof high);
}

/* The low and the high bytes of words. */
FN words low_bytes(words v) { return v & 0xff; }
FN words high_bytes(words v) { return (words)((uwords)v >> 8); }

/* In an order of bytes, what has no byte and becomes 0. */
enum { NIL = 255 };

FN int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

/* No compiler moves a load or a store across compiler_barrier(). Caches want stores in ascending
 * order, and compilers reorder stores that no load separates. */
FN void compiler_barrier(void) { __asm__ volatile("" ::: "memory"); }
FN void store_in_order(uint8_t *d, vec v) { store(d, v), compiler_barrier(); }

/* clang-format off */
#define LOADS(name, type) \
  FN type name(const uint8_t *s) { type v; memcpy(&v, s, sizeof v); return v; }
LOADS(load_u16, uint16_t)
LOADS(load_u32, uint32_t)
LOADS(load_u64, uint64_t)
#undef LOADS
FN void store_u32(uint8_t *d, uint32_t v) { memcpy(d, &v, sizeof v); }
/* clang-format on */

/* 1 if the compiler optimizes, else 0. Code that only helps the compiler to optimize has branches
 * that are never taken. Builds that count branches do not optimize, and leave it out. */
#ifdef __OPTIMIZE__
#define OPTIMIZES 1
#else
#define OPTIMIZES 0
#endif

/* Returns n, and tells the compiler that n is from lo to hi. */
FN int bounded(int lo, int n, int hi) {
  assert(n >= lo && n <= hi);
  if (OPTIMIZES && (n < lo || n > hi)) __builtin_unreachable();
  return n;
}

/* Ends the program if n is not `last`, the last case of a choice: an element of another width would
 * be taken for one of 8 bytes in silence. This costs nothing where n is a constant. */
FN void must_be(int n, int last) {
  if (OPTIMIZES && n != last) __builtin_trap();
}

/* Calls f with the other arguments and a constant, `width`: 1, 2, 4 or 8. */
#define BY_WIDTH(width, f, ...)                    \
  switch (width) {                                 \
    case 1: f(__VA_ARGS__, 1); break;              \
    case 2: f(__VA_ARGS__, 2); break;              \
    case 4: f(__VA_ARGS__, 4); break;              \
    default: must_be(width, 8), f(__VA_ARGS__, 8); \
  }

/* The number of 16-byte lanes of a vector. */
#define VEC_LANES (V / S1_LANE)

/* How the vectors of a row are made, copied from a program so that the compiler can keep it in
 * registers. */
typedef struct {
  const uint8_t *window[VEC_LANES][S1_WINDOWS]; /* the places of the first vector's windows */
#if HAS_MASKS
  uint64_t mask[S1_WINDOWS];  /* of s1_merged */
  vec index[4];               /* rotated down by 0 to 3 quarters of a vector */
  const uint8_t *tail_window; /* the first window of a tail, and its mask */
  uint64_t tail_mask;
  vec tail_index;
  const int32_t *units; /* the places of units */
#else
  vec pick[S1_WINDOWS], perm[VEC_LANES]; /* of s1_vector */
  int64_t offset[VEC_LANES][S1_WINDOWS]; /* of the windows, from the source of a row */
#endif
} recipe;
