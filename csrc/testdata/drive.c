/* drive.c - runs nests through every kernel this processor has and compares each
 * byte of the destination with the plain loop's. Buffers end where their elements
 * end, and memcheck and the address sanitizer see every access outside them or to
 * a gap. It is a program, and with LIBFUZZER defined a target of libFuzzer:
 *
 *   drive random COUNT SEED   rows of every short length, then COUNT random nests
 *   drive files FILE...       the nests libFuzzer left in files
 */
#include "../s1.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(MEMCHECK)
#include <valgrind/memcheck.h>
#define HIDE(at, n) (void)VALGRIND_MAKE_MEM_NOACCESS(at, n)
#define SHOW(at, n) (void)VALGRIND_MAKE_MEM_DEFINED(at, n)
#elif defined(__SANITIZE_ADDRESS__) || defined(__clang__) /* which has no such macro */
#include <sanitizer/asan_interface.h>
#define HIDE(at, n) ASAN_POISON_MEMORY_REGION(at, n)
#define SHOW(at, n) ASAN_UNPOISON_MEMORY_REGION(at, n)
#else
#define HIDE(at, n) ((void)(at), (void)(n))
#define SHOW(at, n) HIDE(at, n)
#endif

/* Most elements of a nest from bytes, and most bytes between its first and last one. */
enum { ELEMENTS = 1 << 12, SPAN = 1 << 16, KERNELS = 8 };

static struct {
  long programs[S1_CLASS_COUNT], streamed[S1_CLASS_COUNT];
} seen[KERNELS];

static int usable(const s1_isa *isa) {
#if defined(__x86_64__)
  if (!strcmp(isa->name, "avx2")) return __builtin_cpu_supports("avx2");
  return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi");
#else
  return isa != 0;
#endif
}

static uint64_t random_state = 1;

static uint64_t random_bits(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return random_state >> 32;
}

/* SPAN bytes that repeat at no distance. */
static const uint8_t *noise(void) {
  static uint8_t bytes[SPAN];
  static int made;
  if (!made++)
    for (int i = 0; i < SPAN; i++) bytes[i] = (uint8_t)random_bits();
  return bytes;
}

/* Calls for the loops of n from axis on: to takes the element, used its place. */
static void walk(const s1_nest *n, int axis, uint8_t *to, uint8_t *used, const uint8_t *from) {
  if (axis == n->rank) {
    for (int i = 0; i < n->width; i++) to[i] = from[i];
    memset(used, 1, (size_t)n->width);
    return;
  }
  const s1_dim *d = &n->dims[axis];
  for (int64_t i = 0; i < d->extent; i++) walk(n, axis + 1, to + i * d->dst, used + i * d->dst, from + i * d->src);
}

static void *memory(int64_t size) {
  void *m = malloc((size_t)size);
  if (!m) {
    perror("malloc");
    exit(2);
  }
  return m;
}

static void hide_gaps(uint8_t *dst, const uint8_t *used, int64_t size) {
  for (int64_t i = 0, end; i < size; i = end + 1) {
    for (end = i; end < size && !used[end]; end++) {
    }
    if (end > i) HIDE(dst + i, (size_t)(end - i));
  }
}

static void fail(const s1_isa *isa, const s1_prog *p, const s1_nest *n, int64_t at, int got, int want) {
  fprintf(stderr, "%s, class %s%s: byte %lld is %#x, want %#x\nwidth %d, offsets %lld from %lld", isa->name, s1_class_names[p->class_],
          p->stream ? ", past the caches" : "", (long long)at, got, want, n->width, (long long)n->dst_off, (long long)n->src_off);
  for (int i = 0; i < n->rank; i++)
    fprintf(stderr, ", {%lld, %lld, %lld}", (long long)n->dims[i].extent, (long long)n->dims[i].src, (long long)n->dims[i].dst);
  fprintf(stderr, "\n");
  abort();
}

/* Runs n, its destination strides positive, from and to memory that many bytes
 * behind an aligned address. */
