/* convert32.h - rows of numbers to rows of numbers of another type by way of float. Compilers do
 * not vectorize float16, nor numbers that are rounded and saturated. So each set has functions for
 * these.
 *
 * For example, bytes become float16 by way of a block of floats in the first-level cache, with a
 * scale of 1/255 and a bias of -0.5:
 *
 *   uint8    0  128  255
 *   float    -0.5  0.0019608  0.5     x * scale + bias, rounded after each step
 *   float16  0xb800  0x1804  0x3800
 *
 * So each type has one loop to float, widen_TYPE, and one loop from float, narrow_TYPE. No pair of
 * types has a loop of its own. The compiler vectorizes these loops. vec.h forbids it to fuse the
 * product and the sum, so both are rounded and every set gives the same bits.
 */

/* Numbers that lie at any address. */
typedef float loose_float __attribute__((aligned(1), may_alias));
typedef double loose_double __attribute__((aligned(1), may_alias));
typedef uint16_t loose_u16 __attribute__((aligned(1), may_alias));
typedef uint32_t loose_u32 __attribute__((aligned(1), may_alias));
typedef uint64_t loose_u64 __attribute__((aligned(1), may_alias));

/* d[i] = s[i] * scale[i] + bias[i]. If per_element is 0, scale[0] and bias[0] are for all
 * elements. */
typedef void s1_widen(float *d, const uint8_t *s, int64_t n, const float *scale, const float *bias, int per_element);
/* d[i] = s[i], rounded to the nearest number of d's type, ties to even. */
typedef void s1_narrow(uint8_t *d, const float *s, int64_t n);

