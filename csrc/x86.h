/* x86.h - what AVX2 and AVX-512 have in common, after vec.h: tiles of two 16-byte
 * lanes, and non-temporal stores.
 */

/* A row of a tile: 16 bytes of each of two source lines, the second `apart` bytes
 * further. load_every2 takes every second element of w bytes, and nothing behind the
 * last one; load_halves, which may, takes half of them into each 16 bytes, of the first
 * line and then the second. zip interleaves the elements of two pieces, those of the low
 * halves or the high ones, 16 bytes by 16 bytes. */
typedef __m256i piece;
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

#define ZIP(n, a, b, high) (high ? _mm256_unpackhi_epi##n(a, b) : _mm256_unpacklo_epi##n(a, b))
FN piece zip(piece a, piece b, int w, int high) {
  switch (w) {
    case 1: return ZIP(8, a, b, high);
    case 2: return ZIP(16, a, b, high);
    case 4: return ZIP(32, a, b, high);
    default: return ZIP(64, a, b, high);
  }
}
#undef ZIP

FN void store_piece_nt(uint8_t *d, piece v) { _mm256_stream_si256((__m256i *)d, v); }

/* Makes non-temporal stores visible before all that follows. */
FN void fence_nt(void) { _mm_sfence(); }

/* The loops that are the same for both. */
/* clang-format off */
#define X86_LOOPS(X)                                                          \
  X(copy, run_copy(p, dst, src)) X(copy_nt, run_copy_nt(p, dst, src))         \
  X(fill, run_fill(p, dst, src))                                              \
  X(tile, run_tile(p, dst, src)) X(tile_nt, run_tile_nt(p, dst, src))         \
  X(narrow, run_narrow(p, dst, src)) X(folded, run_folded(p, dst, src))       \
  X(gather, run_gather(p, dst, src)) X(gather_nt, run_gather_nt(p, dst, src)) \
  X(element, run_element(p, dst, src))
/* clang-format on */
