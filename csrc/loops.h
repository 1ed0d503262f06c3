/* loops.h - a set's loops and their table, to be included last. S1_LOOPS_SET of layout.h lists the
 * loops, by PLAIN without variants and by VARIANT with variants. The including file defines
 *   SET, the name of the set, and ISA, as for vec.h,
 *   run_FORM(p, dst, src) for each form without variants, which runs program p from src to dst,
 *   run_variant(p, dst, src, form, variant), which does so for a form with variants,
 *   STREAMS(X), which is X(form) for each form that has a loop of its own for non-temporal stores,
 *            run_FORM_nt, and
 *   SET_STREAM, which runs the others by such stores, or 0.
 */

/* A loop. The set is in its name, so that a profile can be read. */
#define LOOP(name, call) \
  OUTLINE void NAMED(SET, name)(const s1_program *p, uint8_t *dst, const uint8_t *src) { call; }
#define LOOPS NAMED(S1_LOOPS, SET)
#define PLAIN(form) LOOP(form, run_##form(p, dst, src))
#define VARIANT(form, variant) LOOP(form##_##variant, run_variant(p, dst, src, S1_##form, variant))
#define STREAM(form) LOOP(form##_nt, run_##form##_nt(p, dst, src))
LOOPS(PLAIN, VARIANT)
STREAMS(STREAM)
#undef STREAM
#undef VARIANT
#undef PLAIN

#include "convert.h"
#include "decoders.h"
#include "ycbcr.h"

/* Sets with masks have no loops for resampling: kernel avx512 runs AVX2's. */
#if HAS_MASKS
#define PASS_OF(name) 0,
#else
#include "resample.h"
#define PASS_OF(name) name,
#endif

/* Returns the set. The function is static, so that several copies of this package link into one
 * program. A build that compiles the set to an object file without cgo defines S1_TABLE as nothing,
 * which makes the function external. */
#ifndef S1_TABLE
#define S1_TABLE static
#endif
S1_TABLE const s1_set *NAMED(s1, SET)(void) {
#define PLAIN(form) [LOOP_NUMBER(form, 0)].run = NAMED(SET, form),
#define VARIANT(form, variant) [LOOP_NUMBER(form, variant)].run = NAMED(SET, form##_##variant),
#define STREAM(form) [LOOP_NUMBER(form, 0)].stream = NAMED(SET, form##_nt),
  static const s1_entry loops[S1_FORMS * S1_VARIANTS] = {LOOPS(PLAIN, VARIANT) STREAMS(STREAM)};
  static const s1_set set = {loops, SET_STREAM, NAMED(SET, convert), NAMED(SET, ycbcr), {S1_EACH_COLUMNS(PASS_OF)}, {S1_EACH_ROWS(PASS_OF)}};
  return &set;
}
