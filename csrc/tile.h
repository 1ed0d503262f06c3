/* tile.h - transposed views: elements of several source lines are loaded at once and transposed in
 * registers. A source line here is no cache line, but the elements that loop `across` steps
 * through.
 *
 * A tile has `high` = 16/w rows of `wide` = V/w elements of w bytes. A row is a vec, and is stored
 * to the destination. Element x of each row comes from source line x.
 */

/* Transposes n vectors in place, lane by lane. n is a power of two and at most `high`. For example,
 * four lines of four elements take two rounds:
 *
 *   a0 a1 a2 a3      a0 c0 a1 c1      a0 b0 c0 d0
 *   b0 b1 b2 b3  ->  a2 c2 a3 c3  ->  a1 b1 c1 d1
 *   c0 c1 c2 c3      b0 d0 b1 d1      a2 b2 c2 d2
 *   d0 d1 d2 d3      b2 d2 b3 d3      a3 b3 c3 d3
 *
 * Each round interleaves vectors that are n/2 apart, and there are as many rounds as n can be
 * halved. At the end a lane of all vectors, read side by side, has element 0 of all n lines, then
 * element 1, and so on. */
FN void zip_rows(vec *rows, int n, int w) {
  vec next[16];
#pragma GCC unroll 4
  for (int halves = 1; halves < n; halves *= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < n / 2; i++) {
      next[2 * i] = zip(rows[i], rows[i + n / 2], w, 0);
      next[2 * i + 1] = zip(rows[i], rows[i + n / 2], w, 1);
    }
#pragma GCC unroll 16
    for (int i = 0; i < n; i++) rows[i] = next[i];
  }
}

/* Makes the rows of a tile: for (y < high) for (x < wide) element x of rows[y] = the element at
 * s + x*ss + y*sy, for sy of w or 2*w. If vectors have two lanes, the elements x >= high are in the
 * second lane. They are the elements at s + lane_stride + (x - high)*ss + y*sy. */
FN void tile_rows(vec *rows, const uint8_t *s, int64_t ss, int64_t lane_stride, int64_t sy, int w) {
  const int n = 16 / w;
#pragma GCC unroll 16
  for (int i = 0; i < n; i++) {
    const uint8_t *const lo = s + i * ss, *const hi = lo + lane_stride;
    rows[i] = sy == w ? load_lanes(lo, hi) : load_every2(lo, hi, w);
  }
  zip_rows(rows, n, w);
}

/* Transposes a tile: for (y < high) for (x < wide) the element at d + y*ds + x*w = the element at
 * s + x*ss + y*sy, for sy of w or 2*w. */
FN void tile(uint8_t *d, int64_t ds, const uint8_t *s, int64_t ss, int64_t sy, int w) {
  const int n = 16 / w;
  vec rows[16];
  tile_rows(rows, s, ss, n * ss, sy, w);
#pragma GCC unroll 16
  for (int i = 0; i < n; i++) store(d + i * ds, rows[i]);
}

#if V > S1_LANE
/* tile for sy of 2*w. It loads w bytes behind the last element of each source line. */
FN void tile_inside(uint8_t *d, int64_t ds, const uint8_t *s, int64_t ss, int w) {
  const int n = 16 / w;
  vec rows[16];
#pragma GCC unroll 16
  for (int i = 0; i < n; i++) {
    const uint8_t *const lo = s + i * ss;
    rows[i] = load_halves(lo, lo + n * ss, w);
  }
  zip_rows(rows, n, w);
#pragma GCC unroll 8
  for (int i = 0; i < n / 2; i++) {
    const vec low = low_lanes(rows[i], rows[i + n / 2]), high = high_lanes(rows[i], rows[i + n / 2]);
    store(d + i * ds, low);
    store(d + (i + n / 2) * ds, high);
  }
}

/* Transposes two tiles of elements of 8 bytes, one below the other: for (y < 4) for (x < 4) the
 * element at d + y*ds + x*8 = the element at s + x*ss + y*8. */
FN void tile_square(uint8_t *d, int64_t ds, const uint8_t *s, int64_t ss) {
  vec lines[4], rows[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++, s += ss) lines[i] = load(s);
#pragma GCC unroll 2
  for (int odd = 0; odd < 2; odd++) {
    const vec left = zip(lines[0], lines[1], 8, odd), right = zip(lines[2], lines[3], 8, odd);
    rows[odd] = low_lanes(left, right);
    rows[odd + 2] = high_lanes(left, right);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) store(d + i * ds, rows[i]);
}
#endif

/* Does what tile does, for any sy. It gathers the elements of each row of the tile. */
FN void tile_apart(uint8_t *d, int64_t ds, const uint8_t *s, int64_t ss, int64_t sy, int w) {
  for (int y = 0; y < 16 / w; y++)
    for (int x = 0; x < V; x += 16) store16(d + y * ds + x, gather(s + y * sy + x / w * ss, ss, w));
}

/* How a tile is made. The elements of a source line lie side by side for ADJACENT, and for SQUARE,
 * which has 4 rows of elements of 8 bytes. Every second one is taken for EVERY2, and for OVERREAD,
 * which loads w bytes behind the last element of each line. For SCATTERED, any distance lies
 * between them. */
enum { SCATTERED, ADJACENT, EVERY2, OVERREAD, SQUARE };

