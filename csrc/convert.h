/* convert.h - rows of elements to rows of float32, to be included after vec.h. The including file
 * defines SET and ISA; loops.h includes this file. The compiler makes the vectors, and vec.h forbids it to fuse the product and
 * the sum, so that both are rounded and every set gives the same bits.
 */

/* The compiler makes the vectors of these loops, which gcc does in full at -O3 alone. */
#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3")
#endif

typedef void s1_row(const s1_conversion *c, float *d, const uint8_t *s, const float *scale, const float *bias);

/* The value of a float16: its exponent and fraction, moved to where a float32 has them and multiplied
 * by the distance of the exponents' biases, which is exact. What that leaves finite, but is not, gets
 * the exponent of infinity and NaN. */
FN float of_half(uint16_t h) {
  const uint32_t magnitude = (uint32_t)(h & 0x7fff) << 13, sign = (uint32_t)(h & 0x8000) << 16;
  float f;
  uint32_t bits;
  memcpy(&f, &magnitude, sizeof f);
  f *= 0x1p112f;
  memcpy(&bits, &f, sizeof f);
  bits |= sign | (magnitude >= 0x0f800000 ? 0x7f800000 : 0);
  memcpy(&f, &bits, sizeof f);
  return f;
}

/* The value, from 0 to 255, of a sample of 16 bits, of which h has the bytes in reverse order. */
FN float of_sample(uint16_t h) { return (float)(uint16_t)(h << 8 | h >> 8) / 257.0f; }

#define NUMBER(x) (float)(x)

enum { LANES = V / 4, GROUP = HAS_MASKS ? LANES : 4, EACH = S1_PERIOD / LANES };
typedef float floats __attribute__((vector_size(V)));
typedef float loose_floats __attribute__((vector_size(V), aligned(4), may_alias));
typedef int32_t ints __attribute__((vector_size(V)));

/* Converts n periods of bytes: d[i] = s[place(i)] * scale[i] + bias[i], where place(i) is what p says.
 * The tables, scale and bias of a period stay in registers. */
static __attribute__((noinline)) ISA void NAMED(SET, periods)(const s1_picks *p, int64_t n, int64_t advance, float *d, const uint8_t *s, const float *scale,
                                                              const float *bias, int64_t period) {
  const s1_picks w = *p; /* whose address no store can meet */
  vec pick[EACH];
  floats a[EACH], b[EACH];
  for (int k = 0; k < EACH; k++) {
    pick[k] = load(p->pick[k * LANES]);
    a[k] = period ? (floats) * (const loose_floats *)(scale + k * LANES) : *scale - (floats){0};
    b[k] = period ? (floats) * (const loose_floats *)(bias + k * LANES) : *bias - (floats){0};
  }
  int64_t to = 0, from = 0;
  for (; n > 0; n--, to += S1_PERIOD, from += advance) {
#pragma GCC unroll 12
    for (int k = 0; k < EACH; k++)
      *(loose_floats *)(d + (to + k * LANES)) = __builtin_convertvector((ints)picked(s + from, &w, k * (LANES / GROUP), pick[k]), floats) * a[k] + b[k];
  }
}

/* Where element i of a row of places lies. */
static int64_t NAMED(SET, place)(const s1_conversion *c, int64_t i) {
  const int64_t k = i % S1_PERIOD;
  return i / S1_PERIOD * c->advance + c->first.at[k / GROUP] + c->first.pick[k][0];
}

/* A row of bytes that lie at places: whole periods, then periods that end with the row, or what is left
 * one by one. */
static ISA void NAMED(SET, row_places)(const s1_conversion *c, float *d, const uint8_t *s, const float *scale, const float *bias) {
  NAMED(SET, periods)(&c->first, c->whole, c->advance, d, s, scale, bias, c->period);
  int64_t i = c->whole * S1_PERIOD;
  for (int64_t last = c->last_count; last > 0; last--) {
    if (last == 1) i = c->count - S1_PERIOD;
    NAMED(SET, periods)(&c->last, 1, 0, d + i, s + NAMED(SET, place)(c, i), scale, bias, c->period);
    i += S1_PERIOD;
  }
  for (; i < c->count; i++) {
    const int64_t v = c->period ? i % S1_PERIOD : 0;
    d[i] = s[NAMED(SET, place)(c, i)] * scale[v] + bias[v];
  }
}

/* Each row converts elements without gaps. If `period` is 0, scale and bias have one value for all of
 * them, else `period` values, which repeat. */
#define ROW(name, type, value)                                                                                                             \
  static __attribute__((noinline)) ISA void NAMED(SET, row_##name)(const s1_conversion *c, float *restrict d, const uint8_t *restrict src, \
                                                                   const float *restrict scale, const float *restrict bias) {              \
    typedef type element __attribute__((aligned(1), may_alias));                                                                           \
    const element *restrict s = (const element *)src;                                                                                      \
    const float a = *scale, b = *bias;                                                                                                     \
    const int64_t n = c->count, period = c->period;                                                                                        \
    if (period == 0) {                                                                                                                     \
      for (int64_t i = 0; i < n; i++) d[i] = value(s[i]) * a + b;                                                                          \
      return;                                                                                                                              \
    }                                                                                                                                      \
    for (int64_t at = 0; at < n; at += period) {                                                                                           \
      const int64_t m = min_of(n - at, period);                                                                                            \
      for (int64_t i = 0; i < m; i++) d[at + i] = value(s[at + i]) * scale[i] + bias[i];                                                   \
    }                                                                                                                                      \
  }
ROW(uint8, uint8_t, NUMBER)
ROW(int8, int8_t, NUMBER)
ROW(uint16, uint16_t, NUMBER)
ROW(int16, int16_t, NUMBER)
ROW(int32, int32_t, NUMBER)
ROW(float32, float, NUMBER)
ROW(float16, uint16_t, of_half)
ROW(sample, uint16_t, of_sample)
#undef ROW

/* Converts every row of c. */
static __attribute__((noinline)) void NAMED(SET, convert)(const s1_conversion *c, uint8_t *dst, const uint8_t *src, const float *scale, const float *bias) {
  static s1_row *const rows[] = {
      NAMED(SET, row_uint8),   NAMED(SET, row_int8),    NAMED(SET, row_uint16), NAMED(SET, row_int16),  NAMED(SET, row_int32),
      NAMED(SET, row_float32), NAMED(SET, row_float16), NAMED(SET, row_sample), NAMED(SET, row_places),
  };
  int64_t at[S1_RANK] = {0}, to = 0, from = 0, param = 0;
  for (;;) {
    rows[c->type](c, (float *)(dst + to), src + from, scale + param, bias + param);
    int r = c->loops - 1;
    for (; r >= 0; r--) {
      const s1_row_loop *l = &c->loop[r];
      to += l->dst, from += l->src, param += l->param;
      if (++at[r] < l->extent) break;
      to -= l->extent * l->dst, from -= l->extent * l->src, param -= l->extent * l->param;
      at[r] = 0;
    }
    if (r < 0) return;
  }
}

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
