/* shuffle.h - rows of vectors that are made of windows, for the forms from lanes on. A recipe has
 * the windows that vectors are loaded from, and the indices or masks by which they become vectors.
 * First comes when vectors are made and stored, then how they are made, with tails and units, by
 * lookups and permutations or, in masks.h, under masks, and last the rows of both. */

/* Returns the vector that a form and a variant make of windows that lie `offset` bytes behind those
 * of the first vector, or of unit number `offset`. It is defined below or by masks.h. `form` is
 * a constant in all calls, so that the compiler leaves out the other forms. */
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
 * q comes first. */
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

/* for (i = 0; i < n; i++) d[i] = s[i], for n >= 5*V. All vectors except the first and the last are
 * stored at multiples of V, since a store across two cache lines takes twice as long. memcpy is not
 * used: some C libraries copy by `rep movsb` even where the alignment of a row makes that slow. */
FN void copy_long(uint8_t *d, const uint8_t *s, int64_t n) {
  const vec begin = load(s), end = load(s + (n - V));
  const int64_t ahead = -(uintptr_t)d & (V - 1);
  if (ahead > 0) store_in_order(d, begin), d += ahead, s += ahead, n -= ahead;
  const recipe copy = {.window = {{s}}};
  cursor c = {d, 0, V, V};
  make_ahead(&copy, &c, n / V, 4, S1_copy, 0);
  if (n % V) store(c.d + (n % V - V), end);
}

#if HAS_MASKS
#include "masks.h"
#else

/* 1 for the forms that take every second, third or fourth element. */
#define TAKES_EVERY(form) ((form) >= S1_every2 && (form) <= S1_every4)

FN vec make(const recipe *r, int64_t offset, int form, int variant) {
  if (form == S1_copy) return load(r->window[0][0] + offset);
  if (form >= S1_every2) return select_every(r->window[0][0] + offset, form, variant);
  return select_bytes(r, offset, form, variant);
}

#if V > S1_LANE
FN vec make_turned(const recipe *r, int64_t offset, int q, int form) { return permuted(load(r->window[0][0] + offset), form, r, q); }
#endif

/* What the vectors of all rows of p share. */
FN recipe make_recipe(const s1_program *p, int form, int windows) {
  const s1_vector *const v = form < S1_units_lanes ? &p->shuffle.main : &p->units.each;
  recipe r = {0};
  if (TAKES_EVERY(form)) return r;
  for (int i = 0; i < VEC_LANES; i++) r.perm[i] = load(v->perm[i]);
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) {
    r.pick[k] = load(v->pick[k]);
    for (int i = 0; i < VEC_LANES; i++) r.offset[i][k] = v->at[i][k];
  }
  return r;
}

/* r for a row of p whose source begins at s. */
FN recipe place_recipe(const recipe *r, const s1_program *p, const uint8_t *s, int form, int windows) {
  recipe placed = *r;
  (void)p;
  if (TAKES_EVERY(form)) return (recipe){.window = {{s}}};
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++)
    for (int i = 0; i < VEC_LANES; i++) placed.window[i][k] = s + r->offset[i][k];
  return placed;
}

OUTLINE void shuffled_tails(const s1_program *p, uint8_t *d, const uint8_t *s) {
  for (const s1_tail *t = p->shuffle.tail; t < p->shuffle.tail + p->shuffle.tails; t++) tail_vector(d + t->dst, s + t->src, &t->vector, p->shuffle.tail_lanes);
}

/* Stores the tails of the row at d, whose source begins at s. */
FN void row_tails(const s1_program *p, uint8_t *d, const uint8_t *s, const recipe *r, cursor *c, int form, int variant) {
  (void)r, (void)c;
  if (form >= S1_every2)
    for (const s1_tail *t = p->shuffle.tail; t < p->shuffle.tail + p->shuffle.tails; t++) every_tail(d, s, t, form, variant);
  else if (p->shuffle.tails) shuffled_tails(p, d, s);
}

/* A row of units: unit i has `unit` bytes at d + i*unit, and is made at s + places[i]. It is stored
 * as a whole vector, and the next unit overwrites the excess. Units that `alone` lists are copied
 * element by element. If form lanes makes units of one lane, two units that follow each other are
 * made as one vector, one unit in each lane. */
FN void row_units(const s1_program *p, uint8_t *d, const uint8_t *s, const recipe *shared, int form, int windows) {
  const int64_t unit = p->units.unit;
  const int32_t *const places = p->units.at;
  const recipe r = place_recipe(shared, p, s, form, windows);
  int64_t i = 0;
  form += S1_lanes - S1_units_lanes;
  for (const uint16_t *alone = p->units.alone;; alone++) {
    const int64_t stop = *alone;
#if V > S1_LANE
    for (; form == S1_lanes && unit == S1_LANE && i < stop - 1; i += 2, d += 2 * S1_LANE) {
      recipe pair = r;
#pragma GCC unroll 8
      for (int k = 0; k < windows; k++) pair.window[0][k] += places[i], pair.window[1][k] += places[i + 1];
      store(d, make(&pair, 0, form, windows));
    }
#endif
#pragma GCC unroll 2
    for (; i < stop; i++, d += unit) store(d, make(&r, places[i], form, windows));
    if (i == p->units.count) return;
    unit_elements(p, d, s + places[i]);
    i++, d += unit;
  }
}
#endif

/* A row of vectors: main vector i is made at s + i*step and stored at d + i*advance, and the tails
 * follow. A tail may overlap the vector before it. */
FN void row_windows(const s1_program *p, uint8_t *d, const uint8_t *s, const recipe *shared, int form, int variant) {
  const recipe r = place_recipe(shared, p, s, form, variant);
  cursor c = {d, 0, p->shuffle.step, p->shuffle.advance};
  int64_t n = p->shuffle.count;
  if (!HAS_MASKS && form >= S1_every2) {
    c.step = (form - S1_every2 + 2) * V, c.advance = V;
    make_ahead(&r, &c, n, 0, form, variant);
  } else {
#if V > S1_LANE
    if (variant == 1 && c.advance == 3 * V / 4 && (HAS_MASKS || (form != S1_lanes && form != S1_cross))) n = make_in_fours(&r, &c, n, form);
#endif
    make_vectors(&r, &c, n, form, variant);
  }
  row_tails(p, d, s, &r, &c, form, variant);
}

FN void row_of(const s1_program *p, uint8_t *d, const uint8_t *s, const recipe *shared, int form, int variant) {
  if (HAS_MASKS ? form != S1_permute : form >= S1_units_lanes) row_units(p, d, s, shared, form, variant);
  else row_windows(p, d, s, shared, form, variant);
}

FN void run_variant(const s1_program *p, uint8_t *dst, const uint8_t *src, int form, int variant) {
  /* 1 if a program of one row runs a copy of row_of of its own, with no loop around it. */
  const int splits = HAS_MASKS ? form == S1_permute : form < S1_every2 ? variant <= 2 : form <= S1_every4;
  recipe shared = make_recipe(p, form, variant);
#if HAS_MASKS
  for (int q = 1; q < 4 && form == S1_permute && variant == 1; q++) shared.index[q] = turn(shared.index[0], q);
#endif
  if (splits && one_row(p)) {
    row_of(p, dst + p->dst, src + p->src, &shared, form, variant);
    return;
  }
  row_cursor r = FIRST_ROW(p, dst, src);
  do row_of(p, r.d, r.s, &shared, form, variant);
  while (next_row(&r));
}
