/* avx2.h - the loops for AVX2: vectors of two 16-byte lanes. */
#include "program.h"

#include <immintrin.h>

#define ISA __attribute__((target("avx2,f16c")))
#define SET avx2
#define V 32
#define HAS_MASKS 0
#define HAS_STREAMS 1
#define HAS_PAIRED_PIECES 1

#include "vec.h"
#include "x86.h"

/* A row of a tile: two lanes of 16 bytes. */
typedef __m256i piece;

FN piece window(const uint8_t *s) { return _mm256_loadu_si256((const __m256i *)s); }

/* The 16 bytes at lo in the low lane, and the 16 bytes at hi in the high lane. */
FN piece lanes_of(const uint8_t *lo, const uint8_t *hi) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)lo)), _mm_loadu_si128((const __m128i *)hi), 1);
}

/* The 16 bytes at s in the low lane, and the 16 bytes at s + apart in the high lane. */
FN piece load_piece(const uint8_t *s, int64_t apart) { return lanes_of(s, s + apart); }

/* The first `bytes` bytes at lo in the low lane, as many bytes at hi in the high lane, and zeros
 * behind them, for `bytes` of 4, 8 or 16. To broadcast hi and blend takes no shuffle. */
FN piece load_parts(const uint8_t *lo, const uint8_t *hi, int bytes) {
  switch (bytes) {
    case 4: return _mm256_blend_epi32(_mm256_castsi128_si256(_mm_cvtsi32_si128((int)load_u32(lo))), _mm256_set1_epi32((int)load_u32(hi)), 0x10);
    case 8: return _mm256_blend_epi32(_mm256_castsi128_si256(_mm_loadl_epi64((const __m128i *)lo)), _mm256_set1_epi64x((int64_t)load_u64(hi)), 0x30);
    default: return lanes_of(lo, hi);
  }
}

/* The low lane of x, or the high one. */
FN vec16 lane_of(piece x, int lane) { return (vec16)(lane ? _mm256_extracti128_si256(x, 1) : _mm256_castsi256_si128(x)); }

/* The low lanes of a and b, and the high ones. */
FN piece low_lanes(piece a, piece b) { return _mm256_permute2x128_si256(a, b, 0x20); }
FN piece high_lanes(piece a, piece b) { return _mm256_permute2x128_si256(a, b, 0x31); }

/* 16 bytes of the elements of w bytes at s, s + 2*w, s + 4*w, ... in the low lane, and as many from
 * s + apart on in the high lane. Loads no byte behind the last of these elements. */
FN piece load_every2(const uint8_t *s, int64_t apart, int w) {
  const piece a = load_piece(s, apart), b = load_piece(s + 16 - w, apart);
  switch (w) {
    case 1: return _mm256_packus_epi16(_mm256_and_si256(a, _mm256_set1_epi16(0xff)), _mm256_srli_epi16(b, 8));
    case 2: return _mm256_packus_epi32(_mm256_and_si256(a, _mm256_set1_epi32(0xffff)), _mm256_srli_epi32(b, 16));
    case 4: return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0xd8));
    default: return _mm256_blend_epi32(a, b, 0xcc);
  }
}

/* The elements that load_every2 takes, in another order. The low lane has the first half of the
 * elements from s on, then the first half of the elements from s + apart on. The high lane has both
 * second halves. Loads w bytes behind the last element of each. */
FN piece load_halves(const uint8_t *s, int64_t apart, int w) {
  const piece a = window(s), b = window(s + apart);
  switch (w) {
    case 1: return _mm256_packus_epi16(_mm256_and_si256(a, _mm256_set1_epi16(0xff)), _mm256_and_si256(b, _mm256_set1_epi16(0xff)));
    case 2: return _mm256_packus_epi32(_mm256_and_si256(a, _mm256_set1_epi32(0xffff)), _mm256_and_si256(b, _mm256_set1_epi32(0xffff)));
    case 4: return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
    default: return _mm256_unpacklo_epi64(a, b);
  }
}

#define ZIP(n, a, b, high) (high ? _mm256_unpackhi_epi##n(a, b) : _mm256_unpacklo_epi##n(a, b))

