/* avx512.h - what avx512.c takes of AVX-512, a byte at a time, for processors that
 * have not got it: a load or store under a mask accesses the bytes that the mask has,
 * as theirs does. For tests alone.
 */
#include <stdint.h>
#include <string.h>

typedef union {
  __m512i v;
  uint8_t at[64];
} s1_bytes;

static __m512i s1_loadu(const void *s) {
  s1_bytes x;
  memcpy(&x, s, sizeof x);
  return x.v;
}

static void s1_storeu(void *d, __m512i v) { memcpy(d, &v, sizeof v); }

static __m512i s1_mask_loadu(__m512i v, __mmask64 mask, const void *s) {
  s1_bytes x = {v};
  for (int i = 0; i < 64; i++)
    if (mask >> i & 1) x.at[i] = ((const volatile uint8_t *)s)[i];
  return x.v;
}

static void s1_mask_storeu(void *d, __mmask64 mask, __m512i v) {
  s1_bytes x = {v};
  for (int i = 0; i < 64; i++)
    if (mask >> i & 1) ((volatile uint8_t *)d)[i] = x.at[i];
}

static __m512i s1_permute(__m512i index, __m512i v) {
  s1_bytes i = {index}, from = {v}, x;
  for (int k = 0; k < 64; k++) x.at[k] = from.at[i.at[k] % 64];
  return x.v;
}

#define _mm512_loadu_si512 s1_loadu
#define _mm512_storeu_si512 s1_storeu
#define _mm512_stream_si512 s1_storeu
#define _mm512_mask_loadu_epi8 s1_mask_loadu
#define _mm512_maskz_loadu_epi8(mask, s) s1_mask_loadu((__m512i){0}, mask, s)
#define _mm512_mask_storeu_epi8 s1_mask_storeu
#define _mm512_permutexvar_epi8 s1_permute
