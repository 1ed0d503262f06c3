/* loops.h - all loops of a set and their table, to be included last by the header of a set.
 * S1_LOOPS_SET of layout.h lists the loops, by PLAIN without variants and by VARIANT with variants.
 * run_FORM(p, dst, src) runs program p from src to dst, and run_variant does so for the forms from
 * lanes on. */
#include "set.h"

#include "recipe.h"
#include "rows.h"
#if HAS_MASKS
#include "masks.h"
#else
#include "gather.h"
#include "tile.h"
#include "table.h"
#include "windows.h"
#endif
#include "shuffle.h"
#if HAS_STREAMS
#include "stream.h"
#else
#define SET_STREAM 0 /* no program asks for non-temporal stores */
#endif
#if HAS_STREAMS && !HAS_MASKS
#include "views.h"
#endif
#include "convert.h"
#include "decoders.h"
#include "ycbcr.h"
#include "frame.h"

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

/* Sets with masks resample by VNNI only. What that has no pass for, and all on hosts without it,
 * kernel avx512 does by AVX2's. */
#if HAS_MASKS
#include "vnni.h"
#define PASS_OF(name) 0,
#define VNNI_OF(name) name,
#else
#include "resample.h"
#include "area.h"
#include "planes.h"
#define PASS_OF(name) name,
#define VNNI_OF(name) 0,
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
  static const s1_set set = {loops,
                             SET_STREAM,
                             NAMED(SET, convert),
                             NAMED(SET, ycbcr),
                             NAMED(SET, frame),
                             {S1_EACH_COLUMNS(PASS_OF, VNNI_OF)},
                             {S1_EACH_ROWS(PASS_OF, VNNI_OF)},
                             {S1_EACH_PLANE_COLUMNS(PASS_OF)},
                             {S1_EACH_PLANE_ROWS(PASS_OF)}};
  return &set;
}
