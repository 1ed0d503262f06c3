/* loops.h - the table of a set's loops, to be included last. The including file defines SET,
 * the name of the set, ISA, as for vec.h, and LOOPS(X), which is X(name, statement) for each
 * loop of the set. The statement runs program p from src to dst. The loops are in the order of
 * the set's list in sets.go.
 */
#define PASTE(a, b) a##_##b
#define NAMED(set, name) PASTE(set, name)
#define STRING(x) #x
#define QUOTED(x) STRING(x)

/* Each loop is a function that is not inlined, so that its stack frame is no larger than that
 * loop needs. */
#define LOOP(name, statement) \
  static __attribute__((noinline)) ISA void NAMED(SET, name)(const s1_program *p, uint8_t *dst, const uint8_t *src) { statement; }
LOOPS(LOOP)
#undef LOOP

#define ENTRY(name, statement) NAMED(SET, name),
static s1_loop *const loops[] = {LOOPS(ENTRY)};
#undef ENTRY

#define ENTRY(name, statement) QUOTED(NAMED(SET, name)),
static const char *const names[] = {LOOPS(ENTRY) 0};
#undef ENTRY

#include "convert.h"

/* The table is static, so that several copies of this package link into one program. Where the
 * set is compiled to an object file without cgo, S1_TABLE is defined as nothing, and the table is
 * external. */
#ifndef S1_TABLE
#define S1_TABLE static
#endif
S1_TABLE const s1_set NAMED(s1, SET) = {QUOTED(SET), sizeof loops / sizeof loops[0], loops, names, NAMED(SET, convert), NAMED(SET, ycbcr)};
