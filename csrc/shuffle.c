//go:build cgo && !purego && (amd64 || arm64)

/* shuffle.c - the windows, masks and edges of a row for vectors of 16-byte lanes. */
#include "plan.h"

#include <string.h>

/* Covers the n positions with 16-byte windows inside [lo, hi), lane by lane,
 * from the lowest position up, or from the highest down. Reports success. */
static int pick_lanes(const int64_t *pos, int n, const s1_target *t, int down, int64_t lo, int64_t hi, s1_vector *v) {
  memset(v->pick, 0x80, sizeof v->pick);
  v->windows = 0;
  for (int lane = 0; lane < t->vector / S1_LANE && lane * S1_LANE < n; lane++) {
    const int64_t *q = pos + lane * S1_LANE;
    int count = n - lane * S1_LANE < S1_LANE ? n - lane * S1_LANE : S1_LANE, k = 0;
    for (uint32_t todo = (1u << count) - 1; todo; k++) {
      if (k == S1_WINDOWS) return 0;
      int64_t start = down ? INT64_MIN : INT64_MAX;
      for (int j = 0; j < count; j++)
        if (todo >> j & 1) start = down ? max64(start, q[j] - (S1_LANE - 1)) : min64(start, q[j]);
      start = max64(lo, min64(start, hi - S1_LANE));
      if (start < INT32_MIN || start > INT32_MAX) return 0;
      v->at[lane][k] = (int32_t)start;
      for (int j = 0; j < count; j++) {
        if (!(todo >> j & 1) || q[j] < start || q[j] >= start + S1_LANE) continue;
        if (t->table) v->pick[k / 4][j] = (uint8_t)(k % 4 * S1_LANE + (q[j] - start));
        else v->pick[k][lane * S1_LANE + j] = (uint8_t)(q[j] - start);
        todo &= ~(1u << j);
      }
    }
    /* Windows only the other lane needs repeat the first one and pick nothing. */
    for (int i = k; i < S1_WINDOWS; i++) v->at[lane][i] = v->at[lane][0];
    if (k > v->windows) v->windows = k;
  }
  if (n <= S1_LANE) memcpy(v->at[1], v->at[0], sizeof v->at[1]);
  return 1;
}

/* Covers the n positions with windows that merge into one vector, and finds the
 * cheapest permutation from there. Reports success. */
static int pick_merged(const int64_t *pos, int n, const s1_target *t, int down, s1_vector *v, int32_t *form) {
  s1_cover c;
  if (!s1_cover_positions(pos, n, t->vector, down, &c)) return 0;
  v->windows = c.windows;
  for (int k = 0; k < c.windows; k++) {
    v->at[0][k] = c.at[k];
    for (int j = 0; j < S1_VECTOR; j++) v->pick[k][j] = c.taken[k] >> j & 1 ? 0xff : 0;
  }
  int place[S1_VECTOR]; /* of each output byte in the merged vector */
  for (int j = 0; j < n; j++) place[j] = s1_place(&c, t->vector, pos[j]);

  int dwords = 1, inlane = 1, swap = 1, bytes = 1, from[S1_VECTOR / 4], held[2] = {0, 0};
  for (int j = 0; j < n; j++) {
    int first = place[j & ~3];
    if (first % 4 || place[j] != first + j % 4) dwords = 0;
    if (place[j] / S1_LANE != j / S1_LANE) inlane = 0;
    if (place[j] / S1_LANE == j / S1_LANE) swap = 0;
    if (place[j] / S1_LANE != first / S1_LANE) bytes = 0;
    if (j % 4 == 0) from[j / 4] = first / S1_LANE * 4 + held[first / S1_LANE]++;
  }
  if (held[0] > 4 || held[1] > 4) bytes = 0;
  memset(v->perm, 0, sizeof v->perm);
  uint32_t dword[S1_VECTOR / 4] = {0};
  if (dwords && !t->table) {
    *form = S1_form_dwords;
    for (int j = 0; j < n; j += 4) dword[j / 4] = (uint32_t)place[j] / 4;
    memcpy(v->perm[0], dword, sizeof dword);
  } else if (inlane || swap) {
    *form = inlane ? S1_form_inlane : S1_form_swap;
    for (int j = 0; j < n; j++) v->perm[0][j] = (uint8_t)(place[j] % S1_LANE);
  } else if (bytes) {
    *form = S1_form_bytes;
    for (int j = 0; j < n; j++) v->perm[0][from[j / 4] * 4 + j % 4] = (uint8_t)(place[j] % S1_LANE);
    for (int j = 0; j < n; j += 4) dword[j / 4] = (uint32_t)from[j / 4];
    memcpy(v->perm[1], dword, sizeof dword);
  } else {
    *form = S1_form_cross;
    memset(v->perm, 0x80, sizeof v->perm);
    for (int j = 0; j < n; j++)
      v->perm[place[j] / S1_LANE != j / S1_LANE][j] = (uint8_t)(place[j] % S1_LANE);
  }
  return 1;
}

