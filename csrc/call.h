/* call.h - what the Go file of each set (avx2.go, avx512.go, neon.go) calls: run_loop, which
 * runs a program by the loop that it names, and loop_name.
 */
#include "program.h"

static inline void run_loop(const s1_set *s, const s1_program *p, char *dst, const char *src) {
  assert(p->loop >= 0 && p->loop < s->count);
  s->loops[p->loop](p, (uint8_t *)dst, (const uint8_t *)src);
}

/* Returns the name of a loop, or null if `loop` is the number of loops of the set. */
static inline const char *loop_name(const s1_set *s, int32_t loop) { return s->names[loop]; }
