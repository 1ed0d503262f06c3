/* call.h - what Go and drive.c call: the loop that a program names, and conversion. */
#include "program.h"

/* Asserts what loops take for granted of a program, so far as the program alone tells. */
static inline void assert_program(const s1_set *s, const s1_program *p) {
#ifndef NDEBUG
  const int form = p->loop / S1_VARIANTS, variant = p->loop % S1_VARIANTS, every = form >= S1_every2 && form <= S1_every4;
  assert(p->loop >= 0 && p->loop < S1_FORMS * S1_VARIANTS && s->loops[p->loop].run);
  assert(!p->nt || s->loops[p->loop].stream || s->stream);
  assert(p->width == 1 || p->width == 2 || p->width == 4 || p->width == 8);
  assert(p->outer >= 0 && p->outer <= S1_RANK && p->innermost.extent > 0 && p->next.extent > 0);
  for (int i = 0; i < p->outer; i++) assert(p->dims[i].extent > 0);
  if (form == S1_copy || form == S1_gather || form == S1_element) {
    assert(p->row.extent > 0);
  } else if (form <= S1_table) {
    const s1_tiles *t = &p->tiles;
    assert(p->row.extent > 0 && t->across.extent > 0 && t->across.src > 0 && t->fold.extent > 0 && t->join.extent > 0);
    assert(t->band > 0 && t->band % (16 / p->width) == 0 && (t->block > 0 || form != S1_tile));
  } else if (form <= S1_every4) {
    const s1_windows *w = &p->windows;
    assert(w->count >= 0 && w->tails >= 0 && w->tails <= S1_TAILS && w->count + w->tails > 0);
    assert(w->count == 0 || (w->main.windows > 0 && variant == (every ? p->width : w->main.windows)));
    assert(!p->nt || (w->count > 0 && w->period > 0 && w->advance % w->period == 0));
    for (int i = 0; i < w->tails && !every; i++) assert(w->tail[i].vector.windows > 0 && w->tail[i].vector.windows <= S1_WINDOWS);
  } else if (form <= S1_units_cross) {
    assert(p->units.count > 0 && p->units.count <= S1_UNITS && p->units.unit > 0 && p->units.each.windows == variant);
  } else if (form <= S1_permute) {
    const s1_masks *m = &p->masks;
    assert(m->count >= 0 && m->tails >= 0 && m->count + m->tails > 0 && m->windows == variant);
    assert(!p->nt || (m->count > 0 && m->period > 0 && m->advance % m->period == 0));
  } else {
    const s1_masked_units *u = &p->masked_units;
    assert(u->whole >= 0 && u->tails >= 0 && u->whole + u->tails <= S1_UNITS && u->unit > 0 && u->windows == variant);
  }
#else
  (void)s, (void)p;
#endif
}

/* Runs p by the loop of s that it names. */
static inline void run_loop(const s1_set *s, const s1_program *p, uint8_t *dst, const uint8_t *src) {
  assert_program(s, p);
  const s1_entry *const loop = &s->loops[p->loop];
  if (!p->nt) loop->run(p, dst, src);
  else if (loop->stream) loop->stream(p, dst, src);
  else s->stream(p, loop->run, dst, src);
}

/* Runs p, if it is not null, by `slices`, its set, from src into scratch, and converts what is there, or
 * at src if p is null, by s to dst. Behind the values of scale follow those of bias. */
static inline void slice_and_convert(const s1_set *s, const s1_set *slices, const s1_program *p, const s1_conversion *c, uint8_t *dst, const uint8_t *src,
                                     uint8_t *scratch, const float *scale) {
  if (p) {
    run_loop(slices, p, scratch, src);
    src = scratch;
  }
  s->convert(c, dst, src, scale, scale + S1_PARAMS);
}
