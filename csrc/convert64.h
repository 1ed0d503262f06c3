/* convert64.h - numbers by way of double, for types whose numbers float does not hold. convert.h
 * includes this file.
 *
 * Each type has one loop to double, widen64_TYPE, and one loop from double, narrow64_TYPE. Only
 * float16 and samples go by way of float, and bfloat16 on its way back. The compiler vectorizes
 * these loops, so they use no conversions that AVX2 lacks. Instead they use the bits of doubles:
 * the sum of 2^52 and a whole number below that has the number in its lowest bits, and a sum with
 * 1.5 * 2^52 is rounded to a whole number, which may be negative.
 *
 * Integers of 64 bits have shorter loops, `small`, for blocks without numbers beyond 2^51.
 */

typedef void s1_widen64(double *d, const uint8_t *s, int64_t n, const float *scale, const float *bias, int per_element);
typedef void s1_narrow64(uint8_t *d, const double *s, int64_t n);
typedef int16_t loose_i16 __attribute__((aligned(1), may_alias));
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
FN uint64_t odd(uint64_t x, uint64_t magnitude) { return ((magnitude >> 53 != 0) & ((x & 0x7ff) != 0)) ? (x & ~(uint64_t)0x7ff) | 0x800 : x; }
FN double of_int64_odd(int64_t x) { return of_int64((int64_t)odd((uint64_t)x, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)); }
FN double of_uint64_odd(uint64_t x) { return of_uint64(odd(x, x)); }

/* x and 1.5 * 2^52 have a sum with the bits of both, for integers x from -2^51 to 2^51 - 1. */
FN double of_small(uint64_t x) { return double_of(x + 0x4338000000000000) - 0x1.8p52; }

/* d[i] = s[i] * scale[i] + bias[i], rounded after each step, or s[i] if scale is null. */
#define WIDEN64(name, type, value)                                                                                                   \
  OUTLINE void NAMED(SET, widen64_##name)(double *restrict dst, const uint8_t *restrict src, int64_t n, const float *restrict scale, \
                                          const float *restrict bias, int per_element) {                                             \
    const type *restrict s = (const type *)src;                                                                                      \
    loose_double *restrict d = dst;                                                                                                  \
    if (!scale)                                                                                                                      \
      for (int64_t i = 0; i < n; i++) d[i] = value(s[i]);                                                                            \
    else if (per_element)                                                                                                            \
      for (int64_t i = 0; i < n; i++) d[i] = value(s[i]) * (double)scale[i] + (double)bias[i];                                       \
    else                                                                                                                             \
      for (int64_t i = 0; i < n; i++) d[i] = value(s[i]) * (double)*scale + (double)*bias;                                           \
  }
WIDEN64(uint8, uint8_t, (double))
WIDEN64(int8, int8_t, (double))
WIDEN64(uint16, loose_u16, (double))
WIDEN64(int16, loose_i16, (double))
WIDEN64(bfloat16, loose_u16, (double)BFLOAT)
WIDEN64(int32, loose_i32, (double))
WIDEN64(uint32, loose_u32, of_uint64)
WIDEN64(small, loose_u64, of_small)
WIDEN64(int64, loose_i64, of_int64)
WIDEN64(uint64, loose_u64, of_uint64)
WIDEN64(float32, loose_float, (double))
WIDEN64(float64, loose_double, (double))
#undef WIDEN64

/* d[i] = s[i], for what is then rounded again. */
#define WIDEN64_ODD(name, type, value)                                                                          \
  OUTLINE void NAMED(SET, widen64_##name##_odd)(double *restrict dst, const uint8_t *restrict src, int64_t n) { \
    for (int64_t i = 0; i < n; i++) ((loose_double *)dst)[i] = value(((const type *)src)[i]);                   \
  }
WIDEN64_ODD(int64, loose_i64, of_int64_odd)
WIDEN64_ODD(uint64, loose_u64, of_uint64_odd)
#undef WIDEN64_ODD

/* The numbers from which on results are an integer type's least number and its largest one. For 64
 * bits the latter is the largest double below the type's limit. For number 0, of no type, they are
 * where zero points no longer matter. Compilers make longer code of limits that they know. */
static const double NAMED(SET, limits)[][2] = {
    {-0x1p40, 0x1p40},
    [S1_number_uint8] = {0, UINT8_MAX},
    [S1_number_int8] = {INT8_MIN, INT8_MAX},
    [S1_number_uint16] = {0, UINT16_MAX},
    [S1_number_int16] = {INT16_MIN, INT16_MAX},
    [S1_number_int32] = {INT32_MIN, INT32_MAX},
    [S1_number_uint32] = {0, UINT32_MAX},
    [S1_number_int64] = {-0x1p63, 0x1p63 - 1024},
    [S1_number_uint64] = {0, 0x1p64 - 2048},
};

/* x within limits, and 0 for a NaN. */
FN double limited64(double x, double least, double most) {
  x = x == x ? x : 0;
  x = x > least ? x : least;
  return x < most ? x : most;
}

/* The whole number nearest to x, ties to even, modulo 2^64, for x from -2^63 to 2^64. It is split
 * into the nearest multiple of 2^32 and the rest, which is exact and below 2^32. */
