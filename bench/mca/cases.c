/* cases.c - slices for bench/mca/mca. `cases nests` writes them to the standard output as
 * requests for the planner; `cases run` reads what it answers from the standard input and
 * runs each slice twice between mark_begin and mark_end: by the NEON loop, and by a plain
 * loop. The compiler knows the strides of the plain loop's elements, except in transposed
 * views. The outputs of both are checked. */
#include "planner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format would break these calls of macros, which have no semicolons. */
/* clang-format off */
/* for (i < n) for (j < p) d[i*p + j] = s[i*q + o + j*r], in elements */
#define CASES(X)                                                                            \
  X(copy, 1, 1, 0, 0) X(fill, 1, 0, 0, 0)                                                   \
  X(stride2, 1, 2, 0, 0) X(stride3, 1, 3, 0, 0) X(stride4, 1, 4, 0, 0) X(stride5, 1, 5, 0, 0) \
  X(stride6, 1, 6, 0, 0) X(stride7, 1, 7, 0, 0) X(stride8, 1, 8, 0, 0) X(stride64, 1, 64, 0, 0) \
  X(minus1, 1, -1, 0, 0) X(minus2, 1, -2, 0, 0) X(minus3, 1, -3, 0, 0) X(minus4, 1, -4, 0, 0) \
  X(bgr, 3, 3, 2, -1) X(bgra, 3, 4, 2, -1) X(3of4, 3, 4, 0, 1)

typedef void loop(void *restrict dst, const void *restrict src, const s1_nest *n);

#define LOOP(name, type, p, q, r)                                                                          \
  __attribute__((noinline)) static void name##_##type(void *restrict dst, const void *restrict src, const s1_nest *n) { \
    type *restrict d = dst;                                                                                \
    const type *restrict s = src;                                                                          \
    for (int64_t i = 0; i < n->dims[0].extent; i++)                                                        \
      for (int j = 0; j < (p); j++) d[i * (p) + j] = s[i * (q) + j * (r)];                                 \
  }
