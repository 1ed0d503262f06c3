/* loops.h - the tables of an instruction set's loops. The including file defines
 * FORMS(X), X(form, variant) for every shuffle it has, STREAM_FORMS(X), X(form)
 * for those that stream, run_shuffle and run_shuffle_stream(p, dst, src, form,
 * variant).
 */

/* One function per loop, each with a stack frame of its own size. */
typedef void loop(const s1_prog *p, uint8_t *dst, const uint8_t *src);
#define LOOP(name, run) \
  static __attribute__((noinline)) ISA void name(const s1_prog *p, uint8_t *dst, const uint8_t *src) { run; }

LOOP(loop_copy, run_copy(p, dst, src))
LOOP(loop_fill, run_fill(p, dst, src))
LOOP(loop_tile, run_tile(p, dst, src))
LOOP(loop_gather, run_gather(p, dst, src))
LOOP(loop_scatter, run_scatter(p, dst, src))
#define SHUFFLE(form, variant) LOOP(loop_##form##variant, run_shuffle(p, dst, src, S1_form_##form, variant))
FORMS(SHUFFLE)
#undef SHUFFLE

static loop *const loops[S1_ENTRY(S1_FORM_COUNT, 0)] = {
    [S1_copy] = loop_copy, [S1_fill] = loop_fill, [S1_tile] = loop_tile, [S1_gather] = loop_gather, [S1_scatter] = loop_scatter,
#define SHUFFLE(form, variant) [S1_ENTRY(S1_form_##form, variant)] = loop_##form##variant,
    FORMS(SHUFFLE)
#undef SHUFFLE
};

#if V > 16
/* The same for programs that stream, by form: memory sets their pace, and
 * constants in them gain nothing. */
LOOP(stream_copy, run_copy_stream(p, dst, src))
LOOP(stream_tile, run_tile_stream(p, dst, src))
LOOP(stream_gather, run_gather_stream(p, dst, src))
#define STREAM(form) LOOP(stream_##form, run_shuffle_stream(p, dst, src, S1_form_##form, p->entry - S1_ENTRY(S1_form_##form, 0)))
STREAM_FORMS(STREAM)
#undef STREAM

static loop *const streams[S1_CLASS_COUNT] = {[S1_copy] = stream_copy, [S1_tile] = stream_tile, [S1_gather] = stream_gather};
static loop *const stream_shuffles[S1_FORM_COUNT] = {
#define STREAM(form) [S1_form_##form] = stream_##form,
    STREAM_FORMS(STREAM)
#undef STREAM
};
#endif

static void run_loop(const s1_prog *p, uint8_t *dst, const uint8_t *src) {
#if V > 32
  if (p->narrow) {
    s1_avx2.run(p, dst, src);
    return;
  }
#endif
#if V > 16
  if (p->stream) {
    (p->class_ == S1_shuffle ? stream_shuffles[S1_FORM_OF(p->entry)] : streams[p->class_])(p, dst, src);
    _mm_sfence(); /* stores past the caches come before all that follow */
    return;
  }
#endif
  loops[p->entry](p, dst, src);
}
#undef LOOP
