/* planes512.h - tables in another order, by VBMI, of entries of 1, 2 or 4 bytes.
 *
 * One instruction picks any bytes out of 128. Two of them and the top bits of 64 bytes look these
 * up in a table of 256 bytes. A table of entries of several bytes is split into tables of their
 * first bytes, their second bytes and so on, and the results are interleaved.
 */

enum { ENTRIES = 256 }; /* bytes of a table of bytes */
#define TABLE_PLANES 1024

FN int has_planes(int64_t tables, int size) { return (tables == 1 || tables == 3) && size <= 4; }

/* planes[256*p + i] = t[size*i + p] */
OUTLINE void make_planes(uint8_t *restrict planes, const uint8_t *restrict t, int size) {
  typedef uint16_t words_of __attribute__((aligned(1), may_alias));
  typedef uint32_t dwords_of __attribute__((aligned(1), may_alias));
  for (int p = 0; p < size; p++, planes += ENTRIES) switch (size) {
      case 1: memcpy(planes, t, ENTRIES); break;
      case 2:
        for (int i = 0; i < ENTRIES; i++) planes[i] = (uint8_t)(((const words_of *)t)[i] >> 8 * p);
        break;
      default:
        for (int i = 0; i < ENTRIES; i++) planes[i] = (uint8_t)(((const dwords_of *)t)[i] >> 8 * p);
    }
}

/* The entries of bytes x in the table of four vectors t. */
FN __m512i look_up_bytes(__m512i x, const __m512i *t) {
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), _mm512_permutex2var_epi8(t[0], x, t[1]), _mm512_permutex2var_epi8(t[2], x, t[3]));
}

/* Stores V entries, of which y[p] has bytes p. The instructions interleave lane by lane. So y[p]
 * has the bytes of each lane in one lane before, as entry_order says. */
FN __m512i entry_order(int size) {
  static const uint8_t orders[2][V] = {
#define PAIRS(n) n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 32, n + 33, n + 34, n + 35, n + 36, n + 37, n + 38, n + 39
#define FOURS(n) n, n + 1, n + 2, n + 3, n + 16, n + 17, n + 18, n + 19, n + 32, n + 33, n + 34, n + 35, n + 48, n + 49, n + 50, n + 51
      {PAIRS(0), PAIRS(8), PAIRS(16), PAIRS(24)}, {FOURS(0), FOURS(4), FOURS(8), FOURS(12)}};
#undef FOURS
#undef PAIRS
  return (__m512i)load(orders[size == 4]);
}
FN void store_entries(uint8_t *d, const __m512i *y, int nt, int size) {
  __m512i z[4] = {y[0], y[0], y[0], y[0]};
  if (size > 1) z[0] = _mm512_unpacklo_epi8(y[0], y[1]), z[1] = _mm512_unpackhi_epi8(y[0], y[1]);
  if (size == 4) {
    const __m512i lo = _mm512_unpacklo_epi8(y[2], y[3]), hi = _mm512_unpackhi_epi8(y[2], y[3]), low = z[0], high = z[1];
    z[0] = _mm512_unpacklo_epi16(low, lo), z[1] = _mm512_unpackhi_epi16(low, lo);
    z[2] = _mm512_unpacklo_epi16(high, hi), z[3] = _mm512_unpackhi_epi16(high, hi);
  }
#pragma GCC unroll 4
  for (int p = 0; p < size; p++) {
    if (nt) store_nt(d + p * V, (vec)z[p]);
    else store_in_order(d + p * V, (vec)z[p]);
  }
}

FN void look_up_vectors(uint8_t *d, const uint8_t *s, int64_t n, const uint8_t *planes, int nt, int size) {
  __m512i t[4][4], y[4];
  const __m512i order = entry_order(size);
#pragma GCC unroll 4
  for (int p = 0; p < size; p++)
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) t[p][k] = (__m512i)load(planes + p * ENTRIES + k * V);
  for (int64_t i = 0; i < n; i += V, d += V * size) {
    __m512i x = (__m512i)load(s + i);
    if (size > 1) x = _mm512_permutexvar_epi8(order, x);
#pragma GCC unroll 4
    for (int p = 0; p < size; p++) y[p] = look_up_bytes(x, t[p]);
    store_entries(d, y, nt, size);
  }
}

/* The bytes that `at` lists of a, b and c, one behind the other. */
FN __m512i of_three(__m512i at, __m512i a, __m512i b, __m512i c) {
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(at), _mm512_permutex2var_epi8(a, at, b), _mm512_permutexvar_epi8(at, c));
}

/* The same for three tables in turn. The bytes of each table come together, and go apart again as
 * bytes of entries. */
FN void look_up_pixels(uint8_t *d, const uint8_t *s, int64_t n, const uint8_t *planes, int nt, int size) {
#define EIGHT(X, n) X(n), X(n + 1), X(n + 2), X(n + 3), X(n + 4), X(n + 5), X(n + 6), X(n + 7)
#define EACH(X) EIGHT(X, 0), EIGHT(X, 8), EIGHT(X, 16), EIGHT(X, 24), EIGHT(X, 32), EIGHT(X, 40), EIGHT(X, 48), EIGHT(X, 56)
#define THIRD(n) 3 * (n)
#define PIXEL(n) n, V + n, 2 * V + n
  static const uint8_t thirds[V] = {EACH(THIRD)}, pixels[3 * V] = {EACH(PIXEL)};
#undef PIXEL
#undef THIRD
#undef EACH
#undef EIGHT
  __m512i apart[3], y[3][4];
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++) {
    apart[k] = (__m512i)load(pixels + k * V);
    if (size > 1) apart[k] = _mm512_permutexvar_epi8(entry_order(size), apart[k]);
  }
  for (int64_t i = 0; i < n; i += 3 * V) {
    const __m512i a = (__m512i)load(s + i), b = (__m512i)load(s + i + V), c = (__m512i)load(s + i + 2 * V);
#pragma GCC unroll 3
    for (int k = 0; k < 3; k++) {
      const __m512i x = of_three((__m512i)(load(thirds) + (uint8_t)k), a, b, c);
#pragma GCC unroll 4
      for (int p = 0; p < size; p++) y[k][p] = look_up_bytes(x, (const __m512i *)(planes + k * TABLE_PLANES + p * ENTRIES));
    }
#pragma GCC unroll 3
    for (int k = 0; k < 3; k++, d += V * size) {
      __m512i z[4];
#pragma GCC unroll 4
      for (int p = 0; p < size; p++) z[p] = of_three(apart[k], y[0][p], y[1][p], y[2][p]);
      store_entries(d, z, nt, size);
    }
  }
}

OUTLINE void by_planes(uint8_t *d, const uint8_t *s, int64_t n, const uint8_t *planes, int64_t tables, int nt, int size) {
#define BY_SIZE(look_up)                           \
  switch (size) {                                  \
    case 1: look_up(d, s, n, planes, 0, 1); break; \
    case 2: look_up(d, s, n, planes, 0, 2); break; \
    default:                                       \
      if (nt) look_up(d, s, n, planes, 1, 4);      \
      else look_up(d, s, n, planes, 0, 4);         \
  }
  if (tables == 3) {
    BY_SIZE(look_up_pixels)
  } else {
    BY_SIZE(look_up_vectors)
  }
#undef BY_SIZE
}
