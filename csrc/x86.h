/* x86.h - what AVX2 and AVX-512 have in common, to be included after vec.h: the pieces that
 * tile.h is written with, non-temporal stores of them, and the list of shared loops.
 */

/* A row of a tile: two lanes of 16 bytes. */
typedef __m256i piece;

/* The 16 bytes at s in the low lane, those at s + apart in the high one. */
FN piece load_piece(const uint8_t *s, int64_t apart) {
  const __m256i lo = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)s));
  return _mm256_inserti128_si256(lo, _mm_loadu_si128((const __m128i *)(s + apart)), 1);
}

FN piece load_whole(const uint8_t *s) { return _mm256_loadu_si256((const __m256i *)s); }

/* The low lanes of a and b, and the high ones. */
FN piece low_lanes(piece a, piece b) { return _mm256_permute2x128_si256(a, b, 0x20); }
FN piece high_lanes(piece a, piece b) { return _mm256_permute2x128_si256(a, b, 0x31); }

/* 16 bytes of the elements of w bytes at s, s + 2*w, s + 4*w, ... in the low lane, and as many
 * from s + apart on in the high one. Loads no byte behind the last of these elements. */
FN piece load_every2(const uint8_t *s, int64_t apart, int w) {
  const piece a = load_piece(s, apart), b = load_piece(s + 16 - w, apart);
  switch (w) {
    case 1: return _mm256_packus_epi16(_mm256_and_si256(a, _mm256_set1_epi16(0xff)), _mm256_srli_epi16(b, 8));
    case 2: return _mm256_packus_epi32(_mm256_and_si256(a, _mm256_set1_epi32(0xffff)), _mm256_srli_epi32(b, 16));
    case 4: return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0xd8));
    default: return _mm256_blend_epi32(a, b, 0xcc);
  }
}

/* The elements that load_every2 takes, in another order: the first half of those from s on and the
 * first half of those from s + apart on in the low lane, both second halves in the high one. Loads
 * w bytes behind the last element of each. */
FN piece load_halves(const uint8_t *s, int64_t apart, int w) {
  const piece a = load_whole(s), b = load_whole(s + apart);
  switch (w) {
    case 1: return _mm256_packus_epi16(_mm256_and_si256(a, _mm256_set1_epi16(0xff)), _mm256_and_si256(b, _mm256_set1_epi16(0xff)));
    case 2: return _mm256_packus_epi32(_mm256_and_si256(a, _mm256_set1_epi32(0xffff)), _mm256_and_si256(b, _mm256_set1_epi32(0xffff)));
    case 4: return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
    default: return _mm256_unpacklo_epi64(a, b);
  }
}

#define ZIP(n, a, b, high) (high ? _mm256_unpackhi_epi##n(a, b) : _mm256_unpacklo_epi##n(a, b))

/* Interleaves elements of w bytes of a and b, lane by lane: those of the low 8 bytes of each lane,
 * or of the high 8 bytes if `high`. */
FN piece zip(piece a, piece b, int w, int high) {
  switch (w) {
    case 1: return ZIP(8, a, b, high);
    case 2: return ZIP(16, a, b, high);
    case 4: return ZIP(32, a, b, high);
    default: return ZIP(64, a, b, high);
  }
}
#undef ZIP

/* Makes non-temporal stores visible before every later store. */
FN void fence_nt(void) { _mm_sfence(); }

/* The loops that both sets have. */
/* clang-format off */
#define X86_LOOPS(X)                                                    \
  X(copy, copy, 0, 0, run_copy(p, dst, src))                                  \
  X(tile, tile, 0, 0, run_tile(p, dst, src)) X(narrow, narrow, 0, 0, run_narrow(p, dst, src)) \
  X(folded, folded, 0, 0, run_folded(p, dst, src)) X(joined, joined, 0, 0, run_joined(p, dst, src)) \
  X(gather, gather, 0, 0, run_gather(p, dst, src)) X(element, element, 0, 0, run_element(p, dst, src))
#define X86_STREAMS(X) X(copy_nt, copy, run_copy_nt(p, dst, src)) X(tile_nt, tile, run_tile_nt(p, dst, src))
/* clang-format on */
