/* loops.h - the table of a set's loops, after all else. The including file defines SET,
 * its name, and LOOPS(X), X(name, statement) for every loop: the statement runs program
 * p from src to dst. Their order is that of the set's loops in sets.go.
 */
#define PASTE(a, b) a##_##b
#define NAMED(set, name) PASTE(set, name)
#define STRING(x) #x
#define QUOTED(x) STRING(x)

/* One function per loop, each with a stack frame of its own size. */
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

/* Static, so that several copies of this package link into one program. Who links a set
 * without Go defines S1_TABLE as nothing. */
#ifndef S1_TABLE
#define S1_TABLE static
#endif
S1_TABLE const s1_set NAMED(s1, SET) = {QUOTED(SET), sizeof loops / sizeof loops[0], loops, names};