#define X(name, p, q, o, r)                                                                 \
  LOOP(loop_##name, uint8_t, p, q, r) LOOP(loop_##name, uint16_t, p, q, r)                  \
  LOOP(loop_##name, uint32_t, p, q, r) LOOP(loop_##name, uint64_t, p, q, r)
CASES(X)
#undef X

/* for (i < n) for (j < m) d[i*a + j*ds] = s[i*b + j*ss] */
#define ROWS(name, type, ds, ss)                                                                           \
  __attribute__((noinline)) static void name##_##type(void *restrict dst, const void *restrict src, const s1_nest *n) { \
    const int64_t w = sizeof(type), a = n->dims[0].dst / w, b = n->dims[0].src / w;                        \
    for (int64_t i = 0; i < n->dims[0].extent; i++) {                                                      \
      type *restrict d = (type *)dst + i * a;                                                              \
      const type *restrict s = (const type *)src + i * b;                                                  \
      for (int64_t j = 0; j < n->dims[1].extent; j++) d[j * (ds)] = s[j * (ss)];                           \
    }                                                                                                      \
  }
#define BY_WIDTH(name) (w == 1 ? name##_uint8_t : w == 2 ? name##_uint16_t : w == 4 ? name##_uint32_t : name##_uint64_t)
#define ROWS_BY_WIDTH(name, ds, ss) ROWS(name, uint8_t, ds, ss) ROWS(name, uint16_t, ds, ss) ROWS(name, uint32_t, ds, ss) ROWS(name, uint64_t, ds, ss)
ROWS_BY_WIDTH(rows, 1, 1) ROWS_BY_WIDTH(every2, 1, 2) ROWS_BY_WIDTH(spread, 2, 1) ROWS_BY_WIDTH(across, 1, n->dims[1].src / w)

__attribute__((noinline)) void mark_begin(void) { __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void mark_end(void) { __asm__ volatile("" ::: "memory"); }
/* clang-format on */

/* What is not measured lies in a section that is not traced. */
#define APART __attribute__((noinline, section("apart")))

static uint8_t src[2 << 20], dst[1 << 16], want[1 << 16];

APART static void element_by_element(const s1_nest *n, int axis, int64_t d, int64_t s) {
  if (axis == n->rank) {
    memcpy(want + d, src + s, (size_t)n->width);
    return;
  }
  for (int64_t i = 0; i < n->dims[axis].extent; i++) element_by_element(n, axis + 1, d + i * n->dims[axis].dst, s + i * n->dims[axis].src);
}

APART static void check(const char *name, const char *by) {
  if (memcmp(dst, want, sizeof dst)) {
    fprintf(stderr, "%s: the %s is wrong\n", name, by);
    exit(1);
  }
  memset(dst, 0, sizeof dst);
}

static int writes; /* whether run writes the nests instead of running their programs */

APART static void receive(void *to, size_t size) {
  if (fread(to, 1, size, stdin) == size) return;
  fprintf(stderr, "the programs end too soon\n");
  exit(1);
}

APART static int64_t receive_number(void) {
  int64_t n;
  receive(&n, sizeof n);
  return n;
}

/* Receives the planner's programs for the next nest and returns the first of them. */
APART static s1_program next_program(void) {
  s1_program first = {0}, other;
  for (int64_t i = 0, count = receive_number(); i < count; i++) receive(i ? &other : &first, sizeof first);
  if (first.loop < 0 || first.loop >= s1_neon.count) {
    fprintf(stderr, "NEON has no loop %d\n", first.loop);
    exit(1);
  }
  return first;
}

APART static void run(const char *name, int w, int64_t origin, s1_nest n, loop *plain) {
  n.width = w;
  n.src_off = (int64_t)sizeof src / 2 + origin;
  if (writes) {
    const s1_request request = {.nest = n};
    fwrite(&request, sizeof request, 1, stdout);
    return;
  }
  memset(want, 0, sizeof want);
  element_by_element(&n, 0, 0, n.src_off);
  const s1_program p = next_program();
  s1_loop *const run_loop = s1_neon.loops[p.loop];
  mark_begin();
  run_loop(&p, dst, src);
  mark_end();
  check(name, "kernel");
  mark_begin();
  plain(dst, src + n.src_off, &n);
  mark_end();
  check(name, "loop");
  int64_t bytes = w;
  for (int i = 0; i < n.rank; i++) bytes *= n.dims[i].extent;
  printf("%s %d %lld %s\n", name, w, (long long)bytes, s1_neon.names[p.loop]);
}

APART int main(int argc, char **argv) {
  writes = argc == 2 && !strcmp(argv[1], "nests");
  if (!writes && (receive_number() != sizeof(s1_request) || receive_number() != sizeof(s1_program))) {
    fprintf(stderr, "the planner has other programs\n");
    return 1;
  }
  if (!writes) receive_number(); /* the number of NEON among the sets */
  enum { size = 4096 };
  for (size_t i = 0; i < sizeof src; i++) src[i] = (uint8_t)(1 + i * 7 + (i >> 8) * 3);
#define ROW_CASE(name, plain, n, by, m, ds, ss) \
  run(name, w, 0, (s1_nest){.rank = 2, .dims = {{n, by, (m) * (ds)}, {(m) / w, ss, ds == 1 ? w : ds * w}}}, BY_WIDTH(plain))
  for (int w = 1; w <= 8; w *= 2) {
#define X(name, p, q, o, r) \
  run(#name, w, (o)*w, (s1_nest){.rank = p > 1 ? 2 : 1, .dims = {{size / w / p, q * w, p * w}, {p, r * w, w}}}, BY_WIDTH(loop_##name));
    CASES(X)
#undef X
    ROW_CASE("rows64", rows, size / 64, 128, 64, 1, w);
    ROW_CASE("rows200", rows, size / 200, 400, 200, 1, w);
    ROW_CASE("2x2", every2, size / 64, 256, 64, 1, 2 * w);
    ROW_CASE("spread2", spread, 1, 0, size / 2, 2, w);
    run("transpose", w, 0, (s1_nest){.rank = 2, .dims = {{64 / w, w, size / 64 * w}, {size / 64, 64, w}}}, BY_WIDTH(across));
    run("transpose2", w, 0, (s1_nest){.rank = 2, .dims = {{64 / w, 2 * w, size / 64 * w}, {size / 64, 128, w}}}, BY_WIDTH(across));
  }
  return 0;
}
