/* convert64.h - numbers by way of double, for types whose numbers float does not hold. convert.h
 * includes this file.
 *
 * Each of these types has one loop to double, widen64_TYPE, and one loop from double,
 * narrow64_TYPE. The others go by way of float on their side, which holds them. The compiler
 * vectorizes these loops, so they use no conversions that AVX2 lacks. Instead they use the bits of
 * doubles: the sum of 2^52 and a whole number below that has the number in its lowest bits, and a
 * sum with 1.5 * 2^52 is rounded to a whole number, which may be negative.
 */

typedef void s1_widen64(double *d, const uint8_t *s, int64_t n, const float *scale, const float *bias, int per_element);
typedef void s1_narrow64(uint8_t *d, const double *s, int64_t n);
typedef int32_t loose_i32 __attribute__((aligned(1), may_alias));
typedef int64_t loose_i64 __attribute__((aligned(1), may_alias));

FN double double_of(uint64_t bits) {
  double f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

FN uint64_t bits_of_double(double f) {
  uint64_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

/* The nearest double. Both summands are exact: the upper 32 bits of x times 2^32, with 2^52
 * subtracted, and the lower 32 bits with 2^52 added. */
#define LOWER(x) double_of(((uint64_t)(x)&0xffffffff) | 0x4330000000000000)
FN double of_int64(int64_t x) { return double_of((uint64_t)x >> 32 ^ 0x4530000080000000) - 0x1.0000080100000p84 + LOWER(x); }
FN double of_uint64(uint64_t x) { return double_of(x >> 32 | 0x4530000000000000) - 0x1.0000000100000p84 + LOWER(x); }
#undef LOWER

/* x, whose bits below the 53rd one become a single bit if there are any: float, float16, bfloat16
 * and integers of up to 32 bits round that as they round x. */
FN uint64_t odd(uint64_t x, uint64_t magnitude) { return (magnitude >> 53 != 0) & ((x & 0x7ff) != 0) ? (x & ~(uint64_t)0x7ff) | 0x800 : x; }
FN double of_int64_odd(int64_t x) { return of_int64((int64_t)odd((uint64_t)x, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)); }
FN double of_uint64_odd(uint64_t x) { return of_uint64(odd(x, x)); }

/* d[i] = s[i] * scale[i] + bias[i], rounded after each step. */
#define WIDEN64(name, type, value)                                                                                                                             \
  OUTLINE void NAMED(SET, widen64_##name)(double *restrict d, const uint8_t *restrict src, int64_t n, const float *restrict scale, const float *restrict bias, \
                                          int per_element) {                                                                                                   \
    const type *restrict s = (const type *)src;                                                                                                                \
    const double a = *scale, b = *bias;                                                                                                                        \
    if (per_element)                                                                                                                                           \
      for (int64_t i = 0; i < n; i++) d[i] = value(s[i]) * (double)scale[i] + (double)bias[i];                                                                 \
    else                                                                                                                                                       \
      for (int64_t i = 0; i < n; i++) d[i] = value(s[i]) * a + b;                                                                                              \
  }
WIDEN64(int32, loose_i32, (double))
WIDEN64(uint32, loose_u32, of_uint64)
WIDEN64(int64, loose_i64, of_int64)
WIDEN64(uint64, loose_u64, of_uint64)
WIDEN64(int64_odd, loose_i64, of_int64_odd)
WIDEN64(uint64_odd, loose_u64, of_uint64_odd)
WIDEN64(float32, loose_float, (double))
WIDEN64(float64, loose_double, (double))
#undef WIDEN64

/* x from lo to hi, and 0 for a NaN. */
FN double limited64(double x, double lo, double hi) {
  x = x == x ? x : 0;
  x = x < lo ? lo : x;
  return x > hi ? hi : x;
}

/* The whole number nearest to x, ties to even, modulo 2^64, for x from -2^63 to 2^64. It is split
 * into the nearest multiple of 2^32 and the rest, which is exact and below 2^32. */
FN uint64_t nearest64(double x) {
  const double upper = x * 0x1p-32 + 0x1.8p52, rest = x - (upper - 0x1.8p52) * 0x1p32;
  return (bits_of_double(upper) << 32) + bits_of_double(rest + 0x1.8p52) - 0x4338000000000000;
}

/* d[i] = s[i], rounded to the nearest number of d's type, ties to even, and saturated. `most` is
 * the largest double that `value` takes. From `end` on, results are the type's largest number. */
#define NARROW64(name, type, value)                                                                    \
  OUTLINE void NAMED(SET, narrow64_##name)(uint8_t *restrict d, const double *restrict s, int64_t n) { \
    for (int64_t i = 0; i < n; i++) ((type *)d)[i] = (value);                                          \
  }
NARROW64(int32, loose_u32, (uint32_t)bits_of_double(limited64(s[i], -0x1p31, 0x1p31 - 1) + 0x1.8p52))
NARROW64(uint32, loose_u32, (uint32_t)bits_of_double(limited64(s[i], 0, 0x1p32 - 1) + 0x1.8p52))
NARROW64(int64, loose_u64, s[i] >= 0x1p63 ? INT64_MAX : nearest64(limited64(s[i], -0x1p63, 0x1p63 - 1024)))
NARROW64(uint64, loose_u64, s[i] >= 0x1p64 ? UINT64_MAX : nearest64(limited64(s[i], 0, 0x1p64 - 2048)))
NARROW64(float32, loose_float, (float)s[i])
NARROW64(float64, loose_double, s[i])
#undef NARROW64

/* d[i] is s[i] if a float has it, else the one of the two floats around it whose lowest bit is 1:
 * all narrower types round that as they round s[i]. */
OUTLINE void NAMED(SET, narrow64_odd)(float *restrict d, const double *restrict s, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    const float f = (float)s[i];
    const uint32_t bits = bits_of(f), step = __builtin_fabs((double)f) > __builtin_fabs(s[i]) ? -1 : 1;
    d[i] = float_of((double)f != s[i] ? bits + (~bits & 1) * step : bits);
  }
}

/* d[i] is the nearest integer that its type has to x = s[i], an integer of 32 or 64 bits. */
/* clang-format off */
#define EACH_LARGE_PAIR(X)                                              \
  X(u32, i32, x < 0 ? 0 : x)                                            \
  X(i64, i32, x)                                                        \
  X(u64, i32, x < 0 ? 0 : x)                                            \
  X(i32, u32, x > INT32_MAX ? INT32_MAX : x)                            \
  X(i64, u32, x)                                                        \
  X(u64, u32, x)                                                        \
  X(i32, i64, x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x) \
  X(u32, i64, x < 0 ? 0 : x > UINT32_MAX ? UINT32_MAX : x)              \
  X(u64, i64, x < 0 ? 0 : x)                                            \
  X(i32, u64, x > INT32_MAX ? INT32_MAX : x)                            \
  X(u32, u64, x > UINT32_MAX ? UINT32_MAX : x)                          \
  X(i64, u64, x > INT64_MAX ? INT64_MAX : x)
#define SATURATE(to, from, value)                                                                                 \
  static ISA void NAMED(SET, saturate_##from##_##to)(uint8_t *restrict d, const uint8_t *restrict s, int64_t n) { \
    for (int64_t i = 0; i < n; i++) {                                                                             \
      const loose_##from x = ((const loose_##from *)s)[i];                                                        \
      ((loose_##to *)d)[i] = (loose_##to)(value);                                                                 \
    }                                                                                                             \
  }
/* clang-format on */
EACH_LARGE_PAIR(SATURATE)
#undef SATURATE

/* Converts n integers of 32 or 64 bits to others. */
OUTLINE void NAMED(SET, saturate)(int32_t to, int32_t from, uint8_t *d, const uint8_t *s, int64_t n) {
  enum { i32 = S1_number_int32, u32 = S1_number_uint32, i64 = S1_number_int64, u64 = S1_number_uint64 };
#define CASE(to, from, value) \
  case from * 32 + to: NAMED(SET, saturate_##from##_##to)(d, s, n); break;
  switch (from * 32 + to) { EACH_LARGE_PAIR(CASE) }
#undef CASE
#undef EACH_LARGE_PAIR
}

/* Converts n <= BLOCK elements by way of double. widen is the loop to float of the source's type,
 * and narrow the loop from float of the destination's. Each is null if the type has a loop here. */
OUTLINE void NAMED(SET, by_double)(const s1_conversion *c, s1_widen *widen, s1_narrow *narrow, uint8_t *d, const uint8_t *s, int64_t n, const float *scale,
                                   const float *bias) {
  double doubles[BLOCK];
  float floats[BLOCK + BYTES];
  const int per_element = c->period > 0;
  const float one = 1, nothing = -0.0f;
  const int rounds_once = c->rule == S1_unchanged && c->dst != S1_number_float64;
  if (widen) widen(floats, s, n, &one, &nothing, 0), s = (const uint8_t *)floats;
  switch (c->src) {
    case S1_number_int32: NAMED(SET, widen64_int32)(doubles, s, n, scale, bias, per_element); break;
    case S1_number_uint32: NAMED(SET, widen64_uint32)(doubles, s, n, scale, bias, per_element); break;
    case S1_number_int64: (rounds_once ? NAMED(SET, widen64_int64_odd) : NAMED(SET, widen64_int64))(doubles, s, n, scale, bias, per_element); break;
    case S1_number_uint64: (rounds_once ? NAMED(SET, widen64_uint64_odd) : NAMED(SET, widen64_uint64))(doubles, s, n, scale, bias, per_element); break;
    case S1_number_float64: NAMED(SET, widen64_float64)(doubles, s, n, scale, bias, per_element); break;
    default: NAMED(SET, widen64_float32)(doubles, s, n, scale, bias, per_element);
  }
  switch (c->dst) {
    case S1_number_int32: NAMED(SET, narrow64_int32)(d, doubles, n); break;
    case S1_number_uint32: NAMED(SET, narrow64_uint32)(d, doubles, n); break;
    case S1_number_int64: NAMED(SET, narrow64_int64)(d, doubles, n); break;
    case S1_number_uint64: NAMED(SET, narrow64_uint64)(d, doubles, n); break;
    case S1_number_float32: NAMED(SET, narrow64_float32)(d, doubles, n); break;
    case S1_number_float64: NAMED(SET, narrow64_float64)(d, doubles, n); break;
    default: NAMED(SET, narrow64_odd)(floats, doubles, n), end_floats(floats, n), narrow(d, floats, n);
  }
}
