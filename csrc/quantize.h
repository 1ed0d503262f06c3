/* quantize.h - numbers that are divided, or that have zero points. convert.h includes this file,
 * after convert64.h. The compiler vectorizes these loops.
 *
 *   quotient     (float)x / scale
 *   quantized    round((float)x / scale) + zero, saturated
 *   dequantized  (float)(x - zero) * scale
 *
 * For example, 2.5 with a zero point of 3 and a scale of 1 is 2 + 3 = 5: ties are rounded to even
 * before the zero point is added. The sum and the difference are exact in double.
 */

/* f[i] /= scale[i], or scale[0]. */
OUTLINE void NAMED(SET, divide)(float *restrict f, int64_t n, const float *restrict scale, int per_element) {
  const float by = *scale;
  if (per_element)
    for (int64_t i = 0; i < n; i++) f[i] /= scale[i];
  else
    for (int64_t i = 0; i < n; i++) f[i] /= by;
}

/* d[i] = round(f[i]) + zero[i], or zero[0], for results of up to 32 bits. A NaN counts as 0. Beyond
 * 2^40 no zero point brings a sum back into their range. */
OUTLINE void NAMED(SET, add_zeros)(double *restrict d, const float *restrict f, int64_t n, const int32_t *restrict zero, int per_element,
                                   const double *restrict limit) {
  const double by = *zero, least = limit[0], most = limit[1];
#define ROUNDED(x) (limited64(x, least, most) + 0x1.8p52 - 0x1.8p52)
  if (per_element)
    for (int64_t i = 0; i < n; i++) d[i] = ROUNDED((double)f[i]) + (double)zero[i];
  else
    for (int64_t i = 0; i < n; i++) d[i] = ROUNDED((double)f[i]) + by;
#undef ROUNDED
}

/* f[i] = (float)(d[i] - zero[i]) * scale[i], or zero[0] and scale[0]. */
OUTLINE void NAMED(SET, subtract_zeros)(float *restrict f, const double *restrict d, int64_t n, const float *restrict scale, const int32_t *restrict zero,
                                        int per_element) {
  const double less = *zero;
  const float by = *scale;
  if (per_element)
    for (int64_t i = 0; i < n; i++) f[i] = (float)(d[i] - (double)zero[i]) * scale[i];
  else
    for (int64_t i = 0; i < n; i++) f[i] = (float)(d[i] - less) * by;
}

/* Converts n <= BLOCK elements by a rule of those above. widen is the loop to float of the source's
 * type, and narrow the loop from float of the destination's. Each is null if there is none. */
OUTLINE void NAMED(SET, by_zeros)(const s1_conversion *c, s1_widen *widen, s1_narrow *narrow, uint8_t *d, const uint8_t *s, int64_t n, const float *scale,
                                  const int32_t *zero) {
  double doubles[BLOCK];
  float floats[BLOCK + BYTES];
  const int per_element = c->period > 0;
  const float one = 1, nothing = -0.0f;
  if (c->rule == S1_dequantized || !widen) NAMED(SET, widen64)(c, widen, doubles, s, n, 0, 0);
  if (c->rule == S1_dequantized) {
    NAMED(SET, subtract_zeros)(floats, doubles, n, scale, zero, per_element);
  } else {
    if (widen) widen(floats, s, n, &one, &nothing, 0);
    else NAMED(SET, narrow64_float32)((uint8_t *)floats, doubles, n, *NAMED(SET, limits));
    NAMED(SET, divide)(floats, n, scale, per_element);
  }
  const int in_double = c->rule == S1_quantized || (!narrow && c->dst != S1_number_float32);
  if (c->rule == S1_quantized) NAMED(SET, add_zeros)(doubles, floats, n, zero, per_element, *NAMED(SET, limits));
  else if (in_double) NAMED(SET, widen64_float32)(doubles, (const uint8_t *)floats, n, 0, 0, 0);
  if (in_double) NAMED(SET, narrow64)(c, narrow, d, doubles, n);
  else if (narrow) end_floats(floats, n), narrow(d, floats, n);
  else memcpy(d, floats, 4 * (size_t)n);
}
