/* emulate.h - the intrinsics of AVX-512 that avx512.h calls, for processors that have AVX2 but no
 * AVX-512. As with the instructions, a load or store under a mask accesses only the bytes that the
 * mask has. This is for tests: avx512.h includes it if S1_EMULATE_AVX512 is defined, which the Go
 * build tag s1_emulate_avx512 does.
 */
#include <stdint.h>
#include <string.h>

typedef union {
  __m512i v;
  uint8_t byte[64];
} s1_bytes;

static void s1_storeu(void *d, __m512i v) { memcpy(d, &v, sizeof v); }

static __m512i s1_mask_loadu(__m512i v, __mmask64 mask, const void *s) {
  s1_bytes x = {v};
  for (int i = 0; i < 64; i++)
    if (mask >> i & 1) x.byte[i] = ((const volatile uint8_t *)s)[i];
  return x.v;
}

static void s1_mask_storeu(void *d, __mmask64 mask, __m512i v) {
  s1_bytes x = {v};
  for (int i = 0; i < 64; i++)
    if (mask >> i & 1) ((volatile uint8_t *)d)[i] = x.byte[i];
}

/* Uses no index as an address, since the planner may leave the index of a byte unset if no mask
 * stores that byte. */
__attribute__((target("avx2"))) static __m512i s1_permute(__m512i index, __m512i v) {
  __m256i picks[2], x[2] = {{0}, {0}};
  __m128i lanes[4];
  memcpy(picks, &index, sizeof picks);
  memcpy(lanes, &v, sizeof lanes);
  for (int half = 0; half < 2; half++)
    for (int lane = 0; lane < 4; lane++) {
      const __m256i inside = _mm256_and_si256(picks[half], _mm256_set1_epi8(15));
      const __m256i hit = _mm256_cmpeq_epi8(_mm256_and_si256(picks[half], _mm256_set1_epi8(0x30)), _mm256_set1_epi8((char)(lane * 16)));
      const __m256i picked = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(lanes[lane]), inside);
      x[half] = _mm256_or_si256(x[half], _mm256_and_si256(hit, picked));
    }
  memcpy(&v, x, sizeof v);
  return v;
}

/* s1_permute, with the bytes of x that `mask` leaves out. */
static __m512i s1_mask_permute(__m512i x, __mmask64 mask, __m512i index, __m512i v) {
  s1_bytes permuted = {s1_permute(index, v)}, was = {x};
  for (int i = 0; i < 64; i++)
    if (!(mask >> i & 1)) permuted.byte[i] = was.byte[i];
  return permuted.v;
}

/* Bytes of a, or of b where bit 6 of the index is set. */
static __m512i s1_permute2(__m512i a, __m512i index, __m512i b) {
  s1_bytes x = {s1_permute(index, a)}, y = {s1_permute(index, b)}, at = {index};
  for (int i = 0; i < 64; i++)
    if (at.byte[i] >> 6 & 1) x.byte[i] = y.byte[i];
  return x.v;
}

static __mmask64 s1_top_bits(__m512i v) {
  s1_bytes x = {v};
  __mmask64 mask = 0;
  for (int i = 0; i < 64; i++) mask |= (__mmask64)(x.byte[i] >> 7) << i;
  return mask;
}

static __m512i s1_mask_blend(__mmask64 mask, __m512i a, __m512i b) {
  s1_bytes x = {a}, y = {b};
  for (int i = 0; i < 64; i++)
    if (mask >> i & 1) x.byte[i] = y.byte[i];
  return x.v;
}

typedef union {
  __m512i v;
  __m256i half[2];
} s1_halves;

#define HALVES(name, op)                                                      \
  __attribute__((target("avx2"))) static __m512i name(__m512i a, __m512i b) { \
    s1_halves x = {a}, y = {b};                                               \
    for (int i = 0; i < 2; i++) x.half[i] = op(x.half[i], y.half[i]);         \
    return x.v;                                                               \
  }
HALVES(s1_mulhi, _mm256_mulhi_epi16)
HALVES(s1_mulhi_unsigned, _mm256_mulhi_epu16)
HALVES(s1_packus, _mm256_packus_epi16)
HALVES(s1_unpacklo, _mm256_unpacklo_epi16)
HALVES(s1_unpackhi, _mm256_unpackhi_epi16)
HALVES(s1_madd, _mm256_madd_epi16)
HALVES(s1_maddubs, _mm256_maddubs_epi16)
HALVES(s1_mulhrs, _mm256_mulhrs_epi16)
HALVES(s1_packs, _mm256_packs_epi32)
HALVES(s1_shuffle_lanes, _mm256_shuffle_epi8)
HALVES(s1_unpacklo_epi8, _mm256_unpacklo_epi8)
HALVES(s1_unpackhi_epi8, _mm256_unpackhi_epi8)
HALVES(s1_unpacklo_epi32, _mm256_unpacklo_epi32)
HALVES(s1_unpackhi_epi32, _mm256_unpackhi_epi32)
HALVES(s1_unpacklo_epi64, _mm256_unpacklo_epi64)
HALVES(s1_unpackhi_epi64, _mm256_unpackhi_epi64)
#undef HALVES

/* Without a target, it would take v from memory, where callers by AVX2 pass a register. */
__attribute__((target("avx2"))) static __m512i s1_cvtepu8(__m256i v) {
  typedef uint8_t bytes __attribute__((vector_size(32)));
  typedef int16_t words __attribute__((vector_size(64)));
  return (__m512i) __builtin_convertvector((bytes)v, words);
}