FN float float_of(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

FN uint32_t bits_of(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

#define NUMBER(x) (float)(x)
#define BFLOAT(x) float_of((uint32_t)(x) << 16)
/* A sample of 16 bits as a number from 0 to 255. x has the bytes of the sample in reverse order. */
#define SAMPLE(x) ((float)__builtin_bswap16(x) / 257.0f)

#define WIDEN(name, type, value)                                                                                                                              \
  OUTLINE void NAMED(SET, widen_##name)(float *restrict dst, const uint8_t *restrict src, int64_t n, const float *restrict scale, const float *restrict bias, \
                                        int per_element) {                                                                                                    \
    typedef type element __attribute__((aligned(1), may_alias));                                                                                              \
    const element *restrict s = (const element *)src;                                                                                                         \
    loose_float *restrict d = dst;                                                                                                                            \
    const float a = *scale, b = *bias;                                                                                                                        \
    if (per_element)                                                                                                                                          \
      for (int64_t i = 0; i < n; i++) d[i] = value(s[i]) * scale[i] + bias[i];                                                                                \
    else                                                                                                                                                      \
      for (int64_t i = 0; i < n; i++) d[i] = value(s[i]) * a + b;                                                                                             \
  }
WIDEN(uint8, uint8_t, NUMBER)
WIDEN(int8, int8_t, NUMBER)
WIDEN(uint16, uint16_t, NUMBER)
WIDEN(int16, int16_t, NUMBER)
WIDEN(float32, float, NUMBER)
WIDEN(bfloat16, uint16_t, BFLOAT)
WIDEN(sample, uint16_t, SAMPLE)
#undef WIDEN

/* d[i] = s[i]. With values, numbers that float does not hold go by double. */
#define TO_FLOAT(name, type)                                                                                                                                  \
  OUTLINE void NAMED(SET, widen_##name)(float *restrict dst, const uint8_t *restrict src, int64_t n, const float *restrict scale, const float *restrict bias, \
                                        int per_element) {                                                                                                    \
    typedef type element __attribute__((aligned(1), may_alias));                                                                                              \
    for (int64_t i = 0; i < n; i++) ((loose_float *)dst)[i] = (float)((const element *)src)[i];                                                               \
    (void)scale, (void)bias, (void)per_element;                                                                                                               \
  }
TO_FLOAT(int32, int32_t)
TO_FLOAT(float64, double)
#undef TO_FLOAT

/* The last store is made from as many floats as a full one. s lies in a block, which has numbers
 * behind the last float, too. */
#define NARROW(name, size)                                                                                     \
  OUTLINE void NAMED(SET, narrow_##name)(uint8_t * d, const float *s, int64_t n) {                             \
    uint8_t last[BYTES];                                                                                       \
    for (; n >= BYTES / size; n -= BYTES / size, d += BYTES, s += BYTES / size) store_narrow(d, to_##name(s)); \
    if (n > 0) store_narrow(last, to_##name(s)), memcpy(d, last, n *size);                                     \
  }
NARROW(uint8, 1)
NARROW(int8, 1)
NARROW(uint16, 2)
NARROW(int16, 2)
NARROW(int32, 4)
NARROW(float16, 2)
#undef NARROW

/* The upper half of the bits of each float, rounded; a NaN, by its bits, gets its quiet bit. */
OUTLINE void NAMED(SET, narrow_bfloat16)(uint8_t *restrict d, const float *restrict s, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    const uint32_t bits = bits_of(s[i]), half = 0x7fff + (bits >> 16 & 1), quiet = 0x400000 & ~bits;
    ((loose_u16 *)d)[i] = (uint16_t)((bits + ((int32_t)(bits & 0x7fffffff) > 0x7f800000 ? quiet : half)) >> 16);
  }
}

OUTLINE void NAMED(SET, narrow_float64)(uint8_t *restrict d, const float *restrict s, int64_t n) {
  for (int64_t i = 0; i < n; i++) ((loose_double *)d)[i] = (double)s[i];
}

OUTLINE void NAMED(SET, widen_float16)(float *d, const uint8_t *s, int64_t n, const float *scale, const float *bias, int per_element) {
  batch a = broadcast(*scale), b = broadcast(*bias);
  for (; n >= BATCH; n -= BATCH, d += BATCH, s += 2 * BATCH) {
    if (per_element) a = load_batch(scale), b = load_batch(bias), scale += BATCH, bias += BATCH;
    store_batch(d, load_float16(s) * a + b);
  }
  if (n > 0) {
    uint8_t rest[2 * BATCH] = {0};
    float numbers[BATCH];
    memcpy(rest, s, 2 * n);
    store_batch(numbers, load_float16(rest));
    for (int64_t i = 0; i < n; i++) ((loose_float *)d)[i] = numbers[i] * scale[per_element ? i : 0] + bias[per_element ? i : 0];
  }
}

/* d[i] = s[i] with its bytes in reverse order, for n elements of `size` bytes, 2, 4 or 8. */
OUTLINE void NAMED(SET, swap)(uint8_t *restrict d, const uint8_t *restrict s, int64_t n, int size) {
  if (size == 2)
    for (int64_t i = 0; i < n; i++) ((loose_u16 *)d)[i] = __builtin_bswap16(((const loose_u16 *)s)[i]);
  else if (size == 4)
    for (int64_t i = 0; i < n; i++) ((loose_u32 *)d)[i] = __builtin_bswap32(((const loose_u32 *)s)[i]);
  else
    for (int64_t i = 0; i < n; i++) ((loose_u64 *)d)[i] = __builtin_bswap64(((const loose_u64 *)s)[i]);
}

OUTLINE void NAMED(SET, narrow_sample)(uint8_t *restrict d, const float *restrict s, int64_t n) {
  float scaled[BYTES / 2];
  uint8_t samples[BYTES];
  for (; n > 0; n -= BYTES / 2, d += BYTES, s += BYTES / 2) {
    for (int i = 0; i < BYTES / 2; i++) scaled[i] = s[i] * 257.0f;
    store_narrow(samples, to_uint16(scaled));
    NAMED(SET, swap)(d, samples, min_of(n, BYTES / 2), 2);
  }
}

/* How many bytes pick takes at most. */
enum { PIXELS = 512 };

/* for (i = 0; i < n; i++) d[i] = s[i * step]. It may store anything behind these, up to a whole
 * vector. It loads nothing behind the last sample: it copies all bytes up to that one, and then
 * takes the low bytes of words of the copy. */
OUTLINE void NAMED(SET, pick)(uint8_t *restrict d, const uint8_t *restrict s, int64_t n, int64_t step) {
  uint8_t copy[4 * (PIXELS + V)];
#define LOW_BYTES(type)                          \
  memcpy(copy, s, (size_t)((n - 1) * step + 1)); \
  for (int64_t i = 0; i < n; i += V)             \
    for (int k = 0; k < V; k++) d[i + k] = (uint8_t)((const type *)copy)[i + k]
  switch (step) {
    case 1: memcpy(d, s, (size_t)n); break;
    case 2: LOW_BYTES(loose_u16); break;
    case 4: LOW_BYTES(loose_u32); break;
    default:
      for (int64_t i = 0; i < n; i++) d[i] = s[i * step];
  }
#undef LOW_BYTES
}

/* The numbers of a block stay in the first-level cache between two loops. */
enum { BLOCK = 512 };

/* Sets, for a memory sanitizer, what a function narrow_TYPE reads behind n floats. */
FN void end_floats(float *floats, int64_t n) {
  if (SETS_ENDS) memset(floats + n, 0, BYTES * sizeof(float));
}

/* A row of places takes its bytes from windows, as type Conversion of package program says. A
 * period of it is VECTORS vectors of LANES floats, and each GROUP of floats has one window. */
enum { LANES = V / 4, GROUP = HAS_MASKS ? LANES : 4, VECTORS = S1_PERIOD / LANES };
typedef float floats __attribute__((vector_size(V)));
typedef float loose_floats __attribute__((vector_size(V), aligned(1), may_alias));

/* Converts n periods of bytes of a row of c: d[i] = s[place(i)] * scale[j] + bias[j], where j is
 * i % S1_PERIOD, or 0 if the row has one value, and place(i) is what p says. The tables, scale and
 * bias of a period stay in registers. If `nt`, d is a multiple of V, and stores are
 * non-temporal. */
FN void make_periods(const s1_conversion *c, const s1_picks *p, int64_t n, float *d, const uint8_t *s, const float *scale, const float *bias, int nt) {
  const s1_picks w = *p; /* a copy, since no store can alias it */
  const int64_t per_element = c->period, advance = c->advance;
  vec pick[VECTORS];
  floats a[VECTORS], b[VECTORS];
  for (int k = 0; k < VECTORS; k++) {
    pick[k] = load(p->pick[k * LANES]);
    a[k] = per_element ? (floats) * (const loose_floats *)(scale + k * LANES) : *scale - (floats){0};
    b[k] = per_element ? (floats) * (const loose_floats *)(bias + k * LANES) : *bias - (floats){0};
  }
  int64_t dst_offset = 0, src_offset = 0;
  for (; n > 0; n--, dst_offset += S1_PERIOD, src_offset += advance) {
#pragma GCC unroll 12
    for (int k = 0; k < VECTORS; k++) {
      float *const result = d + (dst_offset + k * LANES);
      const floats v = __builtin_convertvector((ints)picked(s + src_offset, &w, k * (LANES / GROUP), pick[k]), floats) * a[k] + b[k];
      if (HAS_STREAMS && nt) store_nt((uint8_t *)result, (vec)v);
      else *(loose_floats *)result = v;
    }
  }
}

OUTLINE void NAMED(SET, periods)(const s1_conversion *c, const s1_picks *p, int64_t n, float *d, const uint8_t *s, const float *scale, const float *bias,
                                 int nt) {
  if (HAS_STREAMS && nt) make_periods(c, p, n, d, s, scale, bias, 1);
  else make_periods(c, p, n, d, s, scale, bias, 0);
}

/* Where element i of a row of places lies. */
static int64_t NAMED(SET, place)(const s1_conversion *c, int64_t i) {
  const int64_t k = i % S1_PERIOD;
  return i / S1_PERIOD * c->advance + c->first.at[k / GROUP] + c->first.pick[k][0];
}

/* A row of bytes that do not follow each other in the source, as R, G and B of RGBX do not: whole
 * periods, then periods of the windows c->last. The last period ends with the row. Elements of the
 * result have `size` bytes. `narrow` makes them from floats, and is null if they are floats. */
static ISA void NAMED(SET, row_places)(const s1_conversion *c, s1_narrow *narrow, int size, uint8_t *d, const uint8_t *s, const float *scale,
                                       const float *bias) {
  float floats[BLOCK + BYTES];
  const int64_t whole = c->whole * S1_PERIOD;
  for (int64_t i = 0, n; i < c->count; i += n) {
    const int in_whole = i < whole;
    i = min_of(i, c->count - S1_PERIOD);
    float *const result = narrow ? floats : (float *)(d + i * size);
    if (in_whole) {
      n = narrow ? min_of(whole - i, BLOCK / S1_PERIOD * S1_PERIOD) : whole;
      const int nt = HAS_STREAMS && c->nt && (uintptr_t)result % V == 0;
      NAMED(SET, periods)(c, &c->first, n / S1_PERIOD, result, s + i / S1_PERIOD * c->advance, scale, bias, nt);
    } else {
      n = S1_PERIOD;
      NAMED(SET, periods)(c, &c->last, 1, result, s + NAMED(SET, place)(c, i), scale, bias, 0);
    }
    if (narrow) end_floats(floats, n), narrow(d + i * size, floats, n);
  }
}
