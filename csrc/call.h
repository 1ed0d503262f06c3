/* call.h - what cgo.go calls: run_loop runs a program, and convert converts. */
#include "program.h"

/* Asserts what loops assume about a program, as far as the program alone shows it. */
static inline void assert_program(const s1_set *s, const s1_program *p) {
#ifndef NDEBUG
  const int form = p->loop / S1_VARIANTS, variant = p->loop % S1_VARIANTS, every = form >= S1_every2 && form <= S1_every4;
  assert(p->loop >= 0 && p->loop < S1_FORMS * S1_VARIANTS && s->loops[p->loop].run);
  assert(!p->nt || s->loops[p->loop].stream || s->stream);
  assert(p->width == 1 || p->width == 2 || p->width == 4 || p->width == 8);
  assert(p->outer >= 0 && p->outer <= S1_RANK && p->innermost.extent > 0 && p->next.extent > 0);
  for (int i = 0; i < p->outer; i++) assert(p->dims[i].extent > 0);
  if (form == S1_copy || form == S1_gather || form == S1_element || form == S1_string) {
    assert(p->row.extent > 0);
  } else if (form <= S1_table) {
    const s1_tiles *t = &p->tiles;
    assert(p->row.extent > 0 && t->across.extent > 0 && t->across.src > 0 && t->fold.extent > 0 && t->join.extent > 0);
    assert(form != S1_table ||
           ((p->row.extent > 1 || t->join.extent == 1) && (p->width < 8 || t->fold.extent == 1) && (t->join.extent == 1 || t->fold.extent == 1)));
    assert(form != S1_table || (t->join.extent == 1 && t->fold.extent == 1) || t->across.extent * t->fold.extent * p->width >= 16);
    assert(t->band > 0 && t->band % (16 / p->width) == 0 && (t->block > 0 || form != S1_tile));
  } else if (form <= S1_every4) {
    const s1_shuffle *w = &p->shuffle;
    assert(w->count >= 0 && w->tails >= 0 && w->tails <= S1_TAILS && w->count + w->tails > 0);
    assert(w->count == 0 || (w->main.windows > 0 && variant == (every ? p->width : w->main.windows)));
    assert(!p->nt || (w->count > 0 && w->period > 0 && w->advance % w->period == 0));
    for (int i = 0; i < w->tails && !every; i++) assert(w->tail[i].vector.windows > 0 && w->tail[i].vector.windows <= S1_WINDOWS);
  } else if (form <= S1_units_cross) {
    assert(p->units.count > 0 && p->units.count <= S1_UNITS && p->units.unit > 0 && p->units.each.windows == variant);
  } else if (form <= S1_permute) {
    const s1_masks *m = &p->masks;
    assert(m->count >= 0 && m->ahead >= 0 && m->tails >= 0 && m->count + m->ahead + m->tails > 0 && m->each.windows == variant);
    assert(!p->nt || (m->count > 0 && m->period > 0 && m->advance % m->period == 0));
  } else {
    const s1_masked_units *u = &p->masked_units;
    assert(u->whole >= 0 && u->tails >= 0 && u->whole + u->tails <= S1_UNITS && u->unit > 0 && u->each.windows == variant);
  }
#else
  (void)s, (void)p;
#endif
}

/* Runs program p by the loop of set s that p names. */
static inline void run_loop(const s1_set *s, const s1_program *p, uint8_t *dst, const uint8_t *src) {
  assert_program(s, p);
  const s1_entry *const loop = &s->loops[p->loop];
  if (!p->nt) loop->run(p, dst, src);
  else if (loop->stream) loop->stream(p, dst, src);
  else s->stream(p, loop->run, dst, src);
}

/* The processor's register that says how to round, and whether to flush tiny numbers to zero.
 * Libraries built with -ffast-math turn on flushing for the whole process. */
#ifdef __aarch64__
#define ROUNDING_DEFAULT 0
#define EXCEPTIONS 0
static inline uint64_t rounding(void) {
  uint64_t v;
  __asm__ volatile("mrs %0, fpcr" : "=r"(v));
  return v;
}
static inline void set_rounding(uint64_t v) { __asm__ volatile("msr fpcr, %0" : : "r"(v)); }
#else
#define ROUNDING_DEFAULT 0x1f80
#define EXCEPTIONS 0x3f /* the bits that record what has happened, not what to do */
static inline uint64_t rounding(void) { return __builtin_ia32_stmxcsr(); }
static inline void set_rounding(uint64_t v) { __builtin_ia32_ldmxcsr((unsigned)v); }
#endif

/* Makes numbers round by ROUNDING_DEFAULT, and returns what the register had, which
 * restore_rounding gives back. */
static inline uint64_t usual_rounding(void) {
  const uint64_t was = rounding(), usual = ROUNDING_DEFAULT | (was & EXCEPTIONS);
  if (was != usual) set_rounding(usual);
  return was;
}
static inline void restore_rounding(uint64_t was) {
  if (was != (ROUNDING_DEFAULT | (was & EXCEPTIONS))) set_rounding(was);
}

/* Converts a part by the set of c. If src_program is not null, it first slices src into `memory`,
 * and the rows there are converted. If dst_program is not null, rows are converted into the memory
 * from byte c->made on, and dst_program slices these to dst. `scale` points to S1_PARAMS values of
 * scale, and as many of bias follow them. `sets` has the address of each set. Conversions round by
 * ROUNDING_DEFAULT, and the register gets its value back. */
static void convert(const uintptr_t *sets, const s1_conversion *c, const s1_program *src_program, const s1_program *dst_program, uint8_t *dst,
                    const uint8_t *src, uint8_t *memory, const float *scale) {
  const s1_set *const s = (const s1_set *)sets[c->set];
  uint8_t *const dst_made = memory + c->made;
  if (src_program) {
    run_loop((const s1_set *)sets[src_program->set], src_program, memory, src);
    src = memory;
  }
  const uint64_t was = usual_rounding();
  s->convert(c, dst_program ? dst_made : dst, src, scale, scale + S1_PARAMS);
  restore_rounding(was);
  if (dst_program) run_loop((const s1_set *)sets[dst_program->set], dst_program, dst, dst_made);
}