/* Interleaves elements of w bytes of a and b, lane by lane: the elements in the low 8 bytes of each
 * lane, or in its high 8 bytes if `high`. */
FN piece zip(piece a, piece b, int w, int high) {
  switch (w) {
    case 1: return ZIP(8, a, b, high);
    case 2: return ZIP(16, a, b, high);
    case 4: return ZIP(32, a, b, high);
    default: return ZIP(64, a, b, high);
  }
}
#undef ZIP

FN void store_nt(uint8_t *d, vec v) { _mm256_stream_si256((__m256i *)d, (__m256i)v); }

/* The bytes that `pick` picks out of windows k and k + 1 of p, each in a number of 32 bits. */
FN vec picked(const uint8_t *s, const s1_picks *p, int k, vec pick) {
  return (vec)_mm256_shuffle_epi8(lanes_of(s + p->at[k], s + p->at[k + 1]), (__m256i)pick);
}

/* Bytes of b where m has 0xff, of a where m has 0. _mm256_blendv_epi8 is this instruction, but gcc
 * 12 folds it to a comparison that is never true where char is unsigned (-funsigned-char). */
FN __m256i blend(__m256i a, __m256i b, __m256i m) {
  __m256i x;
  __asm__("vpblendvb {%3, %2, %1, %0|%0, %1, %2, %3}" : "=x"(x) : "x"(a), "xm"(b), "x"(m));
  return x;
}

/* A vector of every second, third or fourth element of w bytes, the first one at s. every3 is for w
 * of 4, every4 for w of 1, 2 or 4. The windows begin V - w bytes apart. So the elements lie at
 * another place in each window, and blends merge them. The last window ends with the last
 * element. */
FN __m256i every2(const uint8_t *s, int w) {
  const __m256i a = window(s), b = window(s + (V - w));
  switch (w) {
    case 1: {
      const __m256i even_then_odd = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15));
      return _mm256_permute4x64_epi64(_mm256_shuffle_epi8(blend(a, b, _mm256_set1_epi16((short)0xff00)), even_then_odd), 0xd8);
    }
    case 2: {
      const __m256i even_then_odd = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));
      return _mm256_permute4x64_epi64(_mm256_shuffle_epi8(_mm256_blend_epi16(a, b, 0xaa), even_then_odd), 0xd8);
    }
    case 4: return _mm256_permutevar8x32_epi32(_mm256_blend_epi32(a, b, 0xaa), _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
    default: return _mm256_permute4x64_epi64(_mm256_blend_epi32(a, b, 0xcc), 0xd8);
  }
}

FN __m256i every3(const uint8_t *s) {
  const __m256i a = window(s), b = window(s + (V - 4)), c = window(s + 2 * (V - 4));
  return _mm256_permutevar8x32_epi32(_mm256_blend_epi32(_mm256_blend_epi32(a, b, 0x24), c, 0x92), _mm256_setr_epi32(0, 3, 6, 2, 5, 1, 4, 7));
}

FN __m256i every4(const uint8_t *s, int w) {
  const __m256i a = window(s), b = window(s + (V - w)), c = window(s + 2 * (V - w)), d = window(s + 3 * (V - w));
  const __m256i in_turns = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  switch (w) {
    case 1: {
      const __m256i odd = _mm256_set1_epi16((short)0xff00),
                    fourths = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
      const __m256i x = _mm256_blend_epi16(blend(a, b, odd), blend(c, d, odd), 0xaa);
      return _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(x, fourths), in_turns);
    }
    case 2: {
      const __m256i fourths = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
      const __m256i x = _mm256_blend_epi32(_mm256_blend_epi16(a, b, 0xaa), _mm256_blend_epi16(c, d, 0xaa), 0xaa);
      return _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(x, fourths), in_turns);
    }
    default: return _mm256_permutevar8x32_epi32(_mm256_blend_epi32(_mm256_blend_epi32(a, b, 0x22), _mm256_blend_epi32(c, d, 0x88), 0xcc), in_turns);
  }
}

FN vec select_every(const uint8_t *s, int form, int w) { return (vec)(form == S1_every2 ? every2(s, w) : form == S1_every3 ? every3(s) : every4(s, w)); }

