/* neon.h - set.h by NEON: vectors of one 16-byte lane. One lookup picks the bytes of a vector out
 * of up to four windows (form lanes; two lookups for up to eight), or permutes a vector that
 * several windows were merged into (form bytes). */
#include "program.h"

#include <arm_neon.h>

#define ISA
#define SET neon
#define V 16
#define HAS_MASKS 0
#define HAS_STREAMS 0
#define TABLE_PLANES 0

#include "vec.h"

FN vec load_lanes(const uint8_t *lo, const uint8_t *hi) {
  (void)hi;
  return vld1q_u8(lo);
}

FN vec load_parts(const uint8_t *lo, const uint8_t *hi, int bytes) {
  switch (bytes) {
    case 4: return (vec)vsetq_lane_u32(load_u32(lo), vdupq_n_u32(0), 0);
    case 8: return (vec)vsetq_lane_u64(load_u64(lo), vdupq_n_u64(0), 0);
    default: return load_lanes(lo, hi);
  }
}

FN vec16 lane_of(vec x, int lane) {
  (void)lane;
  return x;
}

FN vec picked(const uint8_t *s, const s1_picks *p, int k, vec pick) { return vqtbl1q_u8(vld1q_u8(s + p->at[k]), pick); }

FN vec load_every2(const uint8_t *lo, const uint8_t *hi, int w) {
  const vec a = load_lanes(lo, hi), b = load_lanes(lo + 16 - w, hi);
  switch (w) {
    case 1: return vuzp1q_u8(a, vextq_u8(b, b, 1));
    case 2: return (vec)vuzp1q_u16((uint16x8_t)a, (uint16x8_t)vextq_u8(b, b, 2));
    case 4: return (vec)vuzp1q_u32((uint32x4_t)a, (uint32x4_t)vextq_u8(b, b, 4));
    default: must_be(w, 8); return (vec)vcopyq_laneq_u64((uint64x2_t)a, 1, (uint64x2_t)b, 1);
  }
}

#define ZIP(n, type, a, b, high) (high ? (vec)vzip2q_u##n((type)(a), (type)(b)) : (vec)vzip1q_u##n((type)(a), (type)(b)))

FN vec zip(vec a, vec b, int w, int high) {
  switch (w) {
    case 1: return ZIP(8, uint8x16_t, a, b, high);
    case 2: return ZIP(16, uint16x8_t, a, b, high);
    case 4: return ZIP(32, uint32x4_t, a, b, high);
    default: must_be(w, 8); return ZIP(64, uint64x2_t, a, b, high);
  }
}
#undef ZIP

/* `rounded` rounds floats to the nearest int32, ties to even, and makes 0
 * of a NaN. The instructions that narrow integers saturate. */
enum { BATCH = 4, BYTES = 16 };
typedef float32x4_t batch;
#define broadcast vdupq_n_f32
FN batch load_batch(const float *s) { return vld1q_f32(s); }
FN void store_batch(float *d, batch v) { store((uint8_t *)d, (vec)v); } /* d may lie at any address */
FN batch load_float16(const uint8_t *s) { return vcvt_f32_f16((float16x4_t)vld1_u8(s)); }
FN int32x4_t rounded(const float *s) { return vcvtnq_s32_f32(vld1q_f32(s)); }
FN int16x8_t shorts(const float *s) { return vcombine_s16(vqmovn_s32(rounded(s)), vqmovn_s32(rounded(s + 4))); }
FN vec16 to_uint8(const float *s) { return vcombine_u8(vqmovun_s16(shorts(s)), vqmovun_s16(shorts(s + 8))); }
FN vec16 to_int8(const float *s) { return (vec16)vcombine_s8(vqmovn_s16(shorts(s)), vqmovn_s16(shorts(s + 8))); }
FN vec16 to_uint16(const float *s) { return (vec16)vcombine_u16(vqmovun_s32(rounded(s)), vqmovun_s32(rounded(s + 4))); }
FN vec16 to_int16(const float *s) { return (vec16)shorts(s); }
FN vec16 to_int32(const float *s) { return (vec16)rounded(s); }
FN vec16 to_float16(const float *s) { return (vec16)vcombine_f16(vcvt_f16_f32(vld1q_f32(s)), vcvt_f16_f32(vld1q_f32(s + 4))); }
FN void store_narrow(uint8_t *d, vec16 v) { store16(d, v); }
typedef vec16 narrow_vec;

