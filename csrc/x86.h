/* x86.h - the functions of set.h that the sets of amd64 share. `rounded` rounds floats to the
 * nearest int32, ties to even, and makes 0 of a NaN. The instructions that pack integers
 * saturate. */
enum { BATCH = 8, BYTES = 32 };
typedef __m256 batch;
typedef __m256i narrow_vec;
#define broadcast _mm256_set1_ps
FN batch load_batch(const float *s) { return _mm256_loadu_ps(s); }
FN void store_batch(float *d, batch v) { _mm256_storeu_ps(d, v); }
FN batch load_float16(const uint8_t *s) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)s)); }
/* The instruction makes -2^31 of a number that is too large, and the exclusive or turns that into
 * 2^31 - 1. */
FN narrow_vec rounded(const float *s) {
  const batch x = load_batch(s), y = _mm256_and_ps(x, _mm256_cmp_ps(x, x, _CMP_ORD_Q));
  return _mm256_xor_si256(_mm256_cvtps_epi32(y), _mm256_castps_si256(_mm256_cmp_ps(y, broadcast(0x1p31f), _CMP_GE_OQ)));
}
/* The instructions pack within each 16-byte lane. The permutations bring the results into order. */
FN narrow_vec shorts(const float *s) { return _mm256_packs_epi32(rounded(s), rounded(s + 8)); }
FN narrow_vec dwords_in_order(narrow_vec v) { return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)); }
FN narrow_vec qwords_in_order(narrow_vec v) { return _mm256_permute4x64_epi64(v, 0xd8); }
FN narrow_vec to_uint8(const float *s) { return dwords_in_order(_mm256_packus_epi16(shorts(s), shorts(s + 16))); }
FN narrow_vec to_int8(const float *s) { return dwords_in_order(_mm256_packs_epi16(shorts(s), shorts(s + 16))); }
FN narrow_vec to_uint16(const float *s) { return qwords_in_order(_mm256_packus_epi32(rounded(s), rounded(s + 8))); }
FN narrow_vec to_int16(const float *s) { return qwords_in_order(shorts(s)); }
FN narrow_vec to_int32(const float *s) { return rounded(s); }
FN narrow_vec to_float16(const float *s) {
  const __m128i lo = _mm256_cvtps_ph(load_batch(s), _MM_FROUND_TO_NEAREST_INT), hi = _mm256_cvtps_ph(load_batch(s + 8), _MM_FROUND_TO_NEAREST_INT);
  return _mm256_inserti128_si256(_mm256_castsi128_si256(lo), hi, 1);
}
FN void store_narrow(uint8_t *d, narrow_vec v) { _mm256_storeu_si256((__m256i *)d, v); }
/* Broadcasts from memory and blends take no shuffle. */
FN void store_eight(uint8_t *d, const uint8_t *const *e, int nt) {
  batch v = _mm256_broadcast_ss((const float *)e[0]);
#define BLEND(k) v = _mm256_blend_ps(v, _mm256_broadcast_ss((const float *)e[k]), 1 << k)
  BLEND(1), BLEND(2), BLEND(3), BLEND(4), BLEND(5), BLEND(6), BLEND(7);
#undef BLEND
  if (nt) _mm256_stream_ps((float *)d, v);
  else _mm256_storeu_ps((float *)d, v);
}
FN void end_stores(void) { _mm_sfence(); }
