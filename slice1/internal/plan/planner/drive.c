//go:build ignore

/* drive.c - runs nests by every program that the planner makes for the instruction sets of
 * this processor, and compares each byte of the destination with what a plain loop copies.
 * Buffers end where their elements end. Built for memcheck or with the address sanitizer,
 * it fails on an access outside of the buffers, or to a gap of the destination. It is a
 * program, or a target of libFuzzer if LIBFUZZER is defined:
 *
 *   drive random COUNT SEED   rows and units of every short length, then COUNT random nests
 *   drive files FILE...       the nests that the bytes of files spell, as libFuzzer leaves them
 *
 * The macro SETS has X(name) for every set whose loops are linked. The environment variable
 * PLANNER is the path of the planner.
 */
#include "planner.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(MEMCHECK)
#include <valgrind/memcheck.h>
#define HIDE(at, n) (void)VALGRIND_MAKE_MEM_NOACCESS(at, n)
#define SHOW(at, n) (void)VALGRIND_MAKE_MEM_DEFINED(at, n)
#define FORGET(at, n) (void)VALGRIND_MAKE_MEM_UNDEFINED(at, n)
#elif defined(__SANITIZE_ADDRESS__) || defined(__clang__) /* clang defines no such macro */
#include <sanitizer/asan_interface.h>
#define HIDE(at, n) ASAN_POISON_MEMORY_REGION(at, n)
#define SHOW(at, n) ASAN_UNPOISON_MEMORY_REGION(at, n)
#else
#define HIDE(at, n) ((void)(at), (void)(n))
#define SHOW(at, n) HIDE(at, n)
#endif

/* The most elements of a nest that nest_of makes, and the most bytes that the nest spans in the
 * source, or that one of its loops spans in the destination. */
enum { ELEMENTS = 1 << 12 };
enum { SPAN = 1 << 16 };

#define X(name) s1_##name,
static const s1_set *(*const tables[])(void) = {SETS};
#undef X
enum { SET_COUNT = sizeof tables / sizeof tables[0], LOOPS = S1_FORMS * S1_VARIANTS };

#define FORM(name) #name,
static const char *const form_names[] = {S1_EACH_FORM(FORM)};
#undef FORM

/* The sets; the number that the planner gives to each, or -1 for a set that this processor lacks;
 * and how often each loop ran with ordinary and with non-temporal stores. */
static const s1_set *sets[SET_COUNT];
static int64_t numbers[SET_COUNT];
static long runs[SET_COUNT][LOOPS][2];

static int usable(const s1_set *set) {
#if defined(S1_EMULATE_AVX512)
  return set && __builtin_cpu_supports("avx2");
#elif defined(__x86_64__)
  if (!strcmp(set->name, "avx2")) return __builtin_cpu_supports("avx2");
  return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi");
#else
  return set != 0;
#endif
}

static void *memory(int64_t size) {
  void *m = malloc((size_t)size);
  if (!m) {
    perror("malloc");
    exit(2);
  }
  return m;
}

static FILE *to_planner, *from_planner;

static void receive(void *to, int64_t size) {
  for (int64_t got = 0; (got += (int64_t)fread((char *)to + got, 1, (size_t)(size - got), from_planner)) < size;) {
    if (feof(from_planner) || errno != EINTR) { /* libFuzzer's timer interrupts a read */
      fprintf(stderr, "the planner has ended\n");
      abort();
    }
    clearerr(from_planner);
  }
}

static int64_t receive_number(void) {
  int64_t n;
  receive(&n, sizeof n);
  return n;
}

/* Starts the planner with the names of the sets that this processor has, and sets `numbers`. */
static void connect_planner(void) {
  char *argv[SET_COUNT + 2] = {getenv("PLANNER")};
  int argc = 1, requests[2], programs[2];
  for (int k = 0; k < SET_COUNT; k++) {
    sets[k] = tables[k]();
    if (usable(sets[k])) argv[argc++] = (char *)sets[k]->name;
  }
  if (!argv[0] || pipe(requests) || pipe(programs)) {
    perror("no planner");
    exit(2);
  }
  signal(SIGPIPE, SIG_IGN); /* if the planner has ended, a write to it fails, and receive says so */
  fflush(0);
  if (fork() == 0) {
    dup2(requests[0], STDIN_FILENO);
    dup2(programs[1], STDOUT_FILENO);
    close(requests[0]), close(requests[1]), close(programs[0]), close(programs[1]);
    execv(argv[0], argv);
    perror(argv[0]);
    _exit(2);
  }
  close(requests[0]), close(programs[1]);
  to_planner = fdopen(requests[1], "w");
  from_planner = fdopen(programs[0], "r");
  const int64_t request = receive_number(), program = receive_number();
  if (request != sizeof(s1_request) || program != sizeof(s1_program)) {
    fprintf(stderr, "a request has %zu bytes and a program %zu; to the planner %lld and %lld\n", sizeof(s1_request), sizeof(s1_program), (long long)request,
            (long long)program);
    exit(2);
  }
  for (int k = 0; k < SET_COUNT; k++) numbers[k] = usable(sets[k]) ? receive_number() : -1;
}

