/* planes256.h - tables in another order, by AVX2, of single bytes.
 *
 * One instruction picks bytes out of 16 by their low four bits, and makes 0 of a byte whose top bit
 * is set. So a table of 256 bytes is 16 rows, each with its difference to the row before by
 * exclusive or. The bytes x are looked up in each row. Before each row but the first, 16 is
 * subtracted from x: from the row behind its own on, x is negative. What rows 0 to x/16 give
 * cancels to the entry. The upper half of the table has rows of its own, with x - 128.
 */
#define TABLE_PLANES (16 * V)

FN int has_planes(int64_t tables, int size) { return tables == 1 && size == 1; }

OUTLINE void make_planes(uint8_t *restrict planes, const uint8_t *restrict t, int size) {
  (void)size;
  vec16 before = {0};
  for (int k = 0; k < 16; k++) {
    const vec16 row = load16(t + 16 * k), difference = k % 8 ? row ^ before : row;
    store16(planes + V * k, difference), store16(planes + V * k + 16, difference);
    before = row;
  }
}

OUTLINE void by_planes(uint8_t *d, const uint8_t *s, int64_t n, const uint8_t *planes, int64_t tables, int nt, int size) {
  (void)tables, (void)nt, (void)size;
  const __m256i row = _mm256_set1_epi8(16);
  for (int64_t i = 0; i < n; i += V) {
    __m256i lower = (__m256i)load(s + i), upper = _mm256_xor_si256(lower, _mm256_set1_epi8((char)0x80));
    vec x = shuffle_lanes(load(planes), (vec)lower), y = shuffle_lanes(load(planes + 8 * V), (vec)upper);
#pragma GCC unroll 7
    for (int k = 1; k < 8; k++) {
      lower = _mm256_subs_epi8(lower, row), upper = _mm256_subs_epi8(upper, row);
      x ^= shuffle_lanes(load(planes + k * V), (vec)lower), y ^= shuffle_lanes(load(planes + (8 + k) * V), (vec)upper);
    }
    store(d + i, x ^ y);
  }
}
