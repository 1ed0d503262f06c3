/* planes.h - passes over columns and rows of planes of float32. set.h includes this file. Products
 * and sums are rounded one after the other, in the order of the taps, so that all sets make the
 * same bits. No tap is added whose weight the table does not have: 0 times infinity is a NaN.
 *
 * Columns are made for JOINED rows at once, which may be the same one. Their numbers are joined
 * first, so that a vector has number x of each row:
 *
 *   rows     a0 a1 a2 ...   b0 b1 b2 ...   c0 c1 c2 ...   d0 d1 d2 ...
 *   joined   a0 b0 c0 d0    a1 b1 c1 d1    a2 b2 c2 d2    ...
 *
 * Then a pass over columns weighs whole vectors, like one over rows. The last vectors of a row may
 * be made twice.
 */

enum { JOINED = V / 4, PLANE_LANES = V / S1_LANE, TURNED = 4 };

FN floats load_floats(const float *s) { return (floats)load((const uint8_t *)s); }
FN void store_floats(float *d, floats v) { store((uint8_t *)d, (vec)v); }

/* By lanes: x[i][j] = x[j][i], for four numbers. */
FN void turn(vec *x) {
  const vec a = zip(x[0], x[1], 4, 0), b = zip(x[2], x[3], 4, 0), c = zip(x[0], x[1], 4, 1), d = zip(x[2], x[3], 4, 1);
  x[0] = zip(a, b, 8, 0), x[1] = zip(a, b, 8, 1), x[2] = zip(c, d, 8, 0), x[3] = zip(c, d, 8, 1);
}

/* for (x = 0; x < width; x++) for (r = 0; r < JOINED; r++) room[JOINED*x + r] = s[r][x] */
FN void join_planes(const s1_plane_columns *t) {
  if (t->width < TURNED) {
    for (int64_t x = 0; x < t->width; x++)
      for (int r = 0; r < JOINED; r++) t->room[JOINED * x + r] = t->s[r][x];
    return;
  }
  for (int64_t x = 0; x < t->width; x += TURNED) {
    const int64_t first = min_of(x, t->width - TURNED);
    vec rows[TURNED];
#pragma GCC unroll 4
    for (int r = 0; r < TURNED; r++) rows[r] = load_lanes((const uint8_t *)(t->s[r] + first), (const uint8_t *)(t->s[r + (PLANE_LANES - 1) * TURNED] + first));
    turn(rows);
#pragma GCC unroll 4
    for (int k = 0; k < TURNED; k++) store((uint8_t *)(t->room + JOINED * (first + k)), rows[k]);
  }
}

/* Stores numbers i to i + 3 of JOINED rows, of which made[k] has number i + k. */
FN void part_planes(const s1_plane_columns *t, int64_t i, vec *made) {
  turn(made);
#pragma GCC unroll 4
  for (int r = 0; r < TURNED; r++)
#pragma GCC unroll 2
    for (int lane = 0; lane < PLANE_LANES; lane++) store16((uint8_t *)(t->d[r + lane * TURNED] + i), lane_of(made[r], lane));
}

/* The sum of taps[k] * w[k] in float64, for `vectors` vectors of float64 of `taps` taps, of which
 * place(k) is the first number. */
#define WEIGH(sum, vectors, taps, place, w)                                                                          \
  for (int64_t k = 0; k < taps; k++) {                                                                               \
    const float *const s = place;                                                                                    \
    _Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) sum[v] += widened_floats(s + v * (JOINED / 2)) * w[k]; \
  }

/* Columns of JOINED rows: the sums of w[taps*i + k], of float64, or of float32 if `linear`. */
FN void plane_columns(const s1_plane_columns *pass, int linear) {
  const s1_plane_columns t = *pass;
  join_planes(&t);
  for (int64_t x = 0; x < t.n; x += TURNED) {
    const int64_t i = min_of(x, t.n - TURNED);
    vec made[TURNED];
#pragma GCC unroll 4
    for (int j = 0; j < TURNED; j++) {
      const float *const first = t.room + JOINED * (int64_t)t.first[i + j];
      if (linear) {
        const float *const w = (const float *)t.weights + 2 * (i + j);
        floats sum = load_floats(first) * w[0];
        if (t.count[i + j] > 1) sum += load_floats(first + JOINED) * w[1];
        made[j] = (vec)sum;
      } else {
        const double *const w = (const double *)t.weights + t.taps * (i + j);
        doubles sum[2] = {{0}};
        WEIGH(sum, 2, t.count[i + j], first + JOINED * k, w)
        made[j] = (vec)narrowed_doubles(sum[0], sum[1]);
      }
    }
    part_planes(&t, i, made);
  }
}