static s1_program *ask(const s1_nest *n, int fill, int64_t *count) {
  const s1_request request = {*n, fill};
  fwrite(&request, sizeof request, 1, to_planner);
  fflush(to_planner);
  *count = receive_number();
  s1_program *const p = memory(*count * (int64_t)sizeof *p);
  receive(p, *count * (int64_t)sizeof *p);
  return p;
}

/* Returns the programs for n, which the caller frees, and their number in *count. Starts the
 * planner if it does not run yet. */
static s1_program *plan(const s1_nest *n, int64_t *count) {
  if (!to_planner) connect_planner();
  s1_program *const programs = ask(n, 0xa5, count);
#ifdef MEMCHECK /* a byte that differs with the fill was not set by the planner */
  int64_t other_count;
  s1_program *const others = ask(n, 0x5a, &other_count);
  if (other_count != *count) {
    fprintf(stderr, "the planner has read what it has not set\n");
    abort();
  }
  for (int64_t i = 0; i < *count * (int64_t)sizeof *programs; i++)
    if (((uint8_t *)programs)[i] != ((uint8_t *)others)[i]) FORGET((uint8_t *)programs + i, 1);
  free(others);
#endif
  return programs;
}

/* Returns the index in `sets` of the set that p is for. Aborts if there is none, or if p names no
 * loop. */
static int set_of(const s1_program *p) {
  for (int k = 0; k < SET_COUNT; k++)
    if (numbers[k] == p->set && p->loop >= 0 && p->loop < LOOPS) return k;
  fprintf(stderr, "no set has number %d and a loop %d\n", p->set, p->loop);
  abort();
}

static uint64_t random_state = 1;

static uint64_t random_bits(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return random_state >> 32;
}

/* Returns SPAN random bytes, the same ones at each call. */
static const uint8_t *noise(void) {
  static uint8_t bytes[SPAN];
  static int made;
  if (!made++)
    for (int i = 0; i < SPAN; i++) bytes[i] = (uint8_t)random_bits();
  return bytes;
}

/* Copies what the loops of n from `axis` on copy, from `from` to `to`. Sets a byte of `used` to 1
 * if that byte of `to` belongs to an element. */
static void walk(const s1_nest *n, int axis, uint8_t *to, uint8_t *used, const uint8_t *from) {
  if (axis == n->rank) {
    for (int i = 0; i < n->width; i++) to[i] = from[i];
    memset(used, 1, (size_t)n->width);
    return;
  }
  const s1_dim *d = &n->dims[axis];
  for (int64_t i = 0; i < d->extent; i++) walk(n, axis + 1, to + i * d->dst, used + i * d->dst, from + i * d->src);
}

static void hide_gaps(uint8_t *dst, const uint8_t *used, int64_t size) {
  for (int64_t i = 0, end; i < size; i = end + 1) {
    for (end = i; end < size && !used[end]; end++) {}
    if (end > i) HIDE(dst + i, (size_t)(end - i));
  }
}

static void fail(const s1_program *p, const s1_nest *n, int64_t at, int got, int want) {
  fprintf(stderr, "%s %s %d: byte %lld is %#x, want %#x\nwidth %d, offsets %lld from %lld", sets[set_of(p)]->name, form_names[p->loop / S1_VARIANTS],
          p->loop % S1_VARIANTS, (long long)at, got, want, n->width, (long long)n->dst_off, (long long)n->src_off);
  for (int i = 0; i < n->rank; i++) fprintf(stderr, ", {%lld, %lld, %lld}", (long long)n->dims[i].extent, (long long)n->dims[i].src, (long long)n->dims[i].dst);
  fprintf(stderr, "\n");
  abort();
}

#ifdef LIBFUZZER
/* Sets a counter that libFuzzer watches, since it does not see the code of the planner. There is
 * one for each loop and each number of loops, tails, lanes and vectors, up to a few of each. */
static void tell(int set, const s1_program *p) {
  __attribute__((section("__libfuzzer_extra_counters"))) static uint8_t counters[SET_COUNT][LOOPS][4][5][3][4];
  int64_t count = 0, tails = 0, lanes = 0;
  const int form = p->loop / S1_VARIANTS;
  if (form < S1_lanes) count = p->row.extent;
  else if (form <= S1_every4) count = p->windows.count, tails = p->windows.tails, lanes = p->windows.tail_lanes;
  else if (form <= S1_units_cross) count = p->units.count, tails = p->units.alone[0] < count;
  else if (form == S1_permute) count = p->masks.count, tails = p->masks.tails;
  else count = p->masked_units.whole, tails = p->masked_units.tails;
#define AT_MOST(most, n) ((n) < (most) ? (n) : (most))
  counters[set][p->loop][AT_MOST(3, p->outer)][AT_MOST(4, tails)][AT_MOST(2, lanes)][AT_MOST(3, count)] = 1;
#undef AT_MOST
}
#endif

