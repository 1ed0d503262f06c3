/* convert.h - rows of numbers to rows of numbers of another type, by the rule that type NumberRule
 * of package program names: by way of float (convert32.h) or of double (convert64.h), with a
 * quotient or a zero point (quantize.h), or by a table (lookup.h).
 */

/* gcc vectorizes all these loops only at -O3, and comparisons of floats only if it may compare
 * numbers whose result is not needed. */
#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3", "no-trapping-math")
#endif

#include "convert32.h"
#include "convert64.h"
#include "quantize.h"
#include "lookup.h"

/* Converts every row of c. */
OUTLINE void NAMED(SET, convert)(const s1_conversion *c, uint8_t *dst, const uint8_t *src, const float *scale, const float *bias) {
#define WIDENS(name, size) [S1_number_##name] = NAMED(SET, widen_##name),
#define NARROWS(name, size) [S1_number_##name] = NAMED(SET, narrow_##name),
#define NOTHING(name, size)
#define SIZES(name, size) [S1_number_##name] = size,
  static s1_widen *const widens[] = {S1_EACH_NUMBER(WIDENS, WIDENS, NOTHING, NOTHING)};
  static s1_narrow *const narrows[] = {S1_EACH_NUMBER(NARROWS, NOTHING, NOTHING, NOTHING)};
  static const uint8_t sizes[] = {S1_EACH_NUMBER(SIZES, SIZES, SIZES, SIZES)};
#undef SIZES
#undef NOTHING
#undef NARROWS
#undef WIDENS
  const int looks_up = c->rule == S1_by_table, dst_size = sizes[c->dst]; /* `scale` has the tables then */
  tables_of_rows l;
  if (looks_up) set_lookup(&l, c, sizes[c->dst]);
  const int in_float = c->rule == S1_in_float32, saturates = c->rule == S1_saturating;
  s1_widen *const widen = in_float ? widens[c->src] : 0;    /* null if elements keep their bits */
  s1_narrow *const narrow = in_float ? narrows[c->dst] : 0; /* null if the results are floats, or keep their bits */
  s1_widen *const any_widen = c->src <= S1_number_float64 ? widens[c->src] : 0;
  s1_narrow *const any_narrow = c->dst <= S1_number_float64 ? narrows[c->dst] : 0;
  const int per_element = c->period > 0, size = sizes[c->src], by_zero = c->rule >= S1_quotient; /* zero points lie behind `bias` */
  const int64_t block = per_element ? c->period : narrow || !in_float || (widen && c->swap) ? BLOCK : c->count;
  float floats[BLOCK + BYTES];
  uint8_t swapped[8 * BLOCK];
  int64_t counts[S1_RANK] = {0}, dst_offset = 0, src_offset = 0, param = 0;
  if (narrow) end_floats(floats, min_of(block, c->count));
  for (;;) {
    if (c->places) NAMED(SET, row_places)(c, narrow, sizes[c->dst], dst + dst_offset, src + src_offset, scale + param, bias + param);
    if (looks_up) NAMED(SET, look_up)(&l, dst + dst_offset, src + src_offset, (const uint8_t *)scale + 256 * param * dst_size);
    for (int64_t i = 0; i < c->count && !c->places && !looks_up; i += block) {
      const int64_t n = min_of(block, c->count - i);
      const uint8_t *s = src + src_offset + i * size;
      uint8_t *d = dst + dst_offset + i * sizes[c->dst];
      if (c->swap) NAMED(SET, swap)(widen || !in_float ? swapped : d, s, n, size), s = swapped;
      if (saturates) NAMED(SET, saturate)(c->dst, c->src, d, s, n);
      else if (by_zero) NAMED(SET, by_zeros)(c, any_widen, any_narrow, d, s, n, scale + param, (const int32_t *)(bias + S1_PARAMS) + param);
      else if (!in_float) by_double(c, any_widen, any_narrow, d, s, n, c->rule == S1_in_float64 ? scale + param : 0, bias + param);
      if (widen) widen(narrow ? floats : (float *)d, s, n, scale + param, bias + param, per_element);
      if (narrow) narrow(d, floats, n);
    }
    int64_t r = c->loops - 1;
    for (; r >= 0; r--) {
      const s1_dim *l = &c->loop[r];
      dst_offset += l->dst, src_offset += l->src, param += l->param;
      if (++counts[r] < l->extent) break;
      dst_offset -= l->extent * l->dst, src_offset -= l->extent * l->src, param -= l->extent * l->param;
      counts[r] = 0;
    }
    if (r < 0) break;
  }
  if (HAS_STREAMS && c->nt) end_stores();
}

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
