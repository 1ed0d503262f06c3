/* windows.h - vectors made of windows by lookups and permutations, their tails and their units, for
 * sets without masks. A vector has VEC_LANES lanes of 16 bytes. */

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