/* vqdmulhq_s16 doubles the product. */
FN words high(words a, words b) { return (words)vshrq_n_s16(vqdmulhq_s16((int16x8_t)a, (int16x8_t)b), 1); }
FN uwords high_unsigned(uwords a, uwords b) {
  const uint32x4_t low = vmull_u16(vget_low_u16((uint16x8_t)a), vget_low_u16((uint16x8_t)b)), high = vmull_high_u16((uint16x8_t)a, (uint16x8_t)b);
  return (uwords)vuzp2q_u16((uint16x8_t)low, (uint16x8_t)high);
}
FN words widened(half v) { return (words)vmovl_u8(v); }
FN words high_rounded(words a, words b) { return (words)vqrdmulhq_s16((int16x8_t)a, (int16x8_t)b); }
FN vec interleaved(words a, words b) {
  const uint8x8_t first = vqmovun_s16((int16x8_t)a), second = vqmovun_s16((int16x8_t)b);
  return (vec)vcombine_u8(vzip1_u8(first, second), vzip2_u8(first, second));
}
FN void store_pixels(uint8_t *d, vec r, vec g, vec b, vec a) {
  const uint8x16x4_t pixels = {{(uint8x16_t)r, (uint8x16_t)g, (uint8x16_t)b, (uint8x16_t)a}};
  vst4q_u8(d, pixels);
}
FN void store_pairs(uint8_t *d, words r, words g, words b, words r2, words g2, words b2) {
  store_pixels(d, interleaved(r, r2), interleaved(g, g2), interleaved(b, b2), ~(vec){0});
}
FN void store_triples(uint8_t *d, words r, words g, words b, words r2, words g2, words b2) {
  const uint8x16x3_t pixels = {{(uint8x16_t)interleaved(r, r2), (uint8x16_t)interleaved(g, g2), (uint8x16_t)interleaved(b, b2)}};
  vst3q_u8(d, pixels);
}
FN words carried(words x, uwords a, uwords b) { return x - (words)(a > b); }
FN uwords ordered(uwords v) { return v; }

FN vec shuffle_lanes(vec x, vec order) { return vqtbl1q_u8(x, order); }
FN vec parted(vec x) { return vcombine_u8(vuzp1_u8(vget_low_u8(x), vget_high_u8(x)), vuzp2_u8(vget_low_u8(x), vget_high_u8(x))); }
FN vec shuffled(vec x, vec16 order) { return vqtbl1q_u8(x, order); }
FN words byte_pairs(vec a, vec b) {
  const int16x8_t low = vmulq_s16((int16x8_t)vmovl_u8(vget_low_u8(a)), vmovl_s8(vget_low_s8((int8x16_t)b)));
  return (words)vpaddq_s16(low, vmulq_s16((int16x8_t)vmovl_high_u8(a), vmovl_high_s8((int8x16_t)b)));
}
FN ints word_pairs(words a, words b) {
  return (ints)vpaddq_s32(vmull_s16(vget_low_s16((int16x8_t)a), vget_low_s16((int16x8_t)b)), vmull_high_s16((int16x8_t)a, (int16x8_t)b));
}
FN ints pair_sums(ints a, ints b) { return (ints)vpaddq_s32((int32x4_t)a, (int32x4_t)b); }
FN words narrowed(ints a, ints b) { return (words)vcombine_s16(vqmovn_s32((int32x4_t)a), vqmovn_s32((int32x4_t)b)); }
FN vec limited(words a, words b) { return (vec)vcombine_u8(vqmovun_s16((int16x8_t)a), vqmovun_s16((int16x8_t)b)); }
FN vec limited_in_order(words a, words b) { return limited(a, b); }
FN words paired(ints a, ints b) { return (words)vbslq_u32(vdupq_n_u32(0xffff), (uint32x4_t)a, (uint32x4_t)b); }
FN vec bytes_in_order(words a, words b) { return vqtbl1q_u8(limited(a, b), (vec16){0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15}); }
FN vec pairs_in_order(words a, words b) { return limited(a, b); }

