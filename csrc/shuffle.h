/* shuffle.h - the shuffle for vectors of two 16-byte lanes, to be included after rows.h. The
 * including file defines
 *   select_bytes(w, at, form, windows, t), which returns the vector that a form from lanes to
 *            cross makes by tables t of the windows at w[lane][k] + at, or w[0][k] + at where
 *            windows are merged,
 *   select_every(s, form, width), which returns the vector of every second, third or fourth
 *            element from s on, and
 *   tail_vector(d, s, v, lanes), which makes one lane or two as v describes them, by form
 *            lanes, and stores them at d; v->at counts from s.
 */

/* Stores the tails of a row. */
static __attribute__((noinline)) ISA void row_tails(const s1_program *p, uint8_t *d, const uint8_t *s) {
  for (const s1_tail *t = p->windows.tail; t < p->windows.tail + p->windows.tails; t++) tail_vector(d + t->dst, s + t->src, &t->vector, p->windows.tail_lanes);
}

/* A row: main vector i is made at s + i*step and stored at d + i*advance, and the tails follow. */
FN void row_shuffle(const s1_program *p, uint8_t *d, const uint8_t *s, int form, int windows, const tables *t) {
  const int64_t n = p->windows.count, step = p->windows.step, advance = p->windows.advance;
  const uint8_t *w[2][S1_WINDOWS] = {{0}};
  EACH_WINDOW(0, windows, (w[0][k] = s + t->at[0][k], w[1][k] = s + t->at[1][k]));
  uint8_t *o = d;
  int64_t at = 0;
#define NEXT() (at += step, select_bytes(w, at - step, form, windows, t))
#define PUT(x) (store_here(o, x), o += advance)
  int64_t i = n;
  if (windows == 1 && advance == 3 * V / 4 && (form == S1_bytes || form == S1_dwords)) {
    vec turned[4];
    for (int k = 0; k < 4; k++) turned[k] = turn(t->perm[form == S1_bytes], k);
#define MAKE(k) permute_dwords(load(w[0][0] + (at + k * step)), form, t, turned[k])
    IN_FOURS(i, o, at, step, MAKE);
#undef MAKE
  }
  /* Vectors are made ahead of the stores if each has one window, or if it has two and source and
   * destination advance alike. In other rows the addresses of loads and stores soon differ in the
   * low bits, or loads are many, and one vector at a time is faster. */
  if (windows == 1 || (windows == 2 && step == advance)) {
    IN_TURNS(i, 0, NEXT, PUT);
    i = 0;
  }
#undef PUT
#undef NEXT
#pragma GCC unroll 2
  for (; i > 0; i--, at += step, o += advance) store(o, select_bytes(w, at, form, windows, t));
  if (p->windows.tails) row_tails(p, d, s);
}

/* A row of every second, third or fourth element of w bytes, as the form says: `count` vectors, and, if
 * there is a tail, one that ends with the row and may overlap the vector before it. */
FN void row_every(const s1_program *p, uint8_t *d, const uint8_t *s, int form, int w) {
  const s1_tail *const tail = p->windows.tail;
  const int64_t n = p->windows.count * V;
  int64_t i = 0;
#define AT(i) select_every(s + EVERY_OF(form) * (i), form, w)
  for (; i <= n - 4 * V; i += 4 * V) {
    const vec a = AT(i), b = AT(i + V), c = AT(i + 2 * V), e = AT(i + 3 * V);
    store_here(d + i, a), store_here(d + i + V, b), store_here(d + i + 2 * V, c), store_here(d + i + 3 * V, e);
  }
  for (; i < n; i += V) store(d + i, AT(i));
#undef AT
  if (p->windows.tails) store(d + tail->dst, select_every(s + tail->src, form, w));
}

/* A row of units: unit i, `unit` bytes at d + i*unit, is made at s + at[i] and stored as a whole
 * vector, of which the next unit overwrites what is too much. Units that `alone` lists are copied
 * element by element. If form lanes makes units of one lane, two units that follow each other are made
 * as one vector, a lane each. */
