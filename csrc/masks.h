/* masks.h - vectors whose windows masks merge, their tails and their units, for sets with masks. A
 * byte that a mask leaves out is not accessed. */

/* The vector at `offset`: its windows merged, and permuted by an index. r->mask[k] says which bytes
 * window k gives, `mask` which bytes the first one at `window` gives. */
FN vec merged(const recipe *r, const uint8_t *window, uint64_t mask, int64_t offset, vec index, int windows) {
  vec x = load_under(mask, window + offset);
#pragma GCC unroll 8
  for (int k = 1; k < windows; k++) x = load_merged(x, r->mask[k], r->window[0][k] + offset);
  return permute(x, index);
}

/* For units, `offset` is the number of a unit. */
FN vec make(const recipe *r, int64_t offset, int form, int variant) {
  if (form == S1_copy) return load(r->window[0][0] + offset);
  return merged(r, r->window[0][0], r->mask[0], form == S1_units_permute ? r->units[offset] : offset, r->index[0], variant);
}

/* Makes a tail from `offset`. If it has several windows, they are those of other vectors. */
FN vec make_tail(const recipe *r, int64_t offset, int windows) {
  return windows == 1 ? merged(r, r->tail_window, r->tail_mask, offset, r->tail_index, 1)
                      : merged(r, r->window[0][0], r->mask[0], offset, r->tail_index, windows);
}

FN vec make_turned(const recipe *r, int64_t offset, int q, int form) {
  (void)form;
  return merged(r, r->window[0][0], r->mask[0], offset, r->index[q], 1);
}

/* The index x, rotated down by q quarters of a vector. */
FN vec turn(vec x, int q) {
  uint8_t places[V];
  for (int i = 0; i < V; i++) places[i] = (uint8_t)((i + q * (V / 4)) % V);
  return permute(x, load(places));
}

/* How vectors are made that are no tails, and how tails are. */
FN const s1_merged *each_of(const s1_program *p, int form) { return form == S1_units_permute ? &p->masked_units.each : &p->masks.each; }
FN const s1_merged *tail_of(const s1_program *p, int form) { return form == S1_units_permute ? &p->masked_units.tail : &p->masks.tail; }

/* What the vectors of all rows of p share. */
FN recipe make_recipe(const s1_program *p, int form, int windows) {
  const s1_merged *const each = each_of(p, form), *const tail = tail_of(p, form);
  recipe r = {.index = {load(each->index)}, .tail_index = load(tail->index), .tail_mask = tail->take[0], .units = p->masked_units.at};
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) r.mask[k] = each->take[k];
  return r;
}

/* r for a row of p whose source begins at s. */
FN recipe place_recipe(const recipe *r, const s1_program *p, const uint8_t *s, int form, int windows) {
  recipe placed = *r;
  placed.tail_window = s + tail_of(p, form)->at[0];
#pragma GCC unroll 8
  for (int k = 0; k < windows; k++) placed.window[0][k] = s + each_of(p, form)->at[k];
  return placed;
}

/* Stores the tails of a row whose windows are several and not those of other vectors. */
OUTLINE void own_tails(const s1_program *p, uint8_t *d, const uint8_t *s) {
  const s1_masks *const m = &p->masks;
  const s1_merged *const t = &m->tail;
  for (int64_t n = m->tails - 1, i = 0; n >= 0; n--, i++) {
    const int64_t from = n ? m->tail_src + i * m->step : m->last_src, to = n ? m->tail_dst + i * m->advance : m->last_dst;
    vec x = load_under(t->take[0], s + from + t->at[0]);
    for (int k = 1; k < t->windows; k++) x = load_merged(x, t->take[k], s + from + t->at[k]);
    store_under(d + to, t->store, permute(x, load(t->index)));
  }
}

/* Stores what follows the whole vectors of a row. The masks also leave out gaps of the destination.
 * The last tail may overlap the vector before it. */
FN void row_tails(const s1_program *p, uint8_t *d, const uint8_t *s, const recipe *r, cursor *c, int form, int windows) {
  const s1_masks *const m = &p->masks;
  const uint64_t mask = m->each.store;
  for (int64_t n = m->ahead; n > 0; n--, c->offset += c->step, c->d += c->advance) store_under(c->d, mask, make(r, c->offset, form, windows));
  if (windows > 1 && m->own) {
    own_tails(p, d, s);
    return;
  }
  const uint64_t store = m->tail.store;
  c->offset = m->tail_src, c->d = d + m->tail_dst;
  for (int64_t n = m->tails - 1; n > 0; n--, c->offset += c->step, c->d += c->advance) store_under(c->d, store, make_tail(r, c->offset, windows));
  if (m->tails) store_under(d + m->last_dst, store, make_tail(r, m->last_src, windows));
}

/* A row of units: unit i has `unit` bytes at d + i*unit, and is made at s + places[i]. The first
 * `whole` units are stored as whole vectors, and the next unit overwrites the excess. The `tails`
 * units behind them are tails. */
FN void row_units(const s1_program *p, uint8_t *d, const uint8_t *s, const recipe *shared, int form, int windows) {
  const recipe r = place_recipe(shared, p, s, form, windows);
  const s1_masked_units *const u = &p->masked_units;
  cursor c = {d, 0, 1, u->unit};
  make_ahead(&r, &c, u->whole, 0, form, windows);
  for (int64_t i = u->whole, n = i + u->tails; i < n; i++, c.d += c.advance) store_under(c.d - u->back, u->tail.store, make_tail(&r, r.units[i], windows));
}
