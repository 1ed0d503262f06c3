/* rows.h - the steps from row to row of all loops, and the loops whose rows are copied,
 * gathered or copied element by element, written once for all sets of instructions. It is to be
 * included after vec.h. The including file defines HAS_MASKS as 1 if the set has loads and stores under
 * masks, else as 0.
 *
 * No pointer is declared restrict, so that compilers must expect source and destination to alias.
 * That keeps stores in ascending order, which the caches want, where loads are between them. Where
 * none are, stay() of vec.h does.
 */

/* Steps the `loops` outermost loops of p to their next iteration: the innermost of them that is not
 * at its last iteration takes a step, and those inside it begin again. at[r] is the iteration of
 * loop r. Returns the loop that took a step, or null if all were at their last iteration. */
static __attribute__((noinline)) const s1_dim *next_loop(const s1_program *p, int loops, int64_t *at) {
  for (int r = loops - 1; r >= 0; r--) {
    if (++at[r] < p->dims[r].extent) return &p->dims[r];
    at[r] = 0;
  }
  return 0;
}

/* Runs `body` for each row of p, with d and s at the row's first element in the destination and in
 * the source. base_dst and base_src are the addresses that p's offsets count from. */
#define EACH_ROW(p, base_dst, base_src, body)                           \
  do {                                                                  \
    const s1_dim in_ = (p)->innermost;                                  \
    int64_t do_ = (p)->dst, so_ = (p)->src, at_[S1_RANK] = {0};         \
    for (int64_t left_ = (p)->next.extent;;) {                          \
      for (int64_t i_ = in_.extent;; do_ += in_.dst, so_ += in_.src) {  \
        uint8_t *const d = (base_dst) + do_;                            \
        const uint8_t *const s = (base_src) + so_;                      \
        body;                                                           \
        if (--i_ == 0) break;                                           \
      }                                                                 \
      const s1_dim *step_ = &(p)->next;                                 \
      if (--left_ == 0) {                                               \
        step_ = (p)->outer > 2 ? next_loop(p, (p)->outer - 2, at_) : 0; \
        if (!step_) break;                                              \
        left_ = (p)->next.extent;                                       \
      }                                                                 \
      do_ += step_->dst, so_ += step_->src;                             \
    }                                                                   \
  } while (0)

/* EACH_ROW, without its loops if no loop is around the row of p. */
#define ONE_OR_EACH_ROW(p, base_dst, base_src, body)  \
  do {                                                \
    if ((p)->outer == 0) {                            \
      uint8_t *const d = (base_dst) + (p)->dst;       \
      const uint8_t *const s = (base_src) + (p)->src; \
      body;                                           \
    } else {                                          \
      EACH_ROW(p, base_dst, base_src, body);          \
    }                                                 \
  } while (0)

/* for (i = 0; i < n; i++) d[i] = s[i], for n from sizeof(type) to 2 * sizeof(type): two loads, then
 * two stores, which overlap if n is less than 2 * sizeof(type). */
#define COPY_TWO(d, s, n, type)                      \
  do {                                               \
    type a_, b_;                                     \
    memcpy(&a_, (s), sizeof a_);                     \
    memcpy(&b_, (s) + ((n) - sizeof b_), sizeof b_); \
    memcpy((d), &a_, sizeof a_);                     \
    memcpy((d) + ((n) - sizeof b_), &b_, sizeof b_); \
  } while (0)

/* for (i = 0; i < n; i++) d[i] = s[i], for n in [vectors*V, (vectors+1)*V) and `vectors` from 1 to 8.
 * Everything is loaded before the first store. */
FN void copy_vectors(uint8_t *d, const uint8_t *s, int64_t n, int vectors) {
  const vec end = load(s + (n - V));
  vec x[8];
#pragma GCC unroll 8
  for (int i = 0; i < vectors; i++) x[i] = load(s + i * V);
#pragma GCC unroll 8
  for (int i = 0; i < vectors; i++) store_here(d + i * V, x[i]);
  if (n > vectors * V) store(d + (n - V), end);
}

/* for (i = 0; i < n; i++) d[i] = s[i], for n >= 4*V. memcpy is not used: some C
 * libraries copy by `rep movsb` even where the alignment of a row makes that slow. */
