/* vec.h - unaligned loads and stores. The including file defines ISA, the
 * attribute that selects its instruction set, and V, the bytes of a vector.
 *
 * Everything that takes or returns a vector is inlined: 64-bit Windows aligns
 * the stack to 16 bytes, and compilers place 32-byte arguments there as if it
 * were 32.
 */
#include <string.h>

/* Loops of a few instructions run at half speed where they straddle a line of
 * code; cgo takes no -falign-loops. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("align-loops=64")
#endif

/* Without inlining, each function of an instruction set is there once, and branches
 * can be counted. */
#ifdef S1_NOINLINE
#define FN static __attribute__((noinline)) ISA
#else
#define FN static inline __attribute__((always_inline)) ISA
#endif

typedef uint8_t vec __attribute__((vector_size(V)));
typedef uint8_t vec16 __attribute__((vector_size(16)));
#if V > 32
typedef uint8_t vec32 __attribute__((vector_size(32)));
#endif

/* Of a type that may lie and alias anywhere, not by memcpy: gcc copies 16 bytes so
 * through general registers. */
typedef uint8_t loose __attribute__((vector_size(V), aligned(1), may_alias));
typedef uint8_t loose16 __attribute__((vector_size(16), aligned(1), may_alias));

FN vec load(const uint8_t *s) { return *(const loose *)s; }
FN void store(uint8_t *d, vec v) { *(loose *)d = v; }
FN vec16 load16(const uint8_t *s) { return *(const loose16 *)s; }
FN void store16(uint8_t *d, vec16 v) { *(loose16 *)d = v; }

FN uint16_t load_u16(const uint8_t *s) {
  uint16_t v;
  memcpy(&v, s, sizeof v);
  return v;
}

FN uint32_t load_u32(const uint8_t *s) {
  uint32_t v;
  memcpy(&v, s, sizeof v);
  return v;
}

FN uint64_t load_u64(const uint8_t *s) {
  uint64_t v;
  memcpy(&v, s, sizeof v);
  return v;
}

/* How a loop makes a vector of windows of the source: forms of sets.go. */
enum { S1_lanes, S1_dwords, S1_bytes, S1_inlane, S1_swap, S1_cross, S1_every2, S1_every3, S1_every4 };
#define IS_EVERY(form) ((form) >= S1_every2)
#define EVERY_OF(form) ((form) - S1_every2 + 2)

/* What an s1_vector says, held in registers. */
typedef struct {
  vec pick[S1_WINDOWS], perm[2];
  int64_t at[2][S1_WINDOWS];
} tables;