FN uint64_t nearest64(double x) {
  const double upper = x * 0x1p-32 + 0x1.8p52, rest = x - (upper - 0x1.8p52) * 0x1p32;
  return (bits_of_double(upper) << 32) + bits_of_double(rest + 0x1.8p52) - 0x4338000000000000;
}

/* d[i] = s[i], rounded to the nearest number of d's type, ties to even, and saturated: x is s[i]
 * within the limits of an integer type. From `end` on, results are the type's largest number. */
#define NARROW64(name, type, value)                                                                                                  \
  OUTLINE void NAMED(SET, narrow64_##name)(uint8_t *restrict d, const double *restrict s, int64_t n, const double *restrict limit) { \
    const double least = limit[0], most = limit[1];                                                                                  \
    for (int64_t i = 0; i < n; i++) {                                                                                                \
      const double x = limited64(s[i], least, most);                                                                                 \
      (void)x;                                                                                                                       \
      ((type *)d)[i] = (type)(value);                                                                                                \
    }                                                                                                                                \
  }
NARROW64(8_bits, uint8_t, bits_of_double(x + 0x1.8p52))
NARROW64(16_bits, loose_u16, bits_of_double(x + 0x1.8p52))
NARROW64(32_bits, loose_u32, bits_of_double(x + 0x1.8p52))
NARROW64(small_int64, loose_u64, bits_of_double(s[i] + 0x1.8p52) - 0x4338000000000000)
NARROW64(small_uint64, loose_u64, bits_of_double((s[i] > 0 ? s[i] : 0) + 0x1.8p52) - 0x4338000000000000)
NARROW64(int64, loose_u64, s[i] >= 0x1p63 ? INT64_MAX : nearest64(x))
NARROW64(uint64, loose_u64, s[i] >= 0x1p64 ? UINT64_MAX : nearest64(x))
NARROW64(float32, loose_float, (float)s[i])
#undef NARROW64

/* d[i] = s[i], of which float16 and bfloat16 make what they make of s[i]: the bits that neither of
 * them has become a single bit if there are any, as far as a float has them. */
OUTLINE void NAMED(SET, narrow64_odd)(float *restrict d, const double *restrict s, int64_t n) {
  const uint64_t rest = ((uint64_t)1 << 39) - 1;
  for (int64_t i = 0; i < n; i++) {
    const uint64_t bits = bits_of_double(s[i]);
    d[i] = (float)double_of((bits | ((bits & rest) + rest)) & ~rest);
  }
}

/* The nearest integer of 32 bits: a number fits if its upper half is what its lower half has above
 * it. This takes instructions of 32 bits alone. */
FN int32_t nearest_int32(int64_t x) {
  const int32_t upper = (int32_t)(x >> 32), lower = (int32_t)x;
  return upper == lower >> 31 ? lower : upper >> 31 ^ INT32_MAX;
}
FN uint32_t nearest_uint32(int64_t x) {
  const int32_t upper = (int32_t)(x >> 32);
  return upper == 0 ? (uint32_t)x : (uint32_t) ~(upper >> 31);
}

/* d[i] is the nearest integer that its type has to x = s[i], an integer of 32 or 64 bits. */
/* clang-format off */
#define EACH_LARGE_PAIR(X, LAST)                                        \
  X(u32, i32, x < 0 ? 0 : x)                                            \
  X(i64, i32, x)                                                        \
  X(u64, i32, x < 0 ? 0 : x)                                            \
  X(i32, u32, x > INT32_MAX ? INT32_MAX : x)                            \
  X(i64, u32, x)                                                        \
  X(u64, u32, x)                                                        \
  X(i32, i64, nearest_int32(x))                                         \
  X(u32, i64, nearest_uint32(x))                                        \
  X(u64, i64, x < 0 ? 0 : x)                                            \
  X(i32, u64, x > INT32_MAX ? INT32_MAX : x)                            \
  X(u32, u64, x > UINT32_MAX ? UINT32_MAX : x)                          \
  LAST(i64, u64, x > INT64_MAX ? INT64_MAX : x)