FN void row_units(const s1_program *p, uint8_t *d, const uint8_t *s, int form, int windows, const tables *t) {
  const int64_t unit = p->units.unit;
  const int paired = form == S1_lanes && unit == S1_LANE;
  const int32_t *const at = p->units.at;
  const uint8_t *w[2][S1_WINDOWS] = {{0}};
  EACH_WINDOW(0, windows, (w[0][k] = s + t->at[0][k], w[1][k] = s + t->at[1][k]));
  int64_t i = 0;
  for (const uint16_t *alone = p->units.alone;; alone++) {
    const int64_t stop = *alone;
    for (; paired && i < stop - 1; i += 2, d += 2 * S1_LANE) {
      const uint8_t *both[2][S1_WINDOWS] = {{0}};
      EACH_WINDOW(0, windows, (both[0][k] = w[0][k] + at[i], both[1][k] = w[1][k] + at[i + 1]));
      store(d, select_bytes(both, 0, form, windows, t));
    }
#pragma GCC unroll 2
    for (; i < stop; i++, d += unit) store(d, select_bytes(w, at[i], form, windows, t));
    if (i == p->units.count) return;
    unit_elements(p, d, s + at[i]);
    i++, d += unit;
  }
}

/* Copies to t what v says of its first `windows` windows. */
FN void load_tables(const s1_vector *v, int windows, tables *t) {
  for (int i = 0; i < 2; i++) t->perm[i] = load(v->perm[i]);
  EACH_WINDOW(0, windows, (t->pick[k] = load(v->pick[k]), t->at[0][k] = v->at[0][k], t->at[1][k] = v->at[1][k]));
}

FN void run_every(const s1_program *p, uint8_t *dst, const uint8_t *src, int form, int w) { ONE_OR_EACH_ROW(p, dst, src, row_every(p, d, s, form, w)); }

FN void run_windows(const s1_program *p, uint8_t *dst, const uint8_t *src, int form, int windows) {
  tables t = {0};
  load_tables(&p->windows.main, windows, &t);
  ONE_OR_EACH_ROW(p, dst, src, row_shuffle(p, d, s, form, windows, &t));
}

FN void run_units(const s1_program *p, uint8_t *dst, const uint8_t *src, int form, int windows) {
  tables t = {0};
  load_tables(&p->units.each, windows, &t);
  EACH_ROW(p, dst, src, row_units(p, d, s, form, windows, &t));
}

static __attribute__((noinline)) ISA void vector_lines(const s1_program *p, uint8_t *o, int64_t lines, const uint8_t *s, int64_t from, horizon h) {
  const int form = p->loop / S1_VARIANTS, windows = between(1, p->windows.main.windows, S1_WINDOWS);
  const int64_t step = p->windows.step;
  tables t = {0};
  const uint8_t *w[2][S1_WINDOWS] = {{0}};
  load_tables(&p->windows.main, windows, &t);
  EACH_WINDOW(0, windows, (w[0][k] = s + t.at[0][k], w[1][k] = s + t.at[1][k]));
#define FORM(form)                                                                      \
  case S1_##form:                                                                       \
    EACH_LINE(o, lines, s, from, step, h, select_bytes(w, at, S1_##form, windows, &t)); \
    break;
#define EVERY(form, w) \
  case S1_##form *S1_VARIANTS + w: EACH_LINE(o, lines, s, from, step, h, select_every(s + at, S1_##form, w)); break;
  switch (form) { FORM(lanes) FORM(dwords) FORM(bytes) FORM(inlane) FORM(swap) FORM(cross) }
  switch (p->loop) { EVERY(every2, 1) EVERY(every2, 2) EVERY(every2, 4) EVERY(every2, 8) EVERY(every3, 4) EVERY(every4, 1) EVERY(every4, 2) EVERY(every4, 4) }
#undef EVERY
#undef FORM
}