/* The windows of every second element, ascending, or what else there is: every
 * third of 4 bytes, where lookups span windows every fourth of up to 4. */
static int pick_every(const s1_row *r, int width, const s1_target *t, s1_vector *v, int32_t *form) {
  if (r->period != width) return 0;
  if (r->advance == 2 * width) *form = S1_form_every2;
  else if (r->advance == 3 * width && width == 4 && !t->table) *form = S1_form_every3;
  else if (r->advance == 4 * width && width <= 4 && t->table) *form = S1_form_every4;
  else return 0;
  v->windows = S1_EVERY(*form);
  for (int k = 0; k < v->windows; k++) v->at[0][k] = k * t->vector;
  return 1;
}

/* Cost of one vector: cycles at two loads, two shuffles or blends and one store
 * each, or two loads and stores, times 12; then, among equals, operations. */
static int64_t vector_cost(const s1_target *t, int form, int windows) {
  static const uint8_t after[S1_FORM_COUNT] = {[S1_form_dwords] = 1, [S1_form_bytes] = 2, [S1_form_inlane] = 1, [S1_form_swap] = 2, [S1_form_cross] = 3};
  int64_t loads = windows, shuffles = windows - 1 + after[form];
  if (S1_IS_EVERY(form)) {
    shuffles = 2;
  } else if (form == S1_form_lanes) {
    loads *= t->vector / S1_LANE;
    shuffles = loads; /* the second lane's insertions count */
  }
  if (t->table) {
    if (form == S1_form_lanes) shuffles = windows <= 2 ? 1 : windows + 1;
    return 64 * 6 * (S1_IS_EVERY(form) ? loads : loads + 1) + shuffles;
  }
  return 64 * max64(12, 6 * max64(loads, shuffles)) + loads + shuffles;
}

static int add_edge(const s1_row *r, int64_t dst, const s1_target *t, s1_prog *p) {
  if (p->edges == S1_EDGES) return 0;
  s1_edge *e = &p->edge[p->edges++];
  int64_t pos[S1_VECTOR];
  e->dst = dst;
  e->src = source_of(r, dst);
  for (int j = 0; j < t->vector; j++) pos[j] = source_of(r, dst + j) - e->src;
  return pick_lanes(pos, t->vector, t, 0, r->lo - e->src, r->hi - e->src, &e->v);
}

/* Whether n bytes of r cost less by main vectors of `cost` and the edges of p than
 * element by element. An edge is a loop over its windows, on NEON none; the numbers
 * are those of Zen 4. */
static int pays(const s1_prog *p, const s1_row *r, const s1_target *t, int64_t cost, int64_t n, int width) {
  for (int e = 0; e < p->edges; e++) {
    const int32_t windows = p->edge[e].v.windows;
    cost += S1_CYCLE * (p->edge_lanes == 1 ? 4 + windows : 8 + 3 * windows);
  }
  return t->vector == S1_LANE || cost <= n / width * r->element;
}

