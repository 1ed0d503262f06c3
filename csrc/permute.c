//go:build cgo && !purego && (amd64 || arm64)

/* permute.c - the windows and masks of a row for 64-byte vectors whose bytes
 * can be permuted at will and whose loads and stores can be masked. */
#include "plan.h"

static uint64_t low_bits(int64_t n) { return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1; }

/* The bytes of window k wanted for the first n bytes of a vector. */
static uint64_t taken_for(const s1_row *r, const s1_cover *c, int k, int64_t n) {
  uint64_t taken = 0;
  for (int64_t j = 0; j < n; j++) {
    int64_t at = source_of(r, j) - c->at[k];
    if (at >= 0 && at < S1_PERMUTE) taken |= c->taken[k] & (uint64_t)1 << at;
  }
  return taken;
}

int s1_prepare_permute(const s1_row *r, int width, s1_prog *p) {
  const int64_t v = S1_PERMUTE, n = r->period * r->repeat;
  const int64_t most = min64(v / r->period, r->repeat), q = r->advance < 0 ? -r->advance : r->advance;
  if (r->period == width && q >= S1_LINE && r->repeat > 1) return 0; /* elements a line apart: gather */

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
    int64_t cost = 64 * 12 * max64(1, found.windows) * v / (periods * r->period);
    if (cost >= best) continue;
    best = cost;
    c = found;
    p->advance = periods * r->period;
    p->step = periods * r->advance;
  }
  if (best == INT64_MAX || (r->period == width && best > gather_cost(v, width))) return 0;

  p->entry = S1_ENTRY(S1_form_permute, c.windows);
  p->windows = c.windows;
  p->vectors = n < v ? 0 : (n - v) / p->advance + 1;
  const int64_t left = n - p->vectors * p->advance;
  p->rests = (int32_t)ceil_div(left, p->advance);
  const int64_t last = left - max64(0, p->rests - 1) * p->advance;
  p->last_store = low_bits(last);
  for (int k = 0; k < c.windows; k++) {
    p->at[k] = c.at[k];
    p->take[k] = c.taken[k];
    p->last_take[k] = taken_for(r, &c, k, last);
  }
  for (int64_t j = 0; j < p->advance; j++) p->index[j] = (uint8_t)s1_place(&c, S1_PERMUTE, source_of(r, j));
  return 1;
}