/* Bytes of a are unsigned, those of b signed, and sums wrap. */
static __m512i s1_dpbusd(__m512i sum, __m512i a, __m512i b) {
  s1_bytes x = {sum}, u = {a}, v = {b};
  for (int i = 0; i < 64; i += 4) {
    uint32_t n;
    memcpy(&n, x.byte + i, 4);
    for (int k = 0; k < 4; k++) n += (uint32_t)(u.byte[i + k] * (int8_t)v.byte[i + k]);
    memcpy(x.byte + i, &n, 4);
  }
  return x.v;
}

static __m512i s1_broadcast_lane(__m128i v) {
  s1_bytes x;
  for (int i = 0; i < 64; i += 16) memcpy(x.byte + i, &v, 16);
  return x.v;
}

static __m512i s1_insert_lane(__m512i v, __m128i part, int lane) {
  s1_bytes x = {v};
  memcpy(x.byte + 16 * lane, &part, 16);
  return x.v;
}

static __m128i s1_extract_lane(__m512i v, int lane) {
  const s1_bytes x = {v};
  __m128i part;
  memcpy(&part, x.byte + 16 * lane, 16);
  return part;
}

typedef union {
  __m512 v;
  uint32_t word[16];
} s1_singles;

static __m512 s1_shuffle_singles(__m512 a, __m512 b, int order) {
  s1_singles x = {a}, y = {b}, z;
  for (int i = 0; i < 16; i++) z.word[i] = (i % 4 < 2 ? x : y).word[i / 4 * 4 + (order >> i % 4 * 2 & 3)];
  return z.v;
}

/* The masks of words, as a bit of each. */
static uint32_t s1_greater(__m512i a, __m512i b) {
  s1_bytes x = {a}, y = {b};
  uint32_t mask = 0;
  for (int i = 0; i < 32; i++) {
    uint16_t u, v;
    memcpy(&u, x.byte + 2 * i, 2), memcpy(&v, y.byte + 2 * i, 2);
    mask |= (uint32_t)(u > v) << i;
  }
  return mask;
}

static __m512i s1_mask_sub(__m512i x, uint32_t mask, __m512i a, __m512i b) {
  s1_bytes s = {x}, u = {a}, v = {b};
  for (int i = 0; i < 32; i++) {
    uint16_t m, n;
    memcpy(&m, u.byte + 2 * i, 2), memcpy(&n, v.byte + 2 * i, 2), m = (uint16_t)(m - n);
    if (mask >> i & 1) memcpy(s.byte + 2 * i, &m, 2);
  }
  return s.v;
}

#undef _mm512_cmpgt_epu16_mask
#define _mm512_cmpgt_epu16_mask s1_greater
#define _mm512_mask_sub_epi16 s1_mask_sub
#define _mm512_mulhi_epi16 s1_mulhi
#define _mm512_mulhi_epu16 s1_mulhi_unsigned
#define _mm512_unpacklo_epi8 s1_unpacklo_epi8
#define _mm512_unpackhi_epi8 s1_unpackhi_epi8
#define _mm512_unpacklo_epi32 s1_unpacklo_epi32
#define _mm512_unpackhi_epi32 s1_unpackhi_epi32
#define _mm512_unpacklo_epi64 s1_unpacklo_epi64
#define _mm512_unpackhi_epi64 s1_unpackhi_epi64
#define _mm512_dpbusd_epi32 s1_dpbusd
#define _mm512_broadcast_i32x4 s1_broadcast_lane
#undef _mm512_extracti32x4_epi32 /* a macro of builds that do not optimize, as the next ones */
#undef _mm512_shuffle_ps
#undef _mm512_mask_blend_epi8
#undef _mm512_inserti32x4
#define _mm512_inserti32x4 s1_insert_lane
#define _mm512_extracti32x4_epi32 s1_extract_lane
#define _mm512_castsi512_si128(v) s1_extract_lane(v, 0)
#define _mm512_packus_epi16 s1_packus
#define _mm512_unpacklo_epi16 s1_unpacklo
#define _mm512_unpackhi_epi16 s1_unpackhi
#define _mm512_permutex2var_epi8 s1_permute2
#define _mm512_movepi8_mask s1_top_bits
#define _mm512_mask_blend_epi8 s1_mask_blend
#define _mm512_madd_epi16 s1_madd
#define _mm512_maddubs_epi16 s1_maddubs
#define _mm512_cvtepu8_epi16 s1_cvtepu8
#define _mm512_mulhrs_epi16 s1_mulhrs
#define _mm512_packs_epi32 s1_packs
#define _mm512_shuffle_epi8 s1_shuffle_lanes
#define _mm512_shuffle_ps s1_shuffle_singles
#define _mm512_stream_si512 s1_storeu
#define _mm512_mask_loadu_epi8 s1_mask_loadu
#define _mm512_maskz_loadu_epi8(mask, s) s1_mask_loadu((__m512i){0}, mask, s)
#define _mm512_mask_storeu_epi8 s1_mask_storeu
#define _mm512_permutexvar_epi8 s1_permute
#define _mm512_mask_permutexvar_epi8 s1_mask_permute
#define _mm512_maskz_permutexvar_epi8(mask, index, v) s1_mask_permute((__m512i){0}, mask, index, v)
