/* x86.h - what convert.h asks for, for the sets of amd64. vec.h is included before it. `whole`
 * rounds floats to the nearest int32, ties to even, and makes 0 of a NaN. The instructions that
 * pack integers saturate. */
enum { FEW = 8, BYTES = 32 };
typedef __m256 few;
typedef __m256i made;
#define ALL _mm256_set1_ps
FN few few_at(const float *s) { return _mm256_loadu_ps(s); }
FN void set_few(float *d, few v) { _mm256_storeu_ps(d, v); }
FN few of_halves(const uint8_t *s) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)s)); }
/* The instruction makes -2^31 of a number that is too large, and the exclusive or turns that into
 * 2^31 - 1. */
FN made whole(const float *s) {
  const few x = few_at(s), y = _mm256_and_ps(x, _mm256_cmp_ps(x, x, _CMP_ORD_Q));
  return _mm256_xor_si256(_mm256_cvtps_epi32(y), _mm256_castps_si256(_mm256_cmp_ps(y, ALL(0x1p31f), _CMP_GE_OQ)));
}
/* The instructions pack within each 16-byte lane. The permutations bring the results into order. */
FN made shorts(const float *s) { return _mm256_packs_epi32(whole(s), whole(s + 8)); }
FN made dwords_in_order(made v) { return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)); }
FN made qwords_in_order(made v) { return _mm256_permute4x64_epi64(v, 0xd8); }
FN made to_uint8(const float *s) { return dwords_in_order(_mm256_packus_epi16(shorts(s), shorts(s + 16))); }
FN made to_int8(const float *s) { return dwords_in_order(_mm256_packs_epi16(shorts(s), shorts(s + 16))); }
FN made to_uint16(const float *s) { return qwords_in_order(_mm256_packus_epi32(whole(s), whole(s + 8))); }
FN made to_int16(const float *s) { return qwords_in_order(shorts(s)); }
FN made to_int32(const float *s) { return whole(s); }
FN made to_float16(const float *s) {
  const __m128i lo = _mm256_cvtps_ph(few_at(s), _MM_FROUND_TO_NEAREST_INT), hi = _mm256_cvtps_ph(few_at(s + 8), _MM_FROUND_TO_NEAREST_INT);
  return _mm256_inserti128_si256(_mm256_castsi128_si256(lo), hi, 1);
}
FN void store_made(uint8_t *d, made v) { _mm256_storeu_si256((__m256i *)d, v); }