/* Makes 16/w rows, or 4 for SQUARE: for (each row y) for (x = 0; x < n; x++)
 *   the element at d + y*ds + x*w = the element at s + y*sy + x*ss
 * n is at least `wide`. If it is no multiple of wide, the last tile ends with the rows and overlaps
 * the one before. */
FN void strip(uint8_t *d, int64_t ds, const uint8_t *s, int64_t ss, int64_t sy, int64_t n, int method, int w) {
  const int64_t wide = V / w;
  for (;; n -= wide, d += V, s += wide * ss) {
    if (n < wide) d += (n - wide) * w, s += (n - wide) * ss;
    switch (method) {
#if V > S1_LANE
      case SQUARE: tile_square(d, ds, s, ss); break;
      case OVERREAD: tile_inside(d, ds, s, ss, w); break;
#endif
      case ADJACENT: tile(d, ds, s, ss, w, w); break;
      case EVERY2: tile(d, ds, s, ss, 2 * w, w); break;
      default: tile_apart(d, ds, s, ss, sy, w);
    }
    if (n <= wide) break;
  }
}

/* Prefetches, for stores, the cache lines of `rows` rows of n bytes. The first row is at d, and
 * each is ds bytes behind the one before. They may lie outside of every buffer, where a prefetch
 * does nothing. So their addresses are numbers and not pointers. Without compiler_barrier(), gcc
 * would leave out calls of a function that only prefetches. */
OUTLINE void prefetch_rows(uintptr_t d, int64_t rows, int64_t ds, int64_t n) {
  for (int64_t y = 0; y < rows; y++)
    for (int64_t i = 0; i < n; i += S1_LINE) __builtin_prefetch((const void *)(d + (uintptr_t)(y * ds + i)), 1);
  compiler_barrier();
}

/* for (y = 0; y < across.extent; y++) for (x = 0; x < n; x++)
 *   the element at d + y*across.dst + x*w = the element at s + y*across.src + x*ss
 * for n of at least `wide`. Rows are taken in bands of t->band rows, and a band in blocks of
 * t->block elements. If the band or the block is no multiple of a tile, its last tile overlaps the
 * one before. If t->ahead is 2, what a block stores is prefetched first. `method` is SCATTERED,
 * ADJACENT or EVERY2. */
FN void block_tiles(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, const s1_tiles *t, int method, int w) {
  const s1_dim across = t->across;
  const int64_t high = 16 / w, wide = V / w, sy = method == SCATTERED ? across.src : method * w, band = t->band, block = t->block;
  for (int64_t yb = 0; yb < across.extent; yb += band) {
    const int64_t y_end = min_of(yb + band, across.extent);
    for (int64_t xb = 0; xb < n; xb += block) {
      const int64_t x0 = min_of(xb, n - wide), count = min_of(n - x0, block);
      if (t->ahead == 2) prefetch_rows((uintptr_t)d + (uintptr_t)(yb * across.dst + x0 * w), y_end - yb, across.dst, count * w);
      for (int64_t yt = yb; yt < y_end; yt += high) {
        const int64_t y = yt <= across.extent - high ? yt : across.extent - high;
        uint8_t *const o = d + (y * across.dst + x0 * w);
        const uint8_t *const i = s + (y * sy + x0 * ss);
#if V > S1_LANE
        if (w == 8 && method == ADJACENT && y_end - yt >= 2 * high) {
          strip(o, across.dst, i, ss, sy, count, SQUARE, w);
          yt += high;
          continue;
        }
        if (method == EVERY2 && y < across.extent - high) {
          strip(o, across.dst, i, ss, sy, count, OVERREAD, w);
          continue;
        }
#endif
        strip(o, across.dst, i, ss, sy, count, method, w);
      }
    }
  }
}

/* Prefetches the view of the next iteration of p->innermost. The view of this one is at d and s. If
 * there is no next iteration, the addresses may lie outside of every buffer, as in
 * prefetch_rows. */
OUTLINE void prefetch_next(const s1_program *p, const uint8_t *d, const uint8_t *s) {
  const s1_dim row = p->row, across = p->tiles.across;
  const uintptr_t src = (uintptr_t)s + (uintptr_t)p->innermost.src;
  prefetch_rows((uintptr_t)d + (uintptr_t)p->innermost.dst, across.extent, across.dst, row.extent * p->width + S1_LINE - 1);
  for (int64_t x = 0; x < row.extent; x++)
    for (int64_t i = 0; i < across.extent * across.src + S1_LINE - 1; i += S1_LINE)
      __builtin_prefetch((const void *)(src + (uintptr_t)(x * row.src + i)), 0, 2);
}

/* block_tiles for elements of `width` bytes. */
OUTLINE void turn_view(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, const s1_tiles *t, int width) {
  if (t->across.src == width) BY_WIDTH(width, block_tiles, d, s, n, ss, t, ADJACENT)
  else if (t->across.src == 2 * width) BY_WIDTH(width, block_tiles, d, s, n, ss, t, EVERY2)
  else BY_WIDTH(width, block_tiles, d, s, n, ss, t, SCATTERED)
}

FN void run_tile(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  row_cursor r = FIRST_ROW(p, dst, src);
  do {
    if (p->tiles.ahead == 1) prefetch_next(p, r.d, r.s);
    turn_view(r.d, r.s, p->row.extent, p->row.src, &p->tiles, p->width);
  } while (next_row(&r));
}