FN void copy_long(uint8_t *d, const uint8_t *s, int64_t n) {
  const vec end = load(s + (n - V));
#define NEXT() (s += V, load(s - V))
#define PUT(x) (store_here(d, x), d += V)
  IN_TURNS(n / V, 4, NEXT, PUT);
#undef PUT
#undef NEXT
  if (n % V) store(d + (n % V - V), end);
}

/* clang-format off */
FN void run_copy(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  const int64_t n = p->row.extent * p->width;
  switch (n < 9 * V ? n / V : 9) {
#define CASE(c)                                                                    \
  case c:                                                                          \
    if (c <= 2 && n == c * V) EACH_ROW(p, dst, src, copy_vectors(d, s, c * V, c)); \
    else EACH_ROW(p, dst, src, copy_vectors(d, s, n, c));                          \
    break;
    CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
#undef CASE
    case 9: EACH_ROW(p, dst, src, copy_long(d, s, n)); break;
    default:
#if V > 32
      if (n >= 32) EACH_ROW(p, dst, src, COPY_TWO(d, s, n, vec32));
      else
#endif
#if V > 16
      if (n >= 16) EACH_ROW(p, dst, src, COPY_TWO(d, s, n, loose16));
      else
#endif
      if (n >= 8) EACH_ROW(p, dst, src, COPY_TWO(d, s, n, uint64_t));
      else if (n >= 4) EACH_ROW(p, dst, src, COPY_TWO(d, s, n, uint32_t));
      else if (n >= 2) EACH_ROW(p, dst, src, COPY_TWO(d, s, n, uint16_t));
      else EACH_ROW(p, dst, src, *d = *s);
  }
}
/* clang-format on */

/* Returns the 16/w elements of w bytes at s, s + ss, s + 2*ss, ... */
FN vec16 gather(const uint8_t *s, int64_t ss, int w) {
  typedef uint16_t v2 __attribute__((vector_size(16)));
  typedef uint32_t v4 __attribute__((vector_size(16)));
  typedef uint64_t v8 __attribute__((vector_size(16)));
#define AT(i, type) load_##type(s + (i)*ss)
  switch (w) {
    case 1:
      return (vec16){s[0],      s[ss],     s[2 * ss],  s[3 * ss],  s[4 * ss],  s[5 * ss],  s[6 * ss],  s[7 * ss],
                     s[8 * ss], s[9 * ss], s[10 * ss], s[11 * ss], s[12 * ss], s[13 * ss], s[14 * ss], s[15 * ss]};
    case 2: return (vec16)(v2){AT(0, u16), AT(1, u16), AT(2, u16), AT(3, u16), AT(4, u16), AT(5, u16), AT(6, u16), AT(7, u16)};
    case 4: return (vec16)(v4){AT(0, u32), AT(1, u32), AT(2, u32), AT(3, u32)};
    default: return (vec16)(v8){AT(0, u64), AT(1, u64)};
  }
#undef AT
}

/* for (i = 0; i < n; i++) element i of d = the element at s, elements having w bytes and n*w being at
 * least 16 */
static __attribute__((noinline)) ISA void row_fill(uint8_t *d, const uint8_t *s, int64_t n, int w) {
  const vec16 x = gather(s, 0, w);
  uint8_t bytes[V];
  for (int i = 0; i < V; i += 16) store16(bytes + i, x);
  const vec v = load(bytes);
  int64_t i = 0;
#pragma GCC unroll 4
  for (; i <= n * w - V; i += V) store(d + i, v);
#if V > 16
  for (; i <= n * w - 16; i += 16) store16(d + i, x);
#endif
  store16(d + (n * w - 16), x);
}

/* for (i = 0; i < done; i++) element i of d = the element at s + i*ss, elements having 8 bytes.
 * Returns `done`, which is n rounded down to a multiple of 4, or of 2 for NEON. Vectors of the first
 * half of the row and of the second one take turns: in one pass up a source as large as the
 * first-level cache, each line would displace one that the next run of the program reads sooner. */
