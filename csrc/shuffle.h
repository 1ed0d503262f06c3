/* shuffle.h - what the shuffles of AVX2 and NEON share, to be included after rows.h. A vector has
 * VEC_LANES lanes of 16 bytes. The including file defines
 *   select_bytes(r, at, form, windows), which returns the vector that `form`, from lanes to cross,
 *            makes by r from the windows at r->window[lane][k] + at, or at r->window[0][k] + at if
 *            it merges windows,
 *   select_every(s, form, width), which returns the vector of every second, third or fourth
 *            element from s on,
 *   every_tail(d, s, t, form, width), which makes the tail t of a row of such elements, and
 *   tail_vector(d, s, v, lanes), which makes one lane or two as v describes them by form
 *            lanes, and stores them at d. v->at counts from s.
 * If a vector has several lanes, it also defines
 *   permute_dwords(x, form, r, perm), which returns what forms bytes and dwords make of the
 *            window x by the permutation `perm` of dwords, and
 *   turn(perm, q), which returns `perm` turned down by q quarters.
 */

FN vec make(const recipe *r, int64_t at, int form, int variant) {
  if (form == S1_copy) return load(r->window[0][0] + at);
  if (form >= S1_every2) return select_every(r->window[0][0] + at, form, variant);
  return select_bytes(r, at, form, variant);
}

#if V > S1_LANE
FN vec make_turned(const recipe *r, int64_t at, int q, int form) {
  return permute_dwords(load(r->window[0][0] + at), form, r, turn(r->perm[form == S1_bytes], q));
}
#endif

/* The recipe of vectors like v, of `windows` windows. */
FN recipe recipe_of(const s1_vector *v, int windows) {
  recipe r = {0};
  for (int i = 0; i < VEC_LANES; i++) r.perm[i] = load(v->perm[i]);
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) {
    r.pick[k] = load(v->pick[k]);
    for (int i = 0; i < VEC_LANES; i++) r.at[i][k] = v->at[i][k];
  }
  return r;
}

/* r for a row whose source begins at s. */
FN recipe recipe_at(const recipe *r, const uint8_t *s, int windows) {
  recipe placed = *r;
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++)
    for (int i = 0; i < VEC_LANES; i++) placed.window[i][k] = s + r->at[i][k];
  return placed;
}

/* Stores the tails of the row at d, whose source begins at s. */
static __attribute__((noinline)) ISA void row_tails(const s1_program *p, uint8_t *d, const uint8_t *s) {
  for (const s1_tail *t = p->windows.tail; t < p->windows.tail + p->windows.tails; t++) tail_vector(d + t->dst, s + t->src, &t->vector, p->windows.tail_lanes);
}

/* A row: main vector i is made at s + i*step and stored at d + i*advance, and the tails follow. */
FN void row_shuffle(const s1_program *p, uint8_t *d, const uint8_t *s, const recipe *of_rows, int form, int windows) {
  const recipe r = recipe_at(of_rows, s, windows);
  cursor c = {d, 0, p->windows.step, p->windows.advance};
  int64_t n = p->windows.count;
#if V > S1_LANE
  if (windows == 1 && c.advance == 3 * V / 4 && (form == S1_bytes || form == S1_dwords)) n = make_in_fours(&r, &c, n, form);
#endif
  make_vectors(&r, &c, n, form, windows);
  if (p->windows.tails) row_tails(p, d, s);
}

FN void run_windows(const s1_program *p, uint8_t *dst, const uint8_t *src, int form, int windows) {
  const recipe of_rows = recipe_of(&p->windows.main, windows);
  if (windows <= 2 && one_row(p)) {
    row_shuffle(p, dst + p->dst, src + p->src, &of_rows, form, windows);
    return;
  }
  row_cursor r = FIRST_ROW(p, dst, src);
  do row_shuffle(p, r.d, r.s, &of_rows, form, windows);
  while (next_row(&r));
}

/* A row of every second, third or fourth element of w bytes, as the form says. If there is a tail,
 * it is a vector that ends with the row and may overlap the vector before it. */
FN void row_every(const s1_program *p, uint8_t *d, const uint8_t *s, int form, int w) {
  const recipe r = {.window = {{s}}};
  cursor c = {d, 0, (form - S1_every2 + 2) * V, V};
  make_ahead(&r, &c, p->windows.count, 0, form, w);
  for (const s1_tail *t = p->windows.tail; t < p->windows.tail + p->windows.tails; t++) every_tail(d, s, t, form, w);
}

FN void run_every(const s1_program *p, uint8_t *dst, const uint8_t *src, int form, int w) {
  if (one_row(p)) {
    row_every(p, dst + p->dst, src + p->src, form, w);
    return;
  }
  row_cursor r = FIRST_ROW(p, dst, src);
  do row_every(p, r.d, r.s, form, w);
  while (next_row(&r));
}

/* A row of units: unit i has `unit` bytes at d + i*unit, and is made at s + at[i]. It is stored as
 * a whole vector, and the next unit overwrites the excess. Units that `alone` lists are copied
 * element by element. If form lanes makes units of one lane, two units that follow each other are
 * made as one vector, one unit in each lane. */
FN void row_units(const s1_program *p, uint8_t *d, const uint8_t *s, const recipe *of_rows, int form, int windows) {
  const int64_t unit = p->units.unit;
  const int32_t *const at = p->units.at;
  const recipe r = recipe_at(of_rows, s, windows);
  int64_t i = 0;
  for (const uint16_t *alone = p->units.alone;; alone++) {
    const int64_t stop = *alone;
#if V > S1_LANE
    for (; form == S1_lanes && unit == S1_LANE && i < stop - 1; i += 2, d += 2 * S1_LANE) {
      recipe both = r;
#pragma GCC unroll 8
      for (int k = 0; k < windows; k++) both.window[0][k] += at[i], both.window[1][k] += at[i + 1];
      store(d, make(&both, 0, form, windows));
    }
#endif
#pragma GCC unroll 2
    for (; i < stop; i++, d += unit) store(d, make(&r, at[i], form, windows));
    if (i == p->units.count) return;
    unit_elements(p, d, s + at[i]);
    i++, d += unit;
  }
}

FN void run_units(const s1_program *p, uint8_t *dst, const uint8_t *src, int form, int windows) {
  const recipe of_rows = recipe_of(&p->units.each, windows);
  row_cursor r = FIRST_ROW(p, dst, src);
  do row_units(p, r.d, r.s, &of_rows, form, windows);
  while (next_row(&r));
}

FN void run_variant(const s1_program *p, uint8_t *dst, const uint8_t *src, int form, int variant) {
  if (form >= S1_units_lanes) run_units(p, dst, src, form - S1_units_lanes + S1_lanes, variant);
  else if (form >= S1_every2) run_every(p, dst, src, form, variant);
  else run_windows(p, dst, src, form, variant);
}
