/* shuffle.h - the shuffle for vectors of 16-byte lanes, after rows.h. The
 * including file defines
 *   select_bytes(w, at, form, windows, t), the vector that tables t make of the
 *            windows w[lane][k] + at,
 *   select_every(s, form, width, ends), the vector every2 or every3 makes at s, and
 *   edge_vector(d, s, v, lanes), which stores the vector of form lanes that v describes.
 */

/* The edges of the row at d. */
static __attribute__((noinline)) ISA void row_edges(const s1_prog *p, uint8_t *d, const uint8_t *s) {
  for (int e = 0; e < p->edges; e++)
    edge_vector(d + p->edge[e].dst, s + p->edge[e].src, &p->edge[e].v, p->edge_lanes);
}

/* for (j = 0; j < n; j++) d[j] = s[pattern[j % period] + j / period * advance] */
FN void row_shuffle(const s1_prog *p, uint8_t *d, const uint8_t *s, int form, int windows, const tables *t) {
  const int64_t n = p->vectors, step = p->step, advance = p->advance;
  const uint8_t *w[2][S1_WINDOWS] = {{0}};
  for (int lane = 0; lane < 2; lane++)
#pragma GCC unroll 8
    for (int k = 0; k < windows; k++) w[lane][k] = s + t->at[lane][k];
  uint8_t *o = d;
  int64_t so = 0;
#pragma GCC unroll 2
  for (int64_t i = n; i > 0; i--, so += step, o += advance) store(o, select_bytes(w, so, form, windows, t));
  if (p->edges) row_edges(p, d, s);
}

/* The same for an output too large for the caches, whose main vectors are whole. */
FN void row_shuffle_stream(const s1_prog *p, uint8_t *d, const uint8_t *s, int form, int windows, const tables *t, horizon h) {
  const int64_t n = p->vectors * V, unit = p->unit, per_line = (S1_LINE >> p->grain) * unit;
  const int grain = p->grain;
  const uint8_t *w[2][S1_WINDOWS] = {{0}};
  for (int lane = 0; lane < 2; lane++)
#pragma GCC unroll 8
    for (int k = 0; k < windows; k++) w[lane][k] = s + t->at[lane][k];
#define VECTOR(x) select_bytes(w, ((x) >> grain) * unit, form, windows, t)
#define FETCH(x) fetch_line(s + ((x) >> grain) * unit, per_line, h)
  STREAM_ROW(d, n, grain, unit < 0, VECTOR, FETCH);
#undef FETCH
#undef VECTOR
  if (p->edges) row_edges(p, d, s);
}

/* for (i = 0; i < n; i++) element i of d = element i*every of s, w bytes each */
FN void row_every(const s1_prog *p, uint8_t *d, const uint8_t *s, int form, int w) {
  const int64_t n = p->vectors * V;
  int64_t i = 0;
  if (w >= 4) /* few operations a vector: two at a time gain, where more lose */
    for (; i <= n - 2 * V; i += 2 * V) {
      store(d + i, select_every(s + S1_EVERY(form) * i, form, w, 0));
      store(d + i + V, select_every(s + S1_EVERY(form) * (i + V), form, w, 0));
    }
  for (; i < n; i += V) store(d + i, select_every(s + S1_EVERY(form) * i, form, w, 0));
  store(d + p->edge[0].dst, select_every(s + p->edge[0].src, form, w, 1));
}

FN void row_every_stream(const s1_prog *p, uint8_t *d, const uint8_t *s, int form, int w, horizon h) {
  const int64_t n = p->vectors * V, unit = p->unit, per_line = (S1_LINE >> p->grain) * unit;
  const int grain = p->grain;
#define VECTOR(x) select_every(s + ((x) >> grain) * unit, form, w, 0)
#define FETCH(x) fetch_line(s + ((x) >> grain) * unit, per_line, h)
  STREAM_ROW(d, n, grain, 0, VECTOR, FETCH);
#undef FETCH
#undef VECTOR
  store(d + p->edge[0].dst, select_every(s + p->edge[0].src, form, w, 1));
}

/* for (i = 0; i < units; i++) for (j = 0; j < unit; j++) d[i * unit + j] = s[unit_at[i] + pattern[j]] */
FN void row_units(const s1_prog *p, uint8_t *d, const uint8_t *s, int form, int windows, const tables *t) {
  const int64_t unit = p->advance;
  const int paired = form == S1_form_lanes && unit == S1_LANE;
  const int32_t *const at = p->unit_at;
  const uint8_t *w[2][S1_WINDOWS] = {{0}};
  for (int lane = 0; lane < 2; lane++)
#pragma GCC unroll 8
    for (int k = 0; k < windows; k++) w[lane][k] = s + t->at[lane][k];
  int64_t i = 0;
  for (const uint16_t *alone = p->alone;; alone++) {
    const int64_t stop = *alone;
    for (; paired && i < stop - 1; i += 2, d += 2 * S1_LANE) {
      const uint8_t *both[2][S1_WINDOWS] = {{0}};
      for (int lane = 0; lane < 2; lane++)
#pragma GCC unroll 8
        for (int k = 0; k < windows; k++) both[lane][k] = w[lane][k] + at[i + lane];
      store(d, select_bytes(both, 0, form, windows, t));
    }
#pragma GCC unroll 2
    for (; i < stop; i++, d += unit) store(d, select_bytes(w, at[i], form, windows, t));
    if (i == p->units) return;
    unit_elements(p, d, s + at[i]);
    i++, d += unit;
  }
}

FN void load_tables(const s1_vector *v, int windows, tables *t) {
  for (int i = 0; i < 2; i++) t->perm[i] = load(v->perm[i]);
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) {
    t->pick[k] = load(v->pick[k]);
    for (int lane = 0; lane < 2; lane++) t->at[lane][k] = v->at[lane][k];
  }
}

FN void run_shuffle(const s1_prog *p, uint8_t *dst, const uint8_t *src, int form, int variant) {
  if (S1_IS_EVERY(form)) {
    ONE_OR_EACH_ROW(p, dst, src, row_every(p, d, s, form, variant));
    return;
  }
  tables t = {0};
  if (variant <= S1_UNIT_WINDOWS && p->units) {
    load_tables(&p->each, variant, &t);
    EACH_ROW(p, dst, src, row_units(p, d, s, form, variant, &t));
    return;
  }
  load_tables(&p->main, variant, &t);
  ONE_OR_EACH_ROW(p, dst, src, row_shuffle(p, d, s, form, variant, &t));
}

FN void run_shuffle_stream(const s1_prog *p, uint8_t *dst, const uint8_t *src, int form, int variant) {
  const horizon h = horizon_of(p, src);
  if (S1_IS_EVERY(form)) {
    EACH_ROW(p, dst, src, row_every_stream(p, d, s, form, variant, h));
    return;
  }
  tables t = {0};
  load_tables(&p->main, variant, &t);
  EACH_ROW(p, dst, src, row_shuffle_stream(p, d, s, form, variant, &t, h));
}
