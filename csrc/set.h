/* set.h - what a set of loops is made of, and the table of its loops, to be included last by the
 * header of a set. Each loop is written once for all sets, in the headers that are included below.
 * An instruction set is what these call: the functions below, each with the plain loop that it
 * replaces. The compiler compares this list with the functions of a set.
 *
 * The header of a set, such as avx2.h, first defines
 *   SET, its name,
 *   ISA, the attribute that selects its instructions, or nothing if it needs none,
 *   V, the bytes of a vector,
 *   HAS_MASKS, 1 if masks leave out bytes of loads and stores, else 0,
 *   HAS_STREAMS, 1 if programs may ask for non-temporal stores, else 0, and
 *   TABLE_PLANES, the bytes of a table of 256 entries in another order, or 0 if the set has none.
 * It then includes vec.h, defines the functions, and includes set.h. STREAMS(X) is X(form) for
 * each form that has a loop of its own for non-temporal stores, run_FORM_nt.
 *
 * In the plain loops x is what a function returns. A lane has 16 bytes. "By lanes" says that each
 * lane of x is made of the same lanes of the arguments.
 */

/* x[i] = s[i] and d[i] = v[i]. A batch is BATCH floats, and a narrow_vec BYTES bytes. The set also
 * defines broadcast(f), the batch x[i] = f. */
FN batch load_batch(const float *s);
FN void store_batch(float *d, batch v);
FN void store_narrow(uint8_t *d, narrow_vec v);
/* x[i] = the float16 number i at s. */
FN batch load_float16(const uint8_t *s);
/* x[i] = s[i], rounded to nearest, ties to even, and saturated. A NaN becomes the integer 0. */
FN narrow_vec to_uint8(const float *s);
FN narrow_vec to_int8(const float *s);
FN narrow_vec to_uint16(const float *s);
FN narrow_vec to_int16(const float *s);
FN narrow_vec to_int32(const float *s);
FN narrow_vec to_float16(const float *s);
/* x[i] = byte pick[4*i] of a window, for numbers x of 32 bits. With masks it is the V bytes at
 * s + p->at[k]. Otherwise each lane has a window of 16 bytes, those at s + p->at[k] and, for the
 * second lane, at s + p->at[k + 1]. */
FN vec picked(const uint8_t *s, const s1_picks *p, int k, vec pick);

/* d[i] = v[i] by a non-temporal store, for d at a multiple of V, and the fence behind such
 * stores. */
FN void store_nt(uint8_t *d, vec v);
FN void end_stores(void);
#if HAS_STREAMS
/* d[i] = the 4 bytes at e[i], for i < 8. If `nt`, by non-temporal stores, for d at a multiple of
 * 32. */
FN void store_eight(uint8_t *d, const uint8_t *const *e, int nt);
#endif

#if TABLE_PLANES
/* Whether so many tables, in turn, with entries of `size` bytes have another order. */
FN int has_planes(int64_t tables, int size);
/* Puts a table t in that order, of TABLE_PLANES bytes. */
OUTLINE void make_planes(uint8_t *restrict planes, const uint8_t *restrict t, int size);
/* d[i] = t[i % tables][s[i]], for n a multiple of tables * V and tables in that order. If `nt`,
 * entries have 4 bytes, and stores are non-temporal, for d at a multiple of V. */
OUTLINE void by_planes(uint8_t *d, const uint8_t *s, int64_t n, const uint8_t *planes, int64_t tables, int nt, int size);
#endif

/* x[i] = v[i] */
FN words widened(half v);
/* x[i] = a[i] * b[i] >> 16 */
FN words high(words a, words b);
/* The same for unsigned words. */
FN uwords high_unsigned(uwords a, uwords b);
/* x[i] = (a[i] * b[i] + 16384) >> 15 */
FN words high_rounded(words a, words b);
/* x[i] = a[2*i] * b[2*i] + a[2*i + 1] * b[2*i + 1] */
FN ints word_pairs(words a, words b);
/* The same for bytes a and signed bytes b, whose sums fit a word. */
FN words byte_pairs(vec a, vec b);
/* By lanes: a[0], a[1], ..., then b[0], b[1], ..., saturated to int16. */
FN words narrowed(ints a, ints b);
/* By lanes: a[0], a[1], ..., then b[0], b[1], ..., saturated to uint8. */
FN vec limited(words a, words b);
/* By lanes: a[0] + a[1], a[2] + a[3], ..., then the same of b. */
FN ints pair_sums(ints a, ints b);
/* By lanes: x[order[0]], x[order[1]], ..., and 0 where that is NIL. */
FN vec shuffle_lanes(vec x, vec order);
/* x[2*i] = a[i], which is below 65536, and x[2*i + 1] = b[i] >> 16. */
FN words paired(ints a, ints b);
/* Words from 0 to 255 as bytes: a[0], a[2], ..., then a[1], a[3], ..., then the same of b. */
FN vec bytes_in_order(words a, words b);
/* Words from 0 to 255 as bytes, for pairs in the order of pair_sums: those of a, then those of
 * b. */
