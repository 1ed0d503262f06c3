/* vec.h - unaligned loads and stores. The including file defines ISA, the
 * attribute that selects its instruction set, and V, the bytes of a vector.
 *
 * Everything that takes or returns a vector is inlined: 64-bit Windows aligns
 * the stack to 16 bytes, and compilers place 32-byte arguments there as if it
 * were 32.
 */
#include <string.h>

/* Loops of a few instructions run at half speed where they straddle a line of
 * code; cgo takes no -falign-loops. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("align-loops=64")
#endif

#define FN static inline __attribute__((always_inline)) ISA

typedef uint8_t vec __attribute__((vector_size(V)));
typedef uint8_t vec16 __attribute__((vector_size(16)));
#if V > 32
typedef uint8_t vec32 __attribute__((vector_size(32)));
#endif

/* Of a type that may lie and alias anywhere, not by memcpy: gcc copies 16 bytes so
 * through general registers. */
typedef uint8_t loose __attribute__((vector_size(V), aligned(1), may_alias));
typedef uint8_t loose16 __attribute__((vector_size(16), aligned(1), may_alias));

FN vec load(const uint8_t *s) { return *(const loose *)s; }
FN void store(uint8_t *d, vec v) { *(loose *)d = v; }
FN vec16 load16(const uint8_t *s) { return *(const loose16 *)s; }
FN void store16(uint8_t *d, vec16 v) { *(loose16 *)d = v; }

/* Stores past the caches; d is aligned to V. */
#if V == 64
FN void store_past(uint8_t *d, vec v) { _mm512_stream_si512((__m512i *)d, (__m512i)v); }
#elif V == 32
FN void store_past(uint8_t *d, vec v) { _mm256_stream_si256((__m256i *)d, (__m256i)v); }
#endif

FN uint16_t load_u16(const uint8_t *s) {
  uint16_t v;
  memcpy(&v, s, sizeof v);
  return v;
}

FN uint32_t load_u32(const uint8_t *s) {
  uint32_t v;
  memcpy(&v, s, sizeof v);
  return v;
}

FN uint64_t load_u64(const uint8_t *s) {
  uint64_t v;
  memcpy(&v, s, sizeof v);
  return v;
}

/* A row of a tile: one 16-byte piece of a source row on NEON; elsewhere two, of
 * lines of which the second is `apart` bytes further. load_every2 takes every second
 * element of w bytes, and nothing behind the last one; load_halves, which may, takes
 * half of them into each 16 bytes, of the first line and then the second. zip
 * interleaves the elements of two pieces, those of the low halves or the high ones,
 * 16 bytes by 16 bytes. */
#if V == 16
typedef uint8x16_t piece;
#define ZIP(n, a, b, high) (high ? (piece)vzip2q_u##n((uint##n##x_t)(a), (uint##n##x_t)(b)) : (piece)vzip1q_u##n((uint##n##x_t)(a), (uint##n##x_t)(b)))
typedef uint8x16_t uint8x_t;
typedef uint16x8_t uint16x_t;
typedef uint32x4_t uint32x_t;
typedef uint64x2_t uint64x_t;
FN piece load_piece(const uint8_t *s, int64_t apart) {
  (void)apart;
  return vld1q_u8(s);
}
FN piece load_every2(const uint8_t *s, int64_t apart, int w) {
  const piece a = load_piece(s, apart), b = load_piece(s + 16 - w, apart);
  switch (w) {
    case 1: return vuzp1q_u8(a, vextq_u8(b, b, 1));
    case 2: return (piece)vuzp1q_u16((uint16x8_t)a, (uint16x8_t)vextq_u8(b, b, 2));
    case 4: return (piece)vuzp1q_u32((uint32x4_t)a, (uint32x4_t)vextq_u8(b, b, 4));
    default: return (piece)vcopyq_laneq_u64((uint64x2_t)a, 1, (uint64x2_t)b, 1);
  }
}
#else
typedef __m256i piece;
#define ZIP(n, a, b, high) (high ? _mm256_unpackhi_epi##n(a, b) : _mm256_unpacklo_epi##n(a, b))
FN piece load_piece(const uint8_t *s, int64_t apart) {
  const __m256i lo = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)s));
  return _mm256_inserti128_si256(lo, _mm_loadu_si128((const __m128i *)(s + apart)), 1);
}
FN piece load_every2(const uint8_t *s, int64_t apart, int w) {
  const piece a = load_piece(s, apart), b = load_piece(s + 16 - w, apart);
  switch (w) {
    case 1: return _mm256_packus_epi16(_mm256_and_si256(a, _mm256_set1_epi16(0xff)), _mm256_srli_epi16(b, 8));
    case 2: return _mm256_packus_epi32(_mm256_and_si256(a, _mm256_set1_epi32(0xffff)), _mm256_srli_epi32(b, 16));
    case 4: return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0xd8));
    default: return _mm256_blend_epi32(a, b, 0xcc);
  }
}
FN piece load_halves(const uint8_t *s, int64_t apart, int w) {
  const piece a = _mm256_loadu_si256((const __m256i *)s), b = _mm256_loadu_si256((const __m256i *)(s + apart));
  switch (w) {
    case 1: return _mm256_packus_epi16(_mm256_and_si256(a, _mm256_set1_epi16(0xff)), _mm256_and_si256(b, _mm256_set1_epi16(0xff)));
    case 2: return _mm256_packus_epi32(_mm256_and_si256(a, _mm256_set1_epi32(0xffff)), _mm256_and_si256(b, _mm256_set1_epi32(0xffff)));
    case 4: return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
    default: return _mm256_unpacklo_epi64(a, b);
  }
}
#endif

FN piece zip(piece a, piece b, int w, int high) {
  switch (w) {
    case 1: return ZIP(8, a, b, high);
    case 2: return ZIP(16, a, b, high);
    case 4: return ZIP(32, a, b, high);
    default: return ZIP(64, a, b, high);
  }
}
#undef ZIP

/* What an s1_vector says, held in registers. */
typedef struct {
  vec pick[S1_WINDOWS], perm[2];
  int64_t at[2][S1_WINDOWS];
} tables;