FN int64_t row_gather8(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss) {
  enum { wide = V > 16 ? 32 : 16, many = wide / 8 };
  typedef uint64_t part __attribute__((vector_size(wide), aligned(1), may_alias));
#if V > 16
#define PART(s) ((part){load_u64(s), load_u64((s) + ss), load_u64((s) + 2 * ss), load_u64((s) + 3 * ss)})
#else
#define PART(s) ((part){load_u64(s), load_u64((s) + ss)})
#endif
  const int64_t half = n / 2 & -many;
  const uint8_t *const t = s + half * ss;
  uint8_t *e = d + half * 8;
  int64_t at = 0;
  for (int64_t i = half; i > 0; i -= many, at += many * ss, d += wide, e += wide) {
    const part a = PART(s + at), b = PART(t + at);
    *(part *)d = a, stay();
    *(part *)e = b, stay();
  }
  for (int64_t i = n - 2 * half; i >= many; i -= many, at += many * ss, e += wide) *(part *)e = PART(t + at), stay();
#undef PART
  return n & -many;
}

/* for (i = 0; i < n; i++) element i of d = the element at s + i*ss, elements having w bytes and n*w
 * being at least 16 */
FN void row_gather(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, int w) {
  int64_t i = 0;
  if (ss == 0) {
    row_fill(d, s, n, w);
    return;
  }
  if (w == 1 && (ss == S1_LINE || ss == -S1_LINE)) {
    /* This loop is not unrolled, so that one load instruction makes all loads: where each line has
     * one byte, speed depends on the processor's prefetching, which follows each load instruction
     * by itself. */
#pragma GCC unroll 1
    for (int64_t at = 0; i < n; i++, at += ss) d[i] = s[at];
    return;
  }
  if (w == 8) i = row_gather8(d, s, n, ss);
  for (; i <= n - 16 / w; i += 16 / w) store16(d + i * w, gather(s + i * ss, ss, w));
  if (i < n) store16(d + (n * w - 16), gather(s + (n - 16 / w) * ss, ss, w));
}

/* for (i = 0; i < n; i++) the element at d + i*ds = the element at s + i*ss, elements having w bytes */
FN void row_element(uint8_t *d, const uint8_t *s, int64_t n, int64_t ds, int64_t ss, int w) {
  int64_t to = 0, from = 0;
  /* Four elements an iteration, so that only one address in four waits for the one before it. */
  for (; n >= 4; n -= 4, to += 4 * ds, from += 4 * ss) {
    uint64_t x[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) memcpy(&x[i], s + (from + i * ss), (size_t)w);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) memcpy(d + (to + i * ds), &x[i], (size_t)w);
  }
  for (; n > 0; n--, to += ds, from += ss) memcpy(d + to, s + from, (size_t)w);
}

#if !HAS_MASKS
/* Copies a unit of p->units element by element: for (i = 0; i < unit / w; i++) the element at
 * d + i*w = the element at s + element[i], w being the width of p. */
static __attribute__((noinline)) ISA void unit_elements(const s1_program *p, uint8_t *d, const uint8_t *s) {
  const int n = (int)p->units.unit;
  const int32_t *at = p->units.element;
#define EACH(w) \
  for (int j = 0; j < n; j += w) memcpy(d + j, s + *at++, w)
  switch (p->width) {
    case 1: EACH(1); break;
    case 2: EACH(2); break;
    case 4: EACH(4); break;
    default: EACH(8);
  }
#undef EACH
}
#endif

/* EACH_ROW with constants for `body`: w, which is `width` and must be a constant, and the row's
 * number of elements n and strides ds and ss. */
#define EACH_ROW_OF(width, p, dst, src, body)                                \
  do {                                                                       \
    enum { w = width };                                                      \
    const int64_t n = (p)->row.extent, ds = (p)->row.dst, ss = (p)->row.src; \
    (void)ds, (void)ss;                                                      \
    EACH_ROW(p, dst, src, body);                                             \
  } while (0)

/* EACH_ROW_OF for the width of p. */
#define EACH_ROW_BY_WIDTH(p, dst, src, body)            \
  do {                                                  \
    switch ((p)->width) {                               \
      case 1: EACH_ROW_OF(1, p, dst, src, body); break; \
      case 2: EACH_ROW_OF(2, p, dst, src, body); break; \
      case 4: EACH_ROW_OF(4, p, dst, src, body); break; \
      default: EACH_ROW_OF(8, p, dst, src, body);       \
    }                                                   \
  } while (0)

FN void run_gather(const s1_program *p, uint8_t *dst, const uint8_t *src) { EACH_ROW_BY_WIDTH(p, dst, src, row_gather(d, s, n, ss, w)); }

FN void run_element(const s1_program *p, uint8_t *dst, const uint8_t *src) { EACH_ROW_BY_WIDTH(p, dst, src, row_element(d, s, n, ds, ss, w)); }