FN vec pairs_in_order(words a, words b);
/* x[0], x[2], ..., then x[1], x[3], ... */
FN vec parted(vec x);
/* x[2*i] = a[i] and x[2*i + 1] = b[i], saturated to uint8. */
FN vec interleaved(words a, words b);
/* d[8*i] = r[i], d[8*i + 1] = g[i], d[8*i + 2] = b[i], d[8*i + 4] = r2[i], d[8*i + 5] = g2[i],
 * d[8*i + 6] = b2[i], saturated to uint8, and d[8*i + 3] = d[8*i + 7] = 255. */
FN void store_pairs(uint8_t *d, words r, words g, words b, words r2, words g2, words b2);
/* d[6*i] = r[i], d[6*i + 1] = g[i], d[6*i + 2] = b[i], d[6*i + 3] = r2[i], d[6*i + 4] = g2[i],
 * d[6*i + 5] = b2[i], saturated to uint8. It stores no other byte. */
FN void store_triples(uint8_t *d, words r, words g, words b, words r2, words g2, words b2);
/* x[i] + (a[i] > b[i]), for a and b as `ordered` returns them, which adds a number. */
FN words carried(words x, uwords a, uwords b);
FN uwords ordered(uwords v);
/* By lanes: a[0], b[0], a[1], b[1], ... of the elements of w bytes in the low 8 bytes, or in the
 * high 8 bytes if `high`. w is 1, 2, 4 or 8. */
FN vec zip(vec a, vec b, int w, int high);

/* A lane of x, the low one first. */
FN vec16 lane_of(vec x, int lane);

#if V > S1_LANE
/* The first n quarters of a, and the last 4 - n of b. */
FN vec quarters(vec a, vec b, int n);
#endif

#if HAS_MASKS

/* Bit i of a mask is for byte i. A byte that a mask leaves out is not accessed:
 * x[i] = bit i ? s[i] : 0, x[i] = bit i ? s[i] : x[i], and if (bit i) d[i] = v[i]. */
FN vec load_under(uint64_t mask, const uint8_t *s);
FN vec load_merged(vec x, uint64_t mask, const uint8_t *s);
FN void store_under(uint8_t *d, uint64_t mask, vec v);
/* x[index[i] % V] */
FN vec permute(vec x, vec index);
/* order[i] < V ? window[order[i]] : x[i] */
FN vec permute_into(vec x, vec window, vec order);
/* The 16 bytes at s in each lane. */
FN vec broadcast_lane(const uint8_t *s);

#else

/* The 16 bytes at lo in the low lane, and those at hi in the high one, if there is one. */
FN vec load_lanes(const uint8_t *lo, const uint8_t *hi);
/* The same for the first `bytes` bytes, 4, 8 or 16, and zeros behind them. */
FN vec load_parts(const uint8_t *lo, const uint8_t *hi, int bytes);
/* The same for 16 bytes of the elements of w bytes at lo, lo + 2*w, lo + 4*w, ... It loads no byte
 * behind the last of these elements. */
FN vec load_every2(const uint8_t *lo, const uint8_t *hi, int w);
#if V > S1_LANE
/* The low lanes of a and b, and the high ones. */
FN vec low_lanes(vec a, vec b);
FN vec high_lanes(vec a, vec b);
/* The elements that load_every2 takes, in another order. The low lane has the first half of those
 * from lo on, then the first half of those from hi on. The high lane has both second halves. Loads
 * w bytes behind the last element of each. */
FN vec load_halves(const uint8_t *lo, const uint8_t *hi, int w);
#endif

/* What `form`, from lanes to cross, makes by r from the windows at r->window[lane][k] + offset, or
 * at r->window[0][k] + offset if it merges windows. */
