/* vec.h - vectors, their unaligned loads and stores, and what the shuffles of several sets share.
 * The including file defines
 *   ISA, the attribute that selects its instruction set, or nothing if it needs none,
 *   V, the bytes of a vector, and
 *   HAS_MASKS, 1 if vectors are made from windows by masks (s1_masks), else 0.
 *
 * Functions that take or return a vector are declared by FN, which inlines them, except in
 * emulate.h. The reason: 64-bit Windows aligns the stack to 16 bytes, but gcc puts 32-byte
 * arguments on it as if it were aligned to 32.
 */
#include <string.h>

#define PASTE(a, b) a##_##b
#define NAMED(set, name) PASTE(set, name)

/* A loop of a few instructions runs at half speed if it straddles a cache line of code. align-loops
 * is set here because cgo accepts no -falign-loops. The two no-var-tracking options leave out the
 * debug information that says where each variable lies at each instruction, which would take a
 * third of the compile time. The last option, and clang's pragma, forbid fusing a product and a
 * sum: a fused one rounds once, where other sets round twice. cgo accepts no -ffp-contract either,
 * and gcc does not promise what its pragma does, so fused_test.go reads the machine code in every
 * run of CI. cgo.go undoes what else CGO_CFLAGS may
 * say about floats, by -fno-fast-math, which stands behind it. */
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
typedef uint16_t parts __attribute__((vector_size(V)));
typedef int32_t ints __attribute__((vector_size(V)));
typedef uint32_t dwords __attribute__((vector_size(V)));
typedef uint8_t vec16 __attribute__((vector_size(16)));
#if V > 32
typedef uint8_t vec32 __attribute__((vector_size(32)));
#endif

/* Vectors that may lie at any address and alias any type. They replace memcpy, since gcc copies 16
 * bytes by memcpy through general registers. */
typedef uint8_t loose __attribute__((vector_size(V), aligned(1), may_alias));
typedef uint8_t loose16 __attribute__((vector_size(16), aligned(1), may_alias));

FN vec load(const uint8_t *s) { return *(const loose *)s; }
FN void store(uint8_t *d, vec v) { *(loose *)d = v; }
FN vec16 load16(const uint8_t *s) { return *(const loose16 *)s; }
FN void store16(uint8_t *d, vec16 v) { *(loose16 *)d = v; }

FN int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

/* No compiler moves a load or a store across stay(). Caches want stores in ascending order, and
 * compilers reorder stores that no load separates. */
FN void stay(void) { __asm__ volatile("" ::: "memory"); }
FN void store_here(uint8_t *d, vec v) { store(d, v), stay(); }

/* clang-format off */
#define LOADS(name, type) \
  FN type name(const uint8_t *s) { type v; memcpy(&v, s, sizeof v); return v; }
LOADS(load_u16, uint16_t)
LOADS(load_u32, uint32_t)
LOADS(load_u64, uint64_t)
#undef LOADS
/* clang-format on */

/* NEXT is the vector MAKE(at), and adds step to `at`. PUT stores x at o, and adds advance to o. */
#define NEXT(at, step, MAKE) ((at) += (step), MAKE((at) - (step)))
#define PUT(o, advance, x) (store_here(o, x), (o) += (advance))

/* Makes n >= least vectors by NEXT and stores each by PUT, in order. Vectors are made ahead of the
 * stores, in groups of four: a group is stored after the next one has been made. The last n % 4
 * vectors are made one ahead. The reason: if the addresses of a load and of an earlier store agree
 * in the low bits, a processor takes the load for dependent on the store. The load then waits until
 * the store has left. */
/* clang-format off */
#define IN_TURNS(n, least, o, advance, at, step, MAKE)                                                                        \
  do {                                                                                                                        \
    int64_t left_ = (n);                                                                                                      \
    if ((least) >= 4 || left_ >= 4) {                                                                                         \
      vec a_ = NEXT(at, step, MAKE), b_ = NEXT(at, step, MAKE), c_ = NEXT(at, step, MAKE), d_ = NEXT(at, step, MAKE);         \
      for (; left_ >= 8; left_ -= 4) {                                                                                        \
        const vec e_ = NEXT(at, step, MAKE), f_ = NEXT(at, step, MAKE), g_ = NEXT(at, step, MAKE), h_ = NEXT(at, step, MAKE); \
        PUT(o, advance, a_), PUT(o, advance, b_), PUT(o, advance, c_), PUT(o, advance, d_);                                   \
        a_ = e_, b_ = f_, c_ = g_, d_ = h_;                                                                                   \
      }                                                                                                                       \
      PUT(o, advance, a_), PUT(o, advance, b_), PUT(o, advance, c_), PUT(o, advance, d_), left_ -= 4;                         \
    }                                                                                                                         \
    if (left_ > 0) {                                                                                                          \
      vec a_ = NEXT(at, step, MAKE);                                                                                          \
      for (; left_ > 1; left_--) { const vec b_ = NEXT(at, step, MAKE); PUT(o, advance, a_); a_ = b_; }                       \
      PUT(o, advance, a_);                                                                                                    \
    }                                                                                                                         \
  } while (0)
