/* shuffle.h - what the shuffles of AVX2 and NEON share, to be included after rows.h. A vector has
 * VEC_LANES lanes of 16 bytes. The including file defines
 *   select_bytes(w, at, form, windows, t), which returns the vector that `form`, from lanes to
 *            cross, makes by tables t from the windows at w[lane][k] + at, or at w[0][k] + at if
 *            it merges windows,
 *   select_every(s, form, width), which returns the vector of every second, third or fourth
 *            element from s on,
 *   every_tail(d, s, t, form, width), which makes the tail t of a row of such elements, and
 *   tail_vector(d, s, v, lanes), which makes one lane or two as v describes them by form
 *            lanes, and stores them at d. v->at counts from s.
 * If a vector has several lanes, it also defines
 *   permute_dwords(x, form, t, perm), which returns what forms bytes and dwords make of the
 *            window x by the permutation `perm` of dwords, and
 *   turn(perm, q), which returns `perm` turned down by q quarters.
 */

/* Copies to t the tables of the first `windows` windows of v. */
FN void load_tables(const s1_vector *v, int windows, tables *t) {
  for (int i = 0; i < VEC_LANES; i++) t->perm[i] = load(v->perm[i]);
  EACH_WINDOW(0, windows, {
    t->pick[k] = load(v->pick[k]);
    for (int i = 0; i < VEC_LANES; i++) t->at[i][k] = v->at[i][k];
  });
}

/* Sets w[i][k] to the place of window k of lane i, for a row whose source begins at s. */
FN void place_windows(const uint8_t *w[VEC_LANES][S1_WINDOWS], const uint8_t *s, int windows, const tables *t) {
  EACH_WINDOW(0, windows, {
    for (int i = 0; i < VEC_LANES; i++) w[i][k] = s + t->at[i][k];
  });
}

/* Stores the tails of the row at d, whose source begins at s. */
static __attribute__((noinline)) ISA void row_tails(const s1_program *p, uint8_t *d, const uint8_t *s) {
  for (const s1_tail *t = p->windows.tail; t < p->windows.tail + p->windows.tails; t++) tail_vector(d + t->dst, s + t->src, &t->vector, p->windows.tail_lanes);
}

/* A row: main vector i is made at s + i*step and stored at d + i*advance, and the tails follow. */
FN void row_shuffle(const s1_program *p, uint8_t *d, const uint8_t *s, int form, int windows, const tables *t) {
  const int64_t step = p->windows.step, advance = p->windows.advance;
  const uint8_t *w[VEC_LANES][S1_WINDOWS] = {{0}};
  place_windows(w, s, windows, t);
  uint8_t *o = d;
  int64_t at = 0, i = p->windows.count;
#if V > S1_LANE
  if (windows == 1 && advance == 3 * V / 4 && (form == S1_bytes || form == S1_dwords)) {
    vec turned[4];
    for (int k = 0; k < 4; k++) turned[k] = turn(t->perm[form == S1_bytes], k);
#define TURNED(at, k) permute_dwords(load(w[0][0] + (at)), form, t, turned[k])
    IN_FOURS(i, o, at, step, TURNED);
#undef TURNED
  }
#endif
#define MAKE(at) select_bytes(w, at, form, windows, t)
  EACH_VECTOR(i, windows, o, advance, at, step, MAKE);
#undef MAKE
  if (p->windows.tails) row_tails(p, d, s);
}

FN void run_windows(const s1_program *p, uint8_t *dst, const uint8_t *src, int form, int windows) {
  tables t = {0};
  load_tables(&p->windows.main, windows, &t);
  if (windows <= 2) ONE_OR_EACH_ROW(p, dst, src, row_shuffle(p, d, s, form, windows, &t));
  else EACH_ROW(p, dst, src, row_shuffle(p, d, s, form, windows, &t));
}

/* A row of every second, third or fourth element of w bytes, as the form says. If there is a tail,
 * it is a vector that ends with the row and may overlap the vector before it. */
FN void row_every(const s1_program *p, uint8_t *d, const uint8_t *s, int form, int w) {
  const int windows = form - S1_every2 + 2;
  uint8_t *o = d;
  int64_t at = 0;
#define MAKE(at) select_every(s + (at), form, w)
  IN_TURNS(p->windows.count, 0, o, V, at, windows * V, MAKE);
#undef MAKE
  for (const s1_tail *t = p->windows.tail; t < p->windows.tail + p->windows.tails; t++) every_tail(d, s, t, form, w);
}

FN void run_every(const s1_program *p, uint8_t *dst, const uint8_t *src, int form, int w) { ONE_OR_EACH_ROW(p, dst, src, row_every(p, d, s, form, w)); }

/* A row of units: unit i has `unit` bytes at d + i*unit, and is made at s + at[i]. It is stored as
 * a whole vector, and the next unit overwrites the excess. Units that `alone` lists are copied
 * element by element. If form lanes makes units of one lane, two units that follow each other are
 * made as one vector, one unit in each lane. */
FN void row_units(const s1_program *p, uint8_t *d, const uint8_t *s, int form, int windows, const tables *t) {
  const int64_t unit = p->units.unit;
  const int32_t *const at = p->units.at;
  const uint8_t *w[VEC_LANES][S1_WINDOWS] = {{0}};
  place_windows(w, s, windows, t);
  int64_t i = 0;
  for (const uint16_t *alone = p->units.alone;; alone++) {
    const int64_t stop = *alone;
#if V > S1_LANE
    for (; form == S1_lanes && unit == S1_LANE && i < stop - 1; i += 2, d += 2 * S1_LANE) {
      const uint8_t *both[2][S1_WINDOWS] = {{0}};
      EACH_WINDOW(0, windows, (both[0][k] = w[0][k] + at[i], both[1][k] = w[1][k] + at[i + 1]));
      store(d, select_bytes(both, 0, form, windows, t));
    }
#endif
#pragma GCC unroll 2
    for (; i < stop; i++, d += unit) store(d, select_bytes(w, at[i], form, windows, t));
    if (i == p->units.count) return;
    unit_elements(p, d, s + at[i]);
    i++, d += unit;
  }
}

FN void run_units(const s1_program *p, uint8_t *dst, const uint8_t *src, int form, int windows) {
  tables t = {0};
  load_tables(&p->units.each, windows, &t);
  EACH_ROW(p, dst, src, row_units(p, d, s, form, windows, &t));
}

#define RUN(form, variant)                                                                         \
  do {                                                                                             \
    if (form >= S1_units_lanes) run_units(p, dst, src, form - S1_units_lanes + S1_lanes, variant); \
    else if (form >= S1_every2) run_every(p, dst, src, form, variant);                             \
    else run_windows(p, dst, src, form, variant);                                                  \
  } while (0)