#define SATURATE(to, from, value)                                                                                 \
  static ISA void NAMED(SET, saturate_##from##_##to)(uint8_t *restrict d, const uint8_t *restrict s, int64_t n) { \
    for (int64_t i = 0; i < n; i++) {                                                                             \
      const loose_##from x = ((const loose_##from *)s)[i];                                                        \
      ((loose_##to *)d)[i] = (loose_##to)(value);                                                                 \
    }                                                                                                             \
  }
/* clang-format on */
EACH_LARGE_PAIR(SATURATE, SATURATE)
#undef SATURATE

/* Converts n integers of 32 or 64 bits to others. */
OUTLINE void NAMED(SET, saturate)(int32_t to, int32_t from, uint8_t *d, const uint8_t *s, int64_t n) {
  enum { i32 = S1_number_int32, u32 = S1_number_uint32, i64 = S1_number_int64, u64 = S1_number_uint64 };
#define CASE(to, from, value)                    \
  case from * 32 + to:                           \
    NAMED(SET, saturate_##from##_##to)(d, s, n); \
    break;
#define LAST(to, from, value) \
  default: must_be(pair, from * 32 + to), NAMED(SET, saturate_##from##_##to)(d, s, n);
  const int32_t pair = from * 32 + to;
  switch (pair) { EACH_LARGE_PAIR(CASE, LAST) }
#undef LAST
#undef CASE
#undef EACH_LARGE_PAIR
}

/* Whether n integers of 64 bits are from -2^51, or from 0 if they are unsigned, to 2^51 - 1. */
OUTLINE int NAMED(SET, small_integers)(const uint8_t *s, int64_t n, int is_unsigned) {
  const uint64_t offset = is_unsigned ? 0 : (uint64_t)1 << 51;
  uint64_t bits = 0;
  for (int64_t i = 0; i < n; i++) bits |= ((const loose_u64 *)s)[i] + offset;
  return bits >> (is_unsigned ? 51 : 52) == 0;
}

/* Whether n doubles are numbers from -2^51 to 2^51. */
OUTLINE int NAMED(SET, small_doubles)(const double *s, int64_t n) {
  int64_t large = 0;
  for (int64_t i = 0; i < n; i++) large |= !(__builtin_fabs(s[i]) <= 0x1p51);
  return !large;
}

/* Makes doubles of n <= BLOCK elements of c's source, as widen64_TYPE does. Integers of 64 bits
 * without values are rounded as `odd` has it, unless they stay doubles: they may become floats.
 * `widen` is the loop to float of the source's type, for float16 and samples. d may lie at any
 * address. */
OUTLINE void NAMED(SET, widen64)(const s1_conversion *c, s1_widen *widen, double *d, const uint8_t *s, int64_t n, const float *scale, const float *bias) {
  float floats[BLOCK];
  const float one = 1, nothing = -0.0f;
  const int per_element = c->period > 0, rounds_once = !scale && (c->dst != S1_number_float64 || c->rule != S1_unchanged);
#define WIDEN(name) NAMED(SET, widen64_##name)(d, s, n, scale, bias, per_element)
#define WIDEN_LONG(name, is_unsigned)                              \
  if (NAMED(SET, small_integers)(s, n, is_unsigned)) WIDEN(small); \
  else if (rounds_once) NAMED(SET, widen64_##name##_odd)(d, s, n); \
  else WIDEN(name)
  switch (c->src) {
    case S1_number_uint8: WIDEN(uint8); break;
    case S1_number_int8: WIDEN(int8); break;
    case S1_number_uint16: WIDEN(uint16); break;
    case S1_number_int16: WIDEN(int16); break;
    case S1_number_int32: WIDEN(int32); break;
    case S1_number_uint32: WIDEN(uint32); break;
    case S1_number_int64: WIDEN_LONG(int64, 0); break;
    case S1_number_uint64: WIDEN_LONG(uint64, 1); break;
    case S1_number_bfloat16: WIDEN(bfloat16); break;
    case S1_number_float32: WIDEN(float32); break;
    case S1_number_float64: WIDEN(float64); break;
    default: widen(floats, s, n, &one, &nothing, 0), s = (const uint8_t *)floats, WIDEN(float32);
  }
#undef WIDEN_LONG
#undef WIDEN
}

/* Stores n <= BLOCK doubles as elements of c's destination, other than doubles. `narrow` is the
 * loop from float of that type, for float16 and bfloat16. */
OUTLINE void NAMED(SET, narrow64)(const s1_conversion *c, s1_narrow *narrow, uint8_t *d, const double *s, int64_t n) {
  float floats[BLOCK + BYTES];
  const double *const limit = NAMED(SET, limits)[c->dst];
#define NARROW(name) NAMED(SET, narrow64_##name)(d, s, n, limit)
#define NARROW_LONG(name)                                    \
  if (NAMED(SET, small_doubles)(s, n)) NARROW(small_##name); \
  else NARROW(name)
  switch (c->dst) {
    case S1_number_uint8:
    case S1_number_int8: NARROW(8_bits); break;
    case S1_number_uint16:
    case S1_number_int16: NARROW(16_bits); break;
    case S1_number_int32:
    case S1_number_uint32: NARROW(32_bits); break;
    case S1_number_int64: NARROW_LONG(int64); break;
    case S1_number_uint64: NARROW_LONG(uint64); break;
    case S1_number_float32: NARROW(float32); break;
    default: NAMED(SET, narrow64_odd)(floats, s, n), end_floats(floats, n), narrow(d, floats, n);
  }
#undef NARROW_LONG
#undef NARROW
}

/* Converts n <= BLOCK elements by way of double, with values unless scale is null. */
FN void by_double(const s1_conversion *c, s1_widen *widen, s1_narrow *narrow, uint8_t *d, const uint8_t *s, int64_t n, const float *scale, const float *bias) {
  double doubles[BLOCK];
  double *const result = c->dst == S1_number_float64 ? (double *)d : doubles;
  NAMED(SET, widen64)(c, widen, result, s, n, scale, bias);
  if (result == doubles) NAMED(SET, narrow64)(c, narrow, d, doubles, n);
}