/* clang-format on */

/* Makes n vectors, each of `windows` windows, by NEXT and stores them by PUT. They are made ahead
 * of the stores if each has one window, or if it has two and source and destination advance alike.
 * In other rows one vector at a time is faster: the addresses of loads and stores soon differ in
 * the low bits, or there are many loads. */
#define EACH_VECTOR(n, windows, o, advance, at, step, MAKE)                                                          \
  do {                                                                                                               \
    if ((windows) == 1 || ((windows) == 2 && (step) == (advance))) {                                                 \
      IN_TURNS(n, 0, o, advance, at, step, MAKE);                                                                    \
    } else {                                                                                                         \
      _Pragma("GCC unroll 2") for (int64_t i_ = (n); i_ > 0; i_--, at += (step), o += (advance)) store(o, MAKE(at)); \
    }                                                                                                                \
  } while (0)

/* For vectors that have only three quarters of a vector of output each. While n >= 4, makes four of
 * them and stores them at o as three whole vectors: otherwise some stores would cross a cache line,
 * and such a store takes twice as long. TURNED(at, k) is the vector MAKE(at) turned down by k
 * quarters. quarters(a, b, n), which the set defines, is the first n quarters of a and the last
 * 4 - n of b. */
#define IN_FOURS(n, o, at, step, TURNED)                                                                                               \
  for (; (n) >= 4; (n) -= 4, (at) += 4 * (step), (o) += 3 * V) {                                                                       \
    const vec a_ = TURNED(at, 0), b_ = TURNED((at) + (step), 1), c_ = TURNED((at) + 2 * (step), 2), d_ = TURNED((at) + 3 * (step), 3); \
    store_here((o), quarters(a_, b_, 3)), store_here((o) + V, quarters(b_, c_, 2)), store_here((o) + 2 * V, quarters(c_, d_, 1));      \
  }

/* 1 if the compiler optimizes, else 0. Code that only helps the compiler to optimize has branches
 * that are never taken. Builds that count branches do not optimize, and leave it out. */
#ifdef __OPTIMIZE__
#define OPTIMIZES 1
#else
#define OPTIMIZES 0
#endif

/* Returns n, and tells the compiler that n is from `least` to `most`. */
FN int between(int least, int n, int most) {
  assert(n >= least && n <= most);
  if (OPTIMIZES && (n < least || n > most)) __builtin_unreachable();
  return n;
}

/* Runs `body` with k from `first` to `windows` - 1, unrolled. If `windows` is no constant, those
 * comparisons with k remain that the compiler cannot decide. */
#define EACH_WINDOW(first, windows, body)                                   \
  do {                                                                      \
    if (!OPTIMIZES || __builtin_constant_p(windows)) {                      \
      _Pragma("GCC unroll 8") for (int k = first; k < (windows); k++) body; \
    } else {                                                                \
      _Pragma("GCC unroll 8") for (int k = first; k < S1_WINDOWS; k++) {    \
        if (k >= (windows)) break;                                          \
        body;                                                               \
      }                                                                     \
    }                                                                       \
  } while (0)

#define OF_WIDTH(width, ...) \
  do {                       \
    enum { w = width };      \
    __VA_ARGS__;             \
  } while (0)

/* Runs the statement behind `width` once, with a constant w that is `width`: 1, 2 or 4. */
#define BY_WIDTH_TO_4(width, ...)            \
  switch (width) {                           \
    case 1: OF_WIDTH(1, __VA_ARGS__); break; \
    case 2: OF_WIDTH(2, __VA_ARGS__); break; \
    default: OF_WIDTH(4, __VA_ARGS__);       \
  }

/* BY_WIDTH_TO_4, also for a width of 8. */
#define BY_WIDTH(width, ...)                    \
  do {                                          \
    if ((width) == 8) OF_WIDTH(8, __VA_ARGS__); \
    else BY_WIDTH_TO_4(width, __VA_ARGS__)      \
  } while (0)

/* The number of 16-byte lanes of a vector. */
#define VEC_LANES (V / S1_LANE)

/* The tables of an s1_vector, copied so that the compiler can keep them in registers. */
typedef struct {
  vec pick[S1_WINDOWS], perm[VEC_LANES];
  int64_t at[VEC_LANES][S1_WINDOWS];
} tables;
