/* loops.h - a set's loops and their table, to be included last. The including file defines SET, the name
 * of the set, ISA, as for vec.h, LOOPS(X), which is X(name, form, first, last, statement) for each loop,
 * STREAMS(X), which is X(name, form, statement) for each form that has a loop of its own for
 * non-temporal stores, SET_STREAM, which runs the others by such stores, or 0, and SHARED(X), which is
 * X(form) for each form without variants whose loops are those of a weaker set. The statement runs
 * program p from src to dst. A loop has the variants from `first` to `last` of its form.
 */

#define STRING(x) #x
#define QUOTED(x) STRING(x)

/* Each loop is a function that is not inlined, so that its stack frame is no larger than that
 * loop needs. */
#define LOOP(name, statement) \
  static __attribute__((noinline)) ISA void NAMED(SET, name)(const s1_program *p, uint8_t *dst, const uint8_t *src) { statement; }
#define RUNS(name, form, first, last, statement) LOOP(name, statement)
#define STREAM(name, form, statement) LOOP(name, statement)
LOOPS(RUNS)
STREAMS(STREAM)
#undef STREAM
#undef RUNS

#include "convert.h"

/* Returns the set. `weaker` is the set that has the loops of SHARED; it may be null if there are none. The
 * table is static, so that several copies of this package link into one program. Where the set is compiled to
 * an object file without cgo, S1_TABLE is defined as nothing, and it is external. */
#ifndef S1_TABLE
#define S1_TABLE static
#endif
S1_TABLE const s1_set *NAMED(s1, SET)(const s1_set *weaker) {
#define LOOP_NUMBER(form, variant) (S1_##form * S1_VARIANTS + (variant))
#define RUNS(name, form, first, last, statement) [LOOP_NUMBER(form, first)... LOOP_NUMBER(form, last)].run = NAMED(SET, name),
#define STREAM(name, form, statement) [LOOP_NUMBER(form, 0)].stream = NAMED(SET, name),
#define SHARE(form) loops[LOOP_NUMBER(form, 0)] = weaker->loops[LOOP_NUMBER(form, 0)];
  static s1_entry loops[S1_FORMS * S1_VARIANTS] = {LOOPS(RUNS) STREAMS(STREAM)};
  static const s1_set set = {QUOTED(SET), loops, SET_STREAM, NAMED(SET, convert), NAMED(SET, ycbcr)};
  (void)weaker;
  SHARED(SHARE)
  return &set;
}