FN vec select_bytes(const recipe *r, int64_t offset, int form, int windows);
#if V > S1_LANE
/* What forms bytes and dwords make of the window x, rotated down by q quarters of a vector. */
FN vec permuted(vec x, int form, const recipe *r, int q);
#endif
/* Every second, third or fourth element of w bytes, the first one at s. */
FN vec select_every(const uint8_t *s, int form, int w);
/* Stores the tail t of a row of such elements, which is at d and whose source is at s. */
FN void every_tail(uint8_t *d, const uint8_t *s, const s1_tail *t, int form, int w);
/* Stores at d one lane or two, made of s as v describes them by form lanes. */
FN void tail_vector(uint8_t *d, const uint8_t *s, const s1_vector *v, int lanes);

/* d[4*i] = r[i], d[4*i + 1] = g[i], d[4*i + 2] = b[i], d[4*i + 3] = a[i], for i < V. */
FN void store_pixels(uint8_t *d, vec r, vec g, vec b, vec a);
/* By lanes: x[order[0]], x[order[1]], ..., and 0 where that is NIL. */
FN vec shuffled(vec x, vec16 order);
/* a[0], a[1], ..., then b[0], b[1], ..., saturated to uint8. */
FN vec limited_in_order(words a, words b);

/* x[i] = s[i], for V / 8 numbers. */
FN doubles widened_floats(const float *s);
/* a[0], a[1], ..., then b[0], b[1], ..., rounded to nearest. */
FN floats narrowed_doubles(doubles a, doubles b);

#endif

/* The loops, and their table. S1_LOOPS_SET of layout.h lists the loops, by PLAIN without variants
 * and by VARIANT with variants. run_FORM(p, dst, src) runs program p from src to dst, and
 * run_variant does so for the forms from lanes on. */
#include "cursor.h"
#if !HAS_MASKS
#include "gather.h"
#include "tile.h"
#include "table.h"
#endif
#include "shuffle.h"
#include "rows.h"
#if HAS_STREAMS
#include "stream.h"
#else
#define SET_STREAM 0 /* no program asks for non-temporal stores */
#endif
#if HAS_STREAMS && !HAS_MASKS
#include "views.h"
#endif
#include "convert.h"
#include "decoders.h"
#include "ycbcr.h"
#include "frame.h"
#include "windows.h"

/* A loop. The set is in its name, so that a profile can be read. */
#define LOOP(name, call) \
  OUTLINE void NAMED(SET, name)(const s1_program *p, uint8_t *dst, const uint8_t *src) { call; }
#define LOOPS NAMED(S1_LOOPS, SET)
#define PLAIN(form) LOOP(form, run_##form(p, dst, src))
#define VARIANT(form, variant) LOOP(form##_##variant, run_variant(p, dst, src, S1_##form, variant))
#define STREAM(form) LOOP(form##_nt, run_##form##_nt(p, dst, src))
LOOPS(PLAIN, VARIANT)
STREAMS(STREAM)
#undef STREAM
#undef VARIANT
#undef PLAIN

/* Sets with masks resample by VNNI only. What that has no pass for, and all on hosts without it,
 * kernel avx512 does by AVX2's. */
#if HAS_MASKS
#include "vnni.h"
#define PASS_OF(name) 0,
#define VNNI_OF(name) name,
#else
#include "resample.h"
#include "area.h"
#include "planes.h"
#define PASS_OF(name) name,
#define VNNI_OF(name) 0,
#endif
#define PASS_OF_ALL(name) name,

/* Returns the set. The function is static, so that several copies of this package link into one
 * program. A build that compiles the set to an object file without cgo defines S1_TABLE as nothing,
 * which makes the function external. */
#ifndef S1_TABLE
#define S1_TABLE static
#endif
S1_TABLE const s1_set *NAMED(s1, SET)(void) {
#define PLAIN(form) [LOOP_NUMBER(form, 0)].run = NAMED(SET, form),
#define VARIANT(form, variant) [LOOP_NUMBER(form, variant)].run = NAMED(SET, form##_##variant),
#define STREAM(form) [LOOP_NUMBER(form, 0)].stream = NAMED(SET, form##_nt),
  static const s1_entry loops[S1_FORMS * S1_VARIANTS] = {LOOPS(PLAIN, VARIANT) STREAMS(STREAM)};
  static const s1_set set = {loops,
                             SET_STREAM,
                             NAMED(SET, convert),
                             NAMED(SET, ycbcr),
                             NAMED(SET, frame),
                             {S1_EACH_COLUMNS(PASS_OF, PASS_OF_ALL, VNNI_OF)},
                             {S1_EACH_ROWS(PASS_OF, VNNI_OF)},
                             {S1_EACH_PLANE_COLUMNS(PASS_OF)},
                             {S1_EACH_PLANE_ROWS(PASS_OF)}};
  return &set;
}