/* The buffers of a nest: its source, and for its destination what is there before a run, what must
 * be there after the run, and 1 for each byte that belongs to an element. */
typedef struct {
  uint8_t *src, *before, *want, *used;
  int64_t size; /* of the destination */
} trial;

/* Runs a copy of a program and compares all of the destination. The copy has memory of its
 * own, so that reads past its end are found. */
static void run_program(const trial *t, const s1_program *program, const s1_nest *n) {
  s1_program *const p = memory(sizeof *p);
  uint8_t *const dst = memory(t->size);
  memcpy(p, program, sizeof *p);
  memcpy(dst, t->before, (size_t)t->size);
  hide_gaps(dst, t->used, t->size);
  const int set = set_of(p);
  run_loop(sets[set], p, dst, t->src);
  SHOW(dst, (size_t)t->size);
  if (memcmp(dst, t->want, (size_t)t->size))
    for (int64_t at = 0; at < t->size; at++)
      if (dst[at] != t->want[at]) fail(p, n, at, dst[at], t->want[at]);
  runs[set][p->loop][p->nt]++;
#ifdef LIBFUZZER
  tell(set, p);
#endif
  free(dst);
  free(p);
}

/* Runs n, whose destination strides must be positive, by every program that the planner makes for
 * it, and aborts if one copies other bytes. The first element of the destination lies before_dst
 * bytes after the beginning of a block from malloc, the first byte of the source before_src bytes. */
static void check(s1_nest n, int before_dst, int before_src) {
  int64_t lo = 0, hi = n.width, size = before_dst + n.width;
  for (int i = 0; i < n.rank; i++) {
    const int64_t reach = n.dims[i].src * (n.dims[i].extent - 1);
    *(reach < 0 ? &lo : &hi) += reach;
    size += n.dims[i].dst * (n.dims[i].extent - 1);
  }
  n.dst_off = before_dst;
  n.src_off = before_src - lo;
  const trial t = {memory(before_src + hi - lo), memory(size), memory(size), memory(size), size};
  memcpy(t.src + before_src, noise(), (size_t)(hi - lo));
  HIDE(t.src, (size_t)before_src);
  memset(t.used, 0, (size_t)size);
  for (int64_t i = 0; i < size; i++) t.before[i] = (uint8_t)(0xc0 + i % 61);
  memcpy(t.want, t.before, (size_t)size);
  walk(&n, 0, t.want + n.dst_off, t.used + n.dst_off, t.src + n.src_off);

  int64_t count;
  s1_program *const programs = plan(&n, &count);
  for (int64_t i = 0; i < count; i++) run_program(&t, &programs[i], &n);
  free(programs);
  SHOW(t.src, (size_t)before_src);
  free(t.src);
  free(t.before);
  free(t.want);
  free(t.used);
}

typedef struct {
  const uint8_t *at;
  size_t left;
} input;

/* The next byte of the input, 0 behind its end. */
static int next(input *in) {
  if (in->left == 0) return 0;
  in->left--;
  return *in->at++;
}

static int next_word(input *in) {
  const int low = next(in);
  return (int16_t)(low | next(in) << 8);
}

/* Returns a source stride for a loop. `kind` chooses its sort, w is the width of an element, and
 * `chain` the stride at which the loop continues the one inside it. */
static int64_t source_stride(input *in, int kind, int64_t w, int64_t chain) {
  switch (kind % 8) {
    case 0:
    case 1: return chain;
    case 2: return -chain;
    case 3: return chain + next(in) % 32;
    case 4: return w * (next(in) % 19 - 9);
    case 5: return (int8_t)next(in);
    case 6: return next_word(in);
    default: return w * (next_word(in) % 512);
  }
}

/* Returns the nest that the input spells. Whatever the input, extents and destination strides are
 * positive, and no two elements of the destination share a byte. */
