/* shuffle.h - the rows of the forms from lanes on, for all sets. windows.h, or masks.h for sets with
 * masks, defines make, make_turned, make_recipe, place_recipe, row_tails and row_units. */

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