int s1_prepare_shuffle(const s1_row *r, int width, const s1_target *t, s1_prog *p) {
  const int64_t v = t->vector, n = r->period * r->repeat;
  p->entry = S1_ENTRY(S1_form_lanes, 1); /* unless there are main vectors */
  p->edges = 0;
  p->vectors = p->step = p->advance = 0;
  memset(&p->main, 0, sizeof p->main);
  p->edge_lanes = t->vector / S1_LANE;
  if (n < S1_LANE || r->hi - r->lo < S1_LANE) return 0;
  if (n < v) {
    s1_target one = {.vector = S1_LANE, .table = t->table};
    p->edge_lanes = 1;
    return add_edge(r, 0, &one, p) && (n == S1_LANE || add_edge(r, n - S1_LANE, &one, p)) && pays(p, r, t, 0, n, width);
  }

  /* Many periods in a vector, or only as many as one window holds. */
  int64_t in_one = r->advance == 0 ? v : v / (r->advance < 0 ? -r->advance : r->advance);
  int64_t periods[2] = {v / r->period, max64(1, min64(in_one, v / r->period))};
  int64_t best = INT64_MAX;
  int32_t chosen = S1_form_lanes;
  for (int i = 0; i < (periods[1] < periods[0] ? 2 : 1); i++) {
    int64_t pos[S1_VECTOR], out = periods[i] * r->period;
    for (int64_t j = 0; j < out; j++) pos[j] = source_of(r, j);
    const int down = descends(r);
    for (int try = 0; try < 3; try++) {
      s1_vector w;
      int32_t form = S1_form_lanes;
      if (try == 0 && !pick_lanes(pos, (int)out, t, down, INT64_MIN / 2, INT64_MAX / 2, &w)) continue;
      if (try == 1 && !pick_every(r, width, t, &w, &form)) continue;
      if (try == 2 && !pick_merged(pos, (int)out, t, down, &w, &form)) continue;
      int64_t cost = vector_cost(t, form, w.windows) * v / out;
      if (cost >= best) continue;
      best = cost;
      chosen = form;
      p->advance = out;
      p->step = periods[i] * r->advance;
      p->main = w;
    }
  }
  /* Elements a line or more apart: a window would only reach into lines that no
   * element of it is in. */
  if (r->period == width && (best > gather_cost(v, width) || r->advance <= -S1_LINE || r->advance >= S1_LINE)) return 0;

  /* Vectors up to `last` store inside the row and load inside its span. The first
   * does: its windows begin at, or end with, the row's outermost position. */
  int64_t last = -1;
  if (best < INT64_MAX) {
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    for (int lane = 0; lane < (chosen == S1_form_lanes ? v / S1_LANE : 1); lane++)
      for (int k = 0; k < p->main.windows; k++) {
        lo = min64(lo, p->main.at[lane][k]);
        hi = max64(hi, p->main.at[lane][k] + (chosen == S1_form_lanes ? S1_LANE : v));
      }
    last = (n - v) / p->advance;
    if (p->step > 0) last = min64(last, floor_div(r->hi - hi, p->step));
    else if (p->step < 0) last = min64(last, floor_div(lo - r->lo, -p->step));
    else if (lo < r->lo || hi > r->hi) last = -1;
  }
  int64_t done = 0;
  p->vectors = max64(0, last + 1);
  if (S1_IS_EVERY(chosen)) {
    /* What the main vectors leave is at most one vector. */
    p->entry = S1_ENTRY(chosen, width);
    return add_edge(r, n - v, t, p);
  }
  if (p->vectors) {
    p->entry = S1_ENTRY(chosen, p->main.windows);
    done = p->vectors * p->advance;
  }
  for (int64_t at = done; at < n; at += v)
    if (!add_edge(r, min64(at, n - v), t, p)) return 0;
  return pays(p, r, t, p->vectors ? p->vectors * best * p->advance / v : 0, n, width);
}

int s1_prepare_units(const s1_units *u, int width, const s1_target *t, s1_prog *p) {
  const s1_row *r = &u->one;
  const int64_t v = t->vector, unit = r->period;
  const int down = descends(r), paired = unit == S1_LANE && v == 2 * S1_LANE;
  int64_t best = INT64_MAX;
  int32_t chosen = S1_form_lanes;
  for (int try = 0; try < 2; try++) {
    s1_vector w;
    int32_t form = S1_form_lanes;
    if (try == 0 && !pick_lanes(r->pattern, (int)unit, t, down, INT64_MIN / 2, INT64_MAX / 2, &w)) continue;
    if (try == 1 && !pick_merged(r->pattern, (int)unit, t, down, &w, &form)) continue;
    /* Units of a lane come two to a vector, each from where it is. */
    const int64_t cost = vector_cost(t, form, w.windows) / (form == S1_form_lanes && paired ? 2 : 1);
    if (w.windows > S1_UNIT_WINDOWS || cost >= best) continue;
    best = cost;
    chosen = form;
    p->each = w;
  }
  if (best == INT64_MAX) return 0;
  int64_t lo = 0, hi = 0, first = INT64_MAX, end = INT64_MIN;
  for (int i = 0; i < u->count; i++) {
    lo = min64(lo, u->at[i]);
    hi = max64(hi, u->at[i]);
  }
  for (int lane = 0; lane < (chosen == S1_form_lanes ? v / S1_LANE : 1); lane++)
    for (int k = 0; k < p->each.windows; k++) {
      first = min64(first, p->each.at[lane][k]);
      end = max64(end, p->each.at[lane][k] + (chosen == S1_form_lanes ? S1_LANE : v));
    }
  if (paired && chosen == S1_form_lanes)
    for (int k = 0; k < p->each.windows; k++) memcpy(p->each.pick[k] + S1_LANE, p->each.pick[k], S1_LANE);
  int alone = 0;
  for (int i = 0; i < u->count; i++)
    if (u->at[i] + first < lo + r->lo || u->at[i] + end > hi + r->hi || i * unit + v > u->count * unit) p->alone[alone++] = (uint16_t)i;
  /* A unit alone takes a call and its elements. */
  const int64_t cost = S1_CYCLE * (alone * (12 + unit / width) + 2 * (u->count - alone));
  if (cost > u->count * unit / width * r->element) return 0;
  p->alone[alone] = (uint16_t)u->count;
  p->entry = S1_ENTRY(chosen, p->each.windows);
  p->units = u->count;
  p->advance = unit;
  for (int64_t j = 0; j < unit; j += width) p->element[j / width] = (int32_t)r->pattern[j];
  for (int i = 0; i < u->count; i++) p->unit_at[i] = u->at[i];
  return 1;
}