static void check(s1_nest n, int before_dst, int before_src) {
  int64_t lo = 0, hi = n.width, size = before_dst + n.width;
  for (int i = 0; i < n.rank; i++) {
    const int64_t reach = n.dims[i].src * (n.dims[i].extent - 1);
    *(reach < 0 ? &lo : &hi) += reach;
    size += n.dims[i].dst * (n.dims[i].extent - 1);
  }
  n.dst_off = before_dst;
  n.src_off = before_src - lo;
  uint8_t *const src = memory(before_src + hi - lo), *const used = memory(size), *const want = memory(size);
  memcpy(src + before_src, noise(), (size_t)(hi - lo));
  HIDE(src, (size_t)before_src);
  memset(used, 0, (size_t)size);
  for (int64_t i = 0; i < size; i++) want[i] = (uint8_t)(0xc0 + i % 61);
  uint8_t *const canaries = memory(size);
  memcpy(canaries, want, (size_t)size);
  walk(&n, 0, want + n.dst_off, used + n.dst_off, src + n.src_off);

  for (int32_t k = 0; k < s1_isa_count; k++) {
    const s1_isa *const isa = s1_isas[k];
    if (!usable(isa)) continue;
    for (int stream = S1_cached; stream <= S1_past_short; stream++) {
      s1_prog *const p = memory(sizeof *p);
      uint8_t *const dst = memory(size);
#ifndef MEMCHECK /* which knows itself what is not set */
      memset(p, 0xa5, sizeof *p);
#endif
      memcpy(dst, canaries, (size_t)size);
      hide_gaps(dst, used, size);
      s1_prepare(&n, &isa->target, stream, p);
      isa->run(p, dst, src);
      SHOW(dst, (size_t)size);
      if (memcmp(dst, want, (size_t)size))
        for (int64_t i = 0; i < size; i++)
          if (dst[i] != want[i]) fail(isa, p, &n, i, dst[i], want[i]);
      (p->stream ? seen[k].streamed : seen[k].programs)[p->class_]++;
      free(dst);
      free(p);
    }
  }
  SHOW(src, (size_t)before_src);
  free(canaries);
  free(want);
  free(used);
  free(src);
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

/* A stride by which the source may move, `chain` being what continues the loop inside. */
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

/* The nest that some bytes describe: every input is one that keeps the contract. */
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
  const int swap = next(in); /* mostly 0, behind the input's end */
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
/* Two rows of every length about a vector and of each stride. */
static void check_rows(void) {
  static const int strides[] = {1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 7, -8, 9, 16, -17, 64, 0};
  for (int w = 1; w <= 8; w *= 2)
    for (int n = 1; n < 2 * S1_PERMUTE / w + 36; n++)
      for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        const int64_t stride = strides[i] * w;
        check((s1_nest){.rank = 2, .width = w, .dims = {{2, (n + 1) * stride, n * w + n % 4}, {n, stride, w}}}, n % 9, n % 7);
      }
}

/* Prints what ran; reports whether every class did with each kernel. */
static int all_ran(void) {
  int kernels = 0, all = 1;
  for (int32_t k = 0; k < s1_isa_count; k++) {
    if (!usable(s1_isas[k])) {
      printf("%-8s not run: this processor has none\n", s1_isas[k]->name);
      continue;
    }
    kernels++;
    printf("%-8s", s1_isas[k]->name);
    for (int c = 0; c < S1_CLASS_COUNT; c++) {
      const int streams = c == S1_copy || c == S1_shuffle || c == S1_tile;
      printf(" %s %ld", s1_class_names[c], seen[k].programs[c]);
      if (streams) printf("+%ld", seen[k].streamed[c]);
      all &= seen[k].programs[c] > 0 && (!streams || seen[k].streamed[c] > 0);
    }
    printf("\n");
  }
  return kernels > 0 && all;
}

static void check_random(long count, uint64_t seed) {
  uint8_t bytes[48];
  check_rows();
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
    fprintf(stderr, "not every class was run\n");
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
