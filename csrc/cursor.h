/* cursor.h - how all loops step from row to row. */

/* Steps the `loops` outermost loops of p to their next iteration. The innermost loop that is not at
 * its last iteration takes a step, and the loops inside it begin again. counts[r] is the iteration
 * of loop r. Returns the loop that took a step, or null if all were at their last iteration. */
static __attribute__((noinline)) const s1_dim *next_loop(const s1_program *p, int loops, int64_t *counts) {
  for (int r = loops - 1; r >= 0; r--) {
    if (++counts[r] < p->dims[r].extent) return &p->dims[r];
    counts[r] = 0;
  }
  return 0;
}

/* A row of a program, with d and s at its first element in the destination and in the source, and
 * how many rows follow. For example, these statements copy a byte of each row:
 *
 *   row_cursor r = FIRST_ROW(p, dst, src);
 *   do *r.d = *r.s;
 *   while (next_row(&r));
 */
typedef struct {
  const s1_program *p;
  s1_dim innermost;
  uint8_t *d;
  const uint8_t *s;
  int64_t left, next_left; /* rows of the innermost loop, and iterations of the one around it */
  int64_t *counts;         /* iterations of the loops around both */
} row_cursor;

/* The first row of p. dst and src are the addresses that p's offsets count from. */
#define FIRST_ROW(p, dst, src) first_row(p, dst, src, (int64_t[S1_RANK]){0})
FN row_cursor first_row(const s1_program *p, uint8_t *dst, const uint8_t *src, int64_t *counts) {
  return (row_cursor){p, p->innermost, dst + p->dst, src + p->src, p->innermost.extent, p->next.extent, counts};
}

/* Steps to the next row. Returns 0 if there is none. */
FN int next_row(row_cursor *r) {
  if (__builtin_expect(--r->left != 0, 1)) {
    r->d += r->innermost.dst, r->s += r->innermost.src;
    return 1;
  }
  const s1_dim *step = &r->p->next;
  if (--r->next_left == 0) {
    step = r->p->outer > 2 ? next_loop(r->p, r->p->outer - 2, r->counts) : 0;
    if (!step) return 0;
    r->next_left = r->p->next.extent;
  }
  r->left = r->innermost.extent;
  r->d += step->dst, r->s += step->src;
  return 1;
}

/* 1 if no loop is around the row of p. It is marked as likely, since gcc does not align loops that
 * are not. */
FN int one_row(const s1_program *p) { return __builtin_expect(p->outer == 0, 1); }
