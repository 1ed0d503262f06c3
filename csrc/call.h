/* call.h - what Go calls: the loop that a program names, and conversion. */
#include "program.h"

/* Runs p by the loop of s that it names. */
static inline void run_loop(const s1_set *s, const s1_program *p, uint8_t *dst, const uint8_t *src) {
  assert(p->loop >= 0 && p->loop < S1_FORMS * S1_VARIANTS);
  const s1_entry *const loop = &s->loops[p->loop];
  assert(loop->run);
  if (!p->nt) {
    loop->run(p, dst, src);
  } else if (loop->stream) {
    loop->stream(p, dst, src);
  } else {
    assert(s->stream);
    s->stream(p, loop->run, dst, src);
  }
}

/* Runs p, if it is not null, from src into scratch, and converts what is there, or at src if p is null,
 * to dst. Behind the values of scale follow those of bias. */
static inline void slice_and_convert(const s1_set *s, const s1_program *p, const s1_conversion *c, uint8_t *dst, const uint8_t *src, uint8_t *scratch,
                                     const float *scale) {
  if (p) {
    run_loop(s, p, scratch, src);
    src = scratch;
  }
  s->convert(c, dst, src, scale, scale + S1_PARAMS);
}
