/* call.h - what the Go file of each set (avx2.go, avx512.go, neon.go) calls: run_loop, which
 * runs a program by the loop that it names, and loop_name.
 */
#include "program.h"

static inline void run_loop(const s1_set *s, const s1_program *p, char *dst, const char *src) {
  assert(p->loop >= 0 && p->loop < s->count);
  s->loops[p->loop](p, (uint8_t *)dst, (const uint8_t *)src);
}

/* Runs p, if it is not null, from src into scratch, and converts what is there, or at src if p is null,
 * to dst. Behind the values of scale follow those of bias. */
static inline void slice_and_convert(const s1_set *s, const s1_program *p, const s1_conversion *c, char *dst, const char *src, char *scratch,
                                     const float *scale) {
  if (p) {
    run_loop(s, p, scratch, src);
    src = scratch;
  }
  s->convert(c, (uint8_t *)dst, (const uint8_t *)src, scale, scale + S1_PARAMS);
}

/* Returns the name of a loop, or null if `loop` is the number of loops of the set. */
static inline const char *loop_name(const s1_set *s, int32_t loop) { return s->names[loop]; }
