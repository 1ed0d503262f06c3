/* rows.h - how all loops step from row to row, and the loop that copies rows, written once for all
 * sets of instructions. To be included after vec.h.
 *
 * No pointer is declared restrict, so compilers must expect source and destination to alias. They
 * then cannot reorder stores that have a load between them, and the stores stay in ascending order,
 * which the caches want. Where no load lies between stores, stay() of vec.h keeps the order.
 */

/* Steps the `loops` outermost loops of p to their next iteration. The innermost loop that is not at
 * its last iteration takes a step, and the loops inside it begin again. at[r] is the iteration of
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

/* Runs `body` once if no loop is around the row of p, else EACH_ROW. The first case is marked as
 * likely, since gcc does not align loops in an unlikely one. */
#define ONE_OR_EACH_ROW(p, base_dst, base_src, body)  \
  do {                                                \
    if (__builtin_expect((p)->outer == 0, 1)) {       \
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

/* for (i = 0; i < n; i++) d[i] = s[i], for n in [vectors*V, (vectors+1)*V) and `vectors` from 1 to
 * 8. Everything is loaded before the first store. */
FN void copy_vectors(uint8_t *d, const uint8_t *s, int64_t n, int vectors) {
  const vec end = load(s + (n - V));
  vec x[8];
#pragma GCC unroll 8
  for (int i = 0; i < vectors; i++) x[i] = load(s + i * V);
#pragma GCC unroll 8
  for (int i = 0; i < vectors; i++) store_here(d + i * V, x[i]);
  if (n > vectors * V) store(d + (n - V), end);
}

/* for (i = 0; i < n; i++) d[i] = s[i], for n >= 5*V. All vectors except the first and the last are
 * stored at multiples of V, since a store across two cache lines takes twice as long. memcpy is not
 * used: some C libraries copy by `rep movsb` even where the alignment of a row makes that slow. */
FN void copy_long(uint8_t *d, const uint8_t *s, int64_t n) {
  const vec begin = load(s), end = load(s + (n - V));
  const int64_t ahead = -(uintptr_t)d & (V - 1);
  if (ahead > 0) store_here(d, begin), d += ahead, s += ahead, n -= ahead;
  IN_TURNS(n / V, 4, d, V, s, V, load);
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
