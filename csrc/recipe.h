/* recipe.h - rows of vectors that are made by a recipe, and when each is stored. A recipe has the
 * windows that vectors are loaded from and the indices or masks by which they become vectors. */

/* Returns the vector that a form and a variant make of windows that lie `offset` bytes behind those
 * of the first vector, or of unit number `offset`. windows.h and masks.h define it. `form` is a
 * constant in all calls, so that the compiler leaves out the other forms. */
FN vec make(const recipe *r, int64_t offset, int form, int variant);

/* A place in a row: the next vector is made from `offset` and stored at d, and step and advance
 * lead from one vector to the next. */
typedef struct {
  uint8_t *d;
  int64_t offset, step, advance;
} cursor;

FN vec make_next(const recipe *r, cursor *c, int form, int variant) {
  const int64_t offset = c->offset;
  c->offset += c->step;
  return make(r, offset, form, variant);
}

FN void store_next(cursor *c, vec v) { store_in_order(c->d, v), c->d += c->advance; }

/* Makes n / size * size >= size vectors and stores them, in order, in groups of `size`, 1 or 4. A
 * group is stored after the next one has been made. Returns how many vectors are left. */
FN int64_t make_groups(const recipe *r, cursor *c, int64_t n, int size, int form, int variant) {
  vec x[4], next[4];
#pragma GCC unroll 4
  for (int i = 0; i < size; i++) x[i] = make_next(r, c, form, variant);
  for (; n >= 2 * size; n -= size) {
#pragma GCC unroll 4
    for (int i = 0; i < size; i++) next[i] = make_next(r, c, form, variant);
#pragma GCC unroll 4
    for (int i = 0; i < size; i++) store_next(c, x[i]);
#pragma GCC unroll 4
    for (int i = 0; i < size; i++) x[i] = next[i];
  }
#pragma GCC unroll 4
  for (int i = 0; i < size; i++) store_next(c, x[i]);
  return n - size;
}

/* Makes n >= least vectors and stores them, in order. Vectors are made ahead of the stores: in
 * groups of four, and the last n % 4 one by one. The reason: if the addresses of a load and of an
 * earlier store agree in the low bits, a processor takes the load for dependent on the store. The
 * load then waits until the store has left. */
FN void make_ahead(const recipe *r, cursor *c, int64_t n, int least, int form, int variant) {
  if (least >= 4 || n >= 4) n = make_groups(r, c, n, 4, form, variant);
  if (n > 0) make_groups(r, c, n, 1, form, variant);
}

/* Makes n vectors and stores them. They are made ahead of the stores if each has one window, or if
 * it has two and source and destination advance alike. In other rows one vector at a time is
 * faster: the addresses of loads and stores soon differ in the low bits, or there are many loads.
 */
FN void make_vectors(const recipe *r, cursor *c, int64_t n, int form, int windows) {
  if (windows == 1 || (windows == 2 && c->step == c->advance)) {
    make_ahead(r, c, n, 0, form, windows);
    return;
  }
#pragma GCC unroll 2
  for (; n > 0; n--, c->offset += c->step, c->d += c->advance) store(c->d, make(r, c->offset, form, windows));
}

#if V > S1_LANE
/* Returns what make returns for one window, rotated down by q quarters of a vector, so that quarter
 * q comes first. windows.h and masks.h define it. */
FN vec make_turned(const recipe *r, int64_t offset, int q, int form);

/* For vectors of which only the first three quarters are output. Makes n / 4 * 4 of them, and
 * stores each four as three whole vectors: abc-, def-, ghi- and jkl- are stored as abcd, efgh and
 * ijkl. Otherwise some stores would cross a cache line, and such a store takes twice as long.
 * Returns how many vectors are left. */
FN int64_t make_in_fours(const recipe *r, cursor *c, int64_t n, int form) {
  for (; n >= 4; n -= 4, c->d += 3 * V) {
    vec x[4];
#pragma GCC unroll 4
    for (int q = 0; q < 4; q++, c->offset += c->step) x[q] = make_turned(r, c->offset, q, form);
#pragma GCC unroll 3
    for (int q = 0; q < 3; q++) store_in_order(c->d + q * V, quarters(x[q], x[q + 1], 3 - q));
  }
  return n;
}
#endif