/* The 16 bytes at s in both lanes. */
FN __m256i twice(const uint8_t *s) { return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)s)); }

FN vec quarters(vec a, vec b, int n) {
  const __m256i x = (__m256i)a, y = (__m256i)b;
  return (vec)(n == 1 ? _mm256_blend_epi32(x, y, 0xfc) : n == 2 ? _mm256_blend_epi32(x, y, 0xf0) : _mm256_blend_epi32(x, y, 0xc0));
}

/* Indices of dwords that bring a quarter of a vector q quarters further down than x does. */
FN vec turn(vec x, int q) {
  const int n = 2 * q;
  return (vec)_mm256_permutevar8x32_epi32((__m256i)x, _mm256_setr_epi32(n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7));
}

/* What form bytes, or dwords, makes of the window x by the permutation `perm` of dwords. */
FN vec permute_dwords(vec x, int form, const recipe *r, vec perm) {
  if (form == S1_bytes) x = (vec)_mm256_shuffle_epi8((__m256i)x, (__m256i)r->perm[0]);
  return (vec)_mm256_permutevar8x32_epi32((__m256i)x, (__m256i)perm);
}

FN vec select_bytes(const recipe *r, int64_t at, int form, int windows) {
  __m256i x;
  if (form == S1_lanes) {
    x = _mm256_shuffle_epi8(lanes_of(r->window[0][0] + at, r->window[1][0] + at), (__m256i)r->pick[0]);
#pragma GCC unroll 8
    for (int k = 1; k < windows; k++) x = _mm256_or_si256(x, _mm256_shuffle_epi8(lanes_of(r->window[0][k] + at, r->window[1][k] + at), (__m256i)r->pick[k]));
    return (vec)x;
  }
  if (form == S1_cross && windows == 1) { /* to load 16 bytes into both lanes costs no more than a plain load; to swap lanes takes a shuffle */
    const uint8_t *const s = r->window[0][0] + at;
    return (vec)_mm256_or_si256(_mm256_shuffle_epi8(twice(s), (__m256i)r->perm[0]), _mm256_shuffle_epi8(twice(s + S1_LANE), (__m256i)r->perm[1]));
  }
  x = window(r->window[0][0] + at);
#pragma GCC unroll 8
  for (int k = 1; k < windows; k++) x = blend(x, window(r->window[0][k] + at), (__m256i)r->pick[k]);
  switch (form) {
    case S1_dwords: return permute_dwords((vec)x, form, r, r->perm[0]);
    case S1_bytes: return permute_dwords((vec)x, form, r, r->perm[1]);
    default: {
      __m256i swapped = _mm256_permute4x64_epi64(x, 0x4e);
      return (vec)_mm256_or_si256(_mm256_shuffle_epi8(x, (__m256i)r->perm[0]), _mm256_shuffle_epi8(swapped, (__m256i)r->perm[1]));
    }
  }
}

FN void every_tail(uint8_t *d, const uint8_t *s, const s1_tail *t, int form, int w) { store(d + t->dst, select_every(s + t->src, form, w)); }

FN void tail_vector(uint8_t *d, const uint8_t *s, const s1_vector *v, int lanes) {
  __m256i x = _mm256_setzero_si256();
  for (int k = 0; k < v->windows; k++) x = _mm256_or_si256(x, _mm256_shuffle_epi8(lanes_of(s + v->at[0][k], s + v->at[lanes - 1][k]), window(v->pick[k])));
  if (lanes == 1) _mm_storeu_si128((__m128i *)d, _mm256_castsi256_si128(x));
  else _mm256_storeu_si256((__m256i *)d, x);
}

