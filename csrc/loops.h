/* loops.h - the table of an instruction set's loops. The including file defines
 * FORMS(X), X(form, variant) for every shuffle it has, and run_shuffle(p, dst,
 * src, form, variant).
 */

/* One function per loop, each with a stack frame of its own size. */
typedef void loop(const s1_prog *p, uint8_t *dst, const uint8_t *src);

#define LOOP(name) \
  static __attribute__((noinline)) ISA void loop_##name(const s1_prog *p, uint8_t *dst, const uint8_t *src) { run_##name(p, dst, src); }
LOOP(copy) LOOP(fill) LOOP(gather) LOOP(scatter)
#undef LOOP
#define LOOP(form, variant)                                                                                      \
  static __attribute__((noinline)) ISA void loop_##form##variant(const s1_prog *p, uint8_t *dst, const uint8_t *src) { \
    run_shuffle(p, dst, src, S1_form_##form, variant);                                                           \
  }
FORMS(LOOP)
#undef LOOP

static loop *const loops[S1_ENTRY(S1_FORM_COUNT, 0)] = {
    [S1_copy] = loop_copy, [S1_fill] = loop_fill, [S1_gather] = loop_gather, [S1_scatter] = loop_scatter,
#define LOOP(form, variant) [S1_ENTRY(S1_form_##form, variant)] = loop_##form##variant,
    FORMS(LOOP)
#undef LOOP
};
