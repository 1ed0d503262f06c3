//go:build cgo && !purego && (amd64 || arm64)

/* permute.c - the windows and masks of a row for 64-byte vectors whose bytes
 * can be permuted at will and whose loads and stores can be masked. */
#include "plan.h"

static uint64_t low_bits(int64_t n) { return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1; }

/* The bytes of window k wanted for the first n positions of a vector. */
static uint64_t taken_for(const int64_t *pos, int64_t n, const s1_cover *c, int k) {
  uint64_t taken = 0;
  for (int64_t j = 0; j < n; j++) {
    int64_t at = pos[j] - c->at[k];
    if (at >= 0 && at < S1_PERMUTE) taken |= c->taken[k] & (uint64_t)1 << at;
  }
  return taken;
}

/* Sets the windows of p for the positions c covers, of which a row's last vector
 * has the first `last`. */
static void set_windows(const s1_cover *c, const int64_t *pos, int64_t last, s1_prog *p) {
  p->windows = c->windows;
  for (int k = 0; k < c->windows; k++) {
    p->at[k] = c->at[k];
    p->take[k] = c->taken[k];
    p->last_take[k] = taken_for(pos, last, c, k);
  }
}

int s1_prepare_permute(const s1_row *r, int width, s1_prog *p) {
  const int64_t v = S1_PERMUTE, n = r->period * r->repeat;
  const int64_t most = min64(v / r->period, r->repeat), q = r->advance < 0 ? -r->advance : r->advance;
  if (r->period == width && q >= S1_LINE) return 0; /* elements a line apart: gather */

  /* As many periods as fit a vector, or as fit one, two or three windows. */
  s1_cover c;
  int64_t best = INT64_MAX, tried = 0;
  for (int windows = S1_WINDOWS; windows > 0; windows = windows > 3 ? 3 : windows - 1) {
    int64_t periods = q && windows <= 3 ? max64(1, min64(most, windows * v / q)) : most, pos[S1_PERMUTE];
    if (periods == tried) continue;
    tried = periods;
    for (int64_t j = 0; j < periods * r->period; j++) pos[j] = source_of(r, j);
    s1_cover found;
    if (!s1_cover_positions(pos, (int)(periods * r->period), S1_PERMUTE, descends(r), &found)) continue;
    /* Loads that straddle lines come at one a cycle, as permutations and stores do. */
    int64_t cost = S1_CYCLE * max64(1, found.windows) * v / (periods * r->period);
    if (cost >= best) continue;
    best = cost;
    c = found;
    p->advance = periods * r->period;
    p->step = periods * r->advance;
  }
  if (best == INT64_MAX || (r->period == width && best > gather_cost(v, width))) return 0;

  p->entry = S1_ENTRY(S1_form_permute, c.windows);
  p->vectors = n < v ? 0 : (n - v) / p->advance + 1;
  const int64_t left = n - p->vectors * p->advance;
  p->rests = (int32_t)ceil_div(left, p->advance);
  const int64_t last = left - max64(0, p->rests - 1) * p->advance;
  p->last_store = low_bits(last);
  int64_t pos[S1_PERMUTE];
  for (int64_t j = 0; j < p->advance; j++) {
    pos[j] = source_of(r, j);
    p->index[j] = (uint8_t)s1_place(&c, S1_PERMUTE, pos[j]);
  }
  set_windows(&c, pos, last, p);
  return 1;
}

int s1_prepare_permute_units(const s1_units *u, s1_prog *p) {
  const s1_row *r = &u->one;
  const int64_t unit = r->period, n = unit * u->count;
  s1_cover c;
  /* Upwards always: a mask that hides an absent page costs a microcode assist, and
   * before a source there is one more often than behind it. */
  if (!s1_cover_positions(r->pattern, (int)unit, S1_PERMUTE, 0, &c) || c.windows > 4) return 0;
  p->entry = S1_ENTRY(S1_form_permute, c.windows);
  p->units = u->count;
  p->advance = unit;
  p->step = 0;
  p->vectors = (n - S1_PERMUTE) / unit + 1; /* of two units or more, half a vector each: n is a vector */
  p->rests = (int32_t)(u->count - p->vectors);
  p->store = low_bits(unit);
  for (int64_t j = 0; j < unit; j++) p->index[j] = (uint8_t)s1_place(&c, S1_PERMUTE, r->pattern[j]);
  set_windows(&c, r->pattern, 0, p);
  for (int i = 0; i < u->count; i++) p->vector_at[i] = u->at[i];
  return 1;
}

int s1_prepare_spread(const s1_dim *inner, int width, s1_prog *p) {
  const int64_t many = min64(S1_PERMUTE / inner->dst, inner->extent);
  if (many < 2) return 0;
  int64_t pos[S1_PERMUTE];
  for (int64_t j = 0; j < many * width; j++) pos[j] = j / width * inner->src + j % width;
  s1_cover c;
  if (!s1_cover_positions(pos, (int)many * width, S1_PERMUTE, inner->src < 0, &c) || c.windows >= many) return 0;

  p->entry = S1_ENTRY(S1_form_spread, c.windows);
  p->vectors = inner->extent / many;
  p->advance = many * inner->dst;
  p->step = many * inner->src;
  const int64_t last = inner->extent % many;
  p->rests = last > 0;
  p->store = p->last_store = 0;
  for (int64_t j = 0; j < many * width; j++) {
    const int64_t to = j / width * inner->dst + j % width;
    p->index[to] = (uint8_t)s1_place(&c, S1_PERMUTE, pos[j]);
    p->store |= (uint64_t)1 << to;
    if (j < last * width) p->last_store |= (uint64_t)1 << to;
  }
  set_windows(&c, pos, last * width, p);
  return 1;
}