/* Pillow's filters in mode F. For each of JOINED rows, for float64 w, and for n >= 4:
 *
 *   for (i = 0; i < n; i++)
 *     d[i] = the sum of s[first[i] + k] * w[taps*i + k] for k < count[i]
 */
OUTLINE void weigh_plane_columns(const s1_plane_columns *pass) { plane_columns(pass, 0); }

/* OpenCV's linear filter. For each of JOINED rows, for float32 w, and for n >= 4:
 *
 *   for (i = 0; i < n; i++)
 *     d[i] = count[i] == 1 ? s[first[i]] * w[2*i] : s[first[i]] * w[2*i] + s[first[i] + 1] * w[2*i + 1]
 */
OUTLINE void add_plane_columns(const s1_plane_columns *pass) { plane_columns(pass, 1); }

/* For float64 w and n >= JOINED:
 *
 *   for (r = 0; r < count; r++) for (i = 0; i < n; i++)
 *     d[r*stride + i] = the sum of s[rows[k] + i] * w[taps*r + k] for k < n_rows
 */
OUTLINE void weigh_plane_rows(const s1_plane_rows *pass) {
  const s1_plane_rows t = *pass;
  int64_t x = 0;
  for (; x <= t.n - 2 * JOINED; x += 2 * JOINED)
    for (int64_t r = 0; r < t.count; r++) {
      const double *const w = (const double *)t.weights + t.taps * r;
      float *const d = t.d + t.stride * r + x;
      doubles sum[4] = {{0}};
      WEIGH(sum, 4, t.n_rows, (const float *)(t.s + t.rows[k]) + x, w)
      store_floats(d, narrowed_doubles(sum[0], sum[1])), store_floats(d + JOINED, narrowed_doubles(sum[2], sum[3]));
    }
  for (; x < t.n; x += JOINED) {
    const int64_t i = min_of(x, t.n - JOINED);
    for (int64_t r = 0; r < t.count; r++) {
      const double *const w = (const double *)t.weights + t.taps * r;
      doubles sum[2] = {{0}};
      WEIGH(sum, 2, t.n_rows, (const float *)(t.s + t.rows[k]) + i, w)
      store_floats(t.d + t.stride * r + i, narrowed_doubles(sum[0], sum[1]));
    }
  }
}
#undef WEIGH

/* OpenCV's linear filter of rows. For float32 w and n >= JOINED:
 *
 *   for (r = 0; r < count; r++) for (i = 0; i < n; i++)
 *     d[r*stride + i] = s[rows[0] + i] * w[2*r] + s[rows[1] + i] * w[2*r + 1]
 */
OUTLINE void add_plane_rows(const s1_plane_rows *pass) {
  const s1_plane_rows t = *pass;
  const float *const w = t.weights, *const a = (const float *)(t.s + t.rows[0]), *const b = (const float *)(t.s + t.rows[1]);
  int64_t x = 0;
  for (; x <= t.n - 2 * JOINED; x += 2 * JOINED) {
    const floats upper[] = {load_floats(a + x), load_floats(a + x + JOINED)}, lower[] = {load_floats(b + x), load_floats(b + x + JOINED)};
    float *d = t.d + x;
    for (int64_t r = 0; r < t.count; r++, d += t.stride)
#pragma GCC unroll 2
      for (int v = 0; v < 2; v++) store_floats(d + v * JOINED, upper[v] * w[2 * r] + lower[v] * w[2 * r + 1]);
  }
  for (; x < t.n; x += JOINED) {
    const int64_t i = min_of(x, t.n - JOINED);
    for (int64_t r = 0; r < t.count; r++) store_floats(t.d + t.stride * r + i, load_floats(a + i) * w[2 * r] + load_floats(b + i) * w[2 * r + 1]);
  }
}
