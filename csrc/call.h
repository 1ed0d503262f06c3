/* call.h - how Go calls the loops of a set: each has a Go file, a unit of C of its own. */
#include "program.h"

static inline void run_loop(const s1_set *s, const s1_program *p, char *dst, const char *src) {
  assert(p->loop >= 0 && p->loop < s->count);
  s->loops[p->loop](p, (uint8_t *)dst, (const uint8_t *)src);
}

static inline const char *loop_name(const s1_set *s, int32_t loop) { return s->names[loop]; }