/* Functions for ycbcr.h. */
FN words high(words a, words b) { return (words)_mm256_mulhi_epi16((__m256i)a, (__m256i)b); }
FN vec interleaved(words a, words b) {
  const __m256i in_turns = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
  return (vec)_mm256_shuffle_epi8(_mm256_packus_epi16((__m256i)a, (__m256i)b), in_turns);
}
FN void store_pixels(uint8_t *d, vec r, vec g, vec b, vec a) {
  piece four[4]; /* pixels of each quarter of both lanes */
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) four[i] = zip(zip((piece)r, (piece)g, 1, i / 2), zip((piece)b, (piece)a, 1, i / 2), 2, i % 2);
  store_here(d, (vec)low_lanes(four[0], four[1])), store_here(d + V, (vec)low_lanes(four[2], four[3]));
  store_here(d + 2 * V, (vec)high_lanes(four[0], four[1])), store_here(d + 3 * V, (vec)high_lanes(four[2], four[3]));
}

/* Functions for resample.h. */
FN vec lanes_at(const uint8_t *const *s, int64_t at) { return (vec)lanes_of(s[0] + at, s[1] + at); }
FN vec halves_at(const uint8_t *const *s, int64_t at) { return (vec)load_parts(s[0] + at, s[1] + at, 8); }
FN vec shuffled(vec x, vec16 at) { return (vec)_mm256_shuffle_epi8((__m256i)x, _mm256_broadcastsi128_si256((__m128i)at)); }
FN words byte_pairs(vec a, vec b) { return (words)_mm256_maddubs_epi16((__m256i)a, (__m256i)b); }
FN ints word_pairs(words a, words b) { return (ints)_mm256_madd_epi16((__m256i)a, (__m256i)b); }
FN ints both(ints a, ints b) { return (ints)_mm256_hadd_epi32((__m256i)a, (__m256i)b); }
FN words narrowed(ints a, ints b) { return (words)_mm256_packs_epi32((__m256i)a, (__m256i)b); }
FN vec limited(words a, words b) { return (vec)_mm256_packus_epi16((__m256i)a, (__m256i)b); }

#include "rows.h"
#include "gather.h"

/* for (i = 0; i < n; i++) d[i] = s[i] */
FN void copy_string(uint8_t *d, const uint8_t *s, int64_t n) { __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory"); }

FN void run_string(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  row_cursor r = FIRST_ROW(p, dst, src);
  do copy_string(r.d, r.s, p->row.extent * p->width);
  while (next_row(&r));
}

#include "stream.h"
#include "tile.h"
#include "table.h"
#include "views.h"
#include "shuffle.h"

/* The main vectors of forms lanes to cross. */
FN void shuffled_lines(const s1_program *p, cursor c, int64_t lines, const uint8_t *s, horizon h, int form, int windows) {
  const recipe of_rows = recipe_of(&p->windows.main, windows), r = recipe_at(&of_rows, s, windows);
  make_lines(&r, c, lines, s, h, form, windows);
}

/* The vectors of every second, third or fourth element of w bytes. */
FN void every_lines(cursor c, int64_t lines, const uint8_t *s, horizon h, int form, int w) {
  const recipe r = {.window = {{s}}};
  make_lines(&r, c, lines, s, h, form, w);
}

static __attribute__((noinline)) ISA void vector_lines(const s1_program *p, cursor c, int64_t lines, const uint8_t *s, horizon h) {
  const int windows = between(1, p->windows.main.windows, S1_WINDOWS);
  switch (p->loop / S1_VARIANTS) {
    case S1_lanes: shuffled_lines(p, c, lines, s, h, S1_lanes, windows); break;
    case S1_dwords: shuffled_lines(p, c, lines, s, h, S1_dwords, windows); break;
    case S1_bytes: shuffled_lines(p, c, lines, s, h, S1_bytes, windows); break;
    case S1_cross: shuffled_lines(p, c, lines, s, h, S1_cross, windows); break;
    case S1_every2: BY_WIDTH(p->width, every_lines, c, lines, s, h, S1_every2); break;
    case S1_every3: every_lines(c, lines, s, h, S1_every3, 4); break;
    default: /* S1_every4 */
      switch (p->width) {
        case 1: every_lines(c, lines, s, h, S1_every4, 1); break;
        case 2: every_lines(c, lines, s, h, S1_every4, 2); break;
        default: every_lines(c, lines, s, h, S1_every4, 4);
      }
  }
}

#define STREAMS(X) X(copy) X(tile)

#include "loops.h"