FN doubles widened_floats(const float *s) { return (doubles)vcvt_f64_f32(vld1_f32(s)); }
FN floats narrowed_doubles(doubles a, doubles b) { return (floats)vcvt_high_f32_f64(vcvt_f32_f64((float64x2_t)a), (float64x2_t)b); }

/* Returns the bytes that `index` picks out of the windows at w[0] + offset to w[n-1] + offset, for
 * n from 1 to 4. Byte b of window k has index 16*k + b; an index of 16*n or more gives 0. */
FN vec lookup(const uint8_t *const *w, int64_t offset, int n, uint8x16_t index) {
  switch (n) {
    case 1: return vqtbl1q_u8(vld1q_u8(w[0] + offset), index);
    case 2: return vqtbl2q_u8((uint8x16x2_t){{vld1q_u8(w[0] + offset), vld1q_u8(w[1] + offset)}}, index);
    case 3: return vqtbl3q_u8((uint8x16x3_t){{vld1q_u8(w[0] + offset), vld1q_u8(w[1] + offset), vld1q_u8(w[2] + offset)}}, index);
    default: return vqtbl4q_u8((uint8x16x4_t){{vld1q_u8(w[0] + offset), vld1q_u8(w[1] + offset), vld1q_u8(w[2] + offset), vld1q_u8(w[3] + offset)}}, index);
  }
}

/* Returns the bytes of y where mask is 0xff, and the bytes of x where it is 0. This is not an
 * intrinsic, since clang makes three instructions of that if a loop keeps the mask in a
 * register. */
FN vec merge(vec x, vec y, vec mask) {
  __asm__("bit %0.16b, %1.16b, %2.16b" : "+w"(x) : "w"(y), "w"(mask));
  return x;
}

FN vec select_bytes(const recipe *r, int64_t offset, int form, int windows) {
  const uint8_t *const *const w = r->window[0];
  if (form == S1_lanes)
    return windows <= 4 ? lookup(w, offset, windows, r->pick[0]) : lookup(w, offset, 4, r->pick[0]) | lookup(w + 4, offset, windows - 4, r->pick[1]);
  vec x = load(w[0] + offset);
#pragma GCC unroll 8
  for (int k = 1; k < windows; k++) x = merge(x, load(w[k] + offset), r->pick[k]);
  return vqtbl1q_u8(x, r->perm[0]);
}

/* Returns elements 0, 2, 4, ... of w bytes of a, and then the same elements of b. */
FN vec evens(vec a, vec b, int w) {
  switch (w) {
    case 1: return vuzp1q_u8(a, b);
    case 2: return (vec)vuzp1q_u16((uint16x8_t)a, (uint16x8_t)b);
    case 4: return (vec)vuzp1q_u32((uint32x4_t)a, (uint32x4_t)b);
    default: must_be(w, 8); return (vec)vuzp1q_u64((uint64x2_t)a, (uint64x2_t)b);
  }
}

/* Loads whole vectors, so it also loads bytes behind the last element. */
FN vec select_every(const uint8_t *s, int form, int w) {
  const vec x = evens(load(s), load(s + V), w);
  return form == S1_every2 ? x : evens(x, evens(load(s + 2 * V), load(s + 3 * V), w), w);
}

FN void tail_vector(uint8_t *d, const uint8_t *s, const s1_vector *v, int lanes) {
  vec x = vdupq_n_u8(0);
  (void)lanes;
  for (int k = 0; k < v->windows; k += 4) {
    const int32_t *places = v->at[0] + k;
    const uint8_t *const w[4] = {s + places[0], s + places[1], s + places[2], s + places[3]};
    x |= lookup(w, 0, (int)min_of(v->windows - k, 4), load(v->pick[k / 4]));
  }
  store(d, x);
}

/* The tail as a vector by lanes, which loads nothing behind the last element. */
FN void every_tail(uint8_t *d, const uint8_t *s, const s1_tail *t, int form, int w) {
  (void)form, (void)w;
  tail_vector(d + t->dst, s + t->src, &t->vector, 1);
}

/* No program asks for non-temporal stores. */
FN void store_nt(uint8_t *d, vec v) { store(d, v); }
FN void end_stores(void) {}
#define SET_STREAM 0
#define STREAMS(X)

#include "set.h"