static s1_nest nest_of(input *in) {
  const int head = next(in);
  s1_nest n = {.rank = head / 4 % (S1_RANK + 1), .width = 1 << head % 4};
  int64_t count = 1, dst = n.width, chain = n.width, left = SPAN - n.width;
  for (int i = n.rank - 1; i >= 0; i--) {
    s1_dim *const d = &n.dims[i];
    const int kind = next(in);
    d->dst = dst + (kind / 8 % 4 == 3 ? next(in) : 0);
    d->extent = 1 + (kind / 32 % 4 == 3 ? (next_word(in) & 0xfff) : next(in) % 24);
    while (d->extent > 1 && (d->extent * count > ELEMENTS || d->extent * d->dst > SPAN)) d->extent /= 2;
    d->src = source_stride(in, kind, n.width, chain);
    if (d->extent > 1) d->src %= left / (d->extent - 1) + 1;
    count *= d->extent;
    dst = d->extent * d->dst;
    chain = d->src * d->extent;
    left -= (d->src < 0 ? -d->src : d->src) * (d->extent - 1);
  }
  const int swap = next(in); /* 0 if the input has ended */
  if (n.rank > 1 && swap % 4 == 1) {
    s1_dim *const a = &n.dims[swap / 4 % n.rank], *const b = &n.dims[swap / 32 % n.rank], d = *a;
    *a = *b;
    *b = d;
  }
  return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  input in = {data, size};
  const int before = next(&in), more = next(&in);
  check(nest_of(&in), before % 64, more % 64);
  return 0;
}

#ifndef LIBFUZZER
/* Checks nests of two rows of each length and each stride. The lengths go from one element to 35
 * elements more than 128 bytes have. */
static void check_rows(void) {
  static const int strides[] = {1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 7, -8, 9, 16, -17, 64, 0};
  for (int w = 1; w <= 8; w *= 2)
    for (int n = 1; n < 2 * S1_PERMUTE / w + 36; n++)
      for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        const int64_t stride = strides[i] * w;
        check((s1_nest){.rank = 2, .width = w, .dims = {{2, (n + 1) * stride, n * w + n % 4}, {n, stride, w}}}, n % 9, n % 7);
      }
}

/* Checks rows that continue each other in the destination. Each consists of groups of reversed
 * elements and has at most 64 bytes. */
static void check_units(void) {
  for (int w = 1; w <= 8; w *= 2)
    for (int size = w; size <= S1_PERMUTE; size += w)
      for (int many = 1; many * size <= S1_PERMUTE; many++) {
        const int64_t row = many * size;
        check((s1_nest){.rank = 4, .width = w, .dims = {{3, 1000, 5 * row}, {5, 100, row}, {many, size, size}, {size / w, -w, w}}}, many % 9, size % 7);
      }
}

/* Whether a set has non-temporal stores for a form. */
static int streams(const s1_set *set, int form) {
  return set->loops[form * S1_VARIANTS].stream || (set->stream && ((form >= S1_lanes && form <= S1_every4) || form == S1_permute));
}

/* Prints for each set how often the loops of each form ran and, after a +, how often the loops with
 * non-temporal stores ran, if there are such. Returns whether this processor has a set, and whether
 * each form of each of its sets ran, with each sort of stores. */
static int all_ran(void) {
  int used = 0, all = 1;
  for (int k = 0; k < SET_COUNT; k++) {
    const s1_set *const set = sets[k];
    printf("%-8s", set->name);
    if (numbers[k] < 0) {
      printf(" not run: this processor has none\n");
      continue;
    }
    used++;
    for (int form = 0; form < S1_FORMS; form++) {
      long plain = 0, streamed = 0;
      int has = 0;
      for (int loop = form * S1_VARIANTS; loop < (form + 1) * S1_VARIANTS; loop++) {
        has |= set->loops[loop].run != 0;
        plain += runs[k][loop][0], streamed += runs[k][loop][1];
      }
      if (!has) continue;
      printf(" %s %ld", form_names[form], plain);
      if (streams(set, form)) printf("+%ld", streamed);
      all &= plain > 0 && (!streams(set, form) || streamed > 0);
    }
    printf("\n");
  }
  return used > 0 && all;
}

static void check_random(long count, uint64_t seed) {
  uint8_t bytes[48];
  check_rows();
  check_units();
  for (long i = 0; i < count; i++) {
    random_state = seed + (uint64_t)i;
    for (size_t j = 0; j < sizeof bytes; j++) bytes[j] = (uint8_t)random_bits();
    LLVMFuzzerTestOneInput(bytes, sizeof bytes);
  }
}

static void check_file(const char *name) {
  uint8_t bytes[4096];
  FILE *f = fopen(name, "rb");
  if (!f) {
    perror(name);
    exit(2);
  }
  LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, sizeof bytes, f));
  fclose(f);
}

int main(int argc, char **argv) {
  if (argc == 4 && !strcmp(argv[1], "random")) {
    check_random(atol(argv[2]), (uint64_t)atoll(argv[3]));
    if (all_ran()) return 0;
    fprintf(stderr, "not every form was run\n");
    return 1;
  }
  if (argc > 2 && !strcmp(argv[1], "files")) {
    for (int i = 2; i < argc; i++) check_file(argv[i]);
    return 0;
  }
  fprintf(stderr, "usage: drive random COUNT SEED | files FILE...\n");
  return 2;
}
#endif
