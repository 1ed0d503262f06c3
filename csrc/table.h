/* table.h - transposed views that have few elements on a side, or two loops on a side. For example,
 * each of many pictures of 10 x 13 bytes becomes one of 13 x 10. A source line is as in tile.h. A
 * row is a row of the destination.
 *
 * A tile loads `tall` bytes of each of some lines and stores `wide` bytes to each of some rows.
 * Both are powers of two. One table has the place of each line in bytes, another one the place of
 * each row. So lines or rows may lie anywhere, and two loops on a side are like one. Lines of 10
 * bytes make two tiles of 8: one has bytes 0 to 7, the other one bytes 2 to 9. So nothing beyond a
 * line is loaded, and nothing beyond a row stored. Tiles that overlap store the same there.
 *
 * If vectors have two lanes and rows are shorter than a vec, each lane has a tile of its own: one
 * has the beginnings of rows, the other one their ends. If rows have no more than `wide` bytes, one
 * has the first half of the rows, the other one the second half.
 */

/* How many places a table has room for. */
enum { TABLED = 64 };

/* 1 if each lane has a tile of its own, for rows of `wide` bytes. */
#define PAIRED(wide) (V > S1_LANE && (wide) < V)

/* How many loops step through the lines and through the rows of a view. PLAIN_VIEW: one each.
 * JOINED_VIEW: two through the lines. FOLDED_VIEW: two through the rows, which are rows of a tile
 * or longer. The lines of the last two have 16 bytes or more. */
enum { PLAIN_VIEW, JOINED_VIEW, FOLDED_VIEW };

/* for (i = 0; i < n; i++) offset[i] = (first + i)/extent*outer + (first + i)%extent*inner. Not
 * inlined, since a set has many calls. */
OUTLINE void offsets(int64_t *offset, int64_t n, int64_t first, int64_t extent, int64_t inner, int64_t outer) {
  int64_t next = first / extent * outer + first % extent * inner;
#pragma GCC unroll 1
  for (int64_t i = 0, left = extent - first % extent; i < n; i++) {
    offset[i] = next, next += inner;
    if (--left == 0) left = extent, next += outer - extent * inner;
  }
}

/* for (i = 0; i < bytes; i++) d[i] = byte offset + i of a lane of x, for `bytes` of 2, 4 or 8, or
 * also 16 if vectors have two lanes. */
FN void store_part(uint8_t *d, vec x, int lane, int offset, int bytes) {
  const vec16 v = lane_of(x, lane);
  uint64_t part;
  if (VEC_LANES == 2 && bytes == 16) {
    store16(d, v);
    return;
  }
  switch (bytes) {
    case 2: part = ((u16x8)v)[offset / 2]; break;
    case 4: part = ((u32x4)v)[offset / 4]; break;
    default: must_be(bytes, 8), part = ((u64x2)v)[offset / 8];
  }
  memcpy(d, &part, (size_t)bytes);
}

/* What the tiles of a view of p have in common. A row has n elements, and the first lane has m
 * rows. The stride `src` leads from line to line and `dst` from row to row; they are 0 where a
 * table has the places. The tile of the second lane lies lane_lines lines and some rows further on:
 * lane_src bytes in the source, lane_dst bytes in the destination. */
typedef struct {
  const s1_program *p;
  int64_t n, m, src, dst, lane_lines, lane_src, lane_dst;
} tiling;

/* Transposes a tile, or one in each lane: element y of line x goes to element x of row y, both
 * counted from the first of the tile. Line i is at s + lines[i], or at s + i*t->src if lines is
 * null. Row i is at d + rows[i], or at d + i*t->dst if rows is null. */
FN void table_tile(const tiling *t, uint8_t *d, const uint8_t *s, const int64_t *lines, const int64_t *rows, int tall, int wide, int w) {
  const int row_bytes = wide < 16 ? wide : 16, num_lines = row_bytes / w, num_rows = tall / w;
  const int64_t src = t->src, dst = t->dst;
  const uint8_t *const s2 = s + t->lane_src;
  uint8_t *const d2 = d + t->lane_dst;
  vec x[16];
#pragma GCC unroll 16
  for (int i = 0; i < num_lines; i++) {
    const uint8_t *const lo = s + (lines ? lines[i] : i * src), *const hi = VEC_LANES == 2 ? s2 + (lines ? lines[t->lane_lines + i] : i * src) : lo;
    x[i] = load_parts(lo, hi, tall < 16 ? tall : 16);
    if (VEC_LANES == 2 && tall == 32) x[num_lines + i] = load_parts(lo + 16, hi + 16, 16);
  }
  zip_rows(x, num_lines, w);
  if (VEC_LANES == 2 && tall == 32) zip_rows(x + num_lines, num_lines, w);
#pragma GCC unroll 16
  for (int y = 0; y < num_rows; y++) {
    uint8_t *const o = d + (rows ? rows[y] : y * dst);
    if (wide == V) store(o, x[y]);
    else store_part(o, x[y * row_bytes / 16], 0, y * row_bytes % 16, row_bytes);
  }
  if (VEC_LANES == 2 && wide < V) {
#pragma GCC unroll 16
    for (int y = 0; y < num_rows; y++) store_part(d2 + y * dst, x[y * row_bytes / 16], 1, y * row_bytes % 16, row_bytes);
  }
}

/* Where lines or rows lie, from number `first` to end - 1: number i at offset[i - first]. */
typedef struct {
  int64_t first, end, offset[TABLED];
} places;
enum { LINES_AT, ROWS_AT, PLACES }; /* the places of a view */

/* Makes p the places of as many lines or rows as it has room for, from number `first` on, of n in
 * all. They are as for `offsets`. */
FN void hold(places *p, int64_t first, int64_t n, int64_t extent, int64_t inner, int64_t outer) {
  p->first = first, p->end = min_of(first + TABLED, n);
  offsets(p->offset, p->end - first, first, extent, inner, outer);
}

FN int holds(const places *p, int64_t first, int64_t end) { return first >= p->first && end <= p->end; }

/* Transposes the view at d and s in tiles of `tall` by `wide` bytes. The last tiles overlap those
 * before them. Rows are taken in bands. In a band, the tiles go down the lines, one line of tiles
 * after the other. If rows are folded, bands are taken in blocks, and the tiles go along the rows
 * of a block. If PAIRED(wide), all tiles have the same lines. */
FN void turn_tiles(const tiling *t, places *at, uint8_t *d, const uint8_t *s, int view, int tall, int wide, int w) {
  const s1_program *const p = t->p;
  const s1_dim *const row = &p->row, *const fold = &p->tiles.fold;
  places *const lines = &at[LINES_AT], *const rows = &at[ROWS_AT];
  const int64_t high = tall / w, next = wide / w, n = t->n, m = t->m, band = PAIRED(wide) ? m : p->tiles.band;
  const int64_t block = view == FOLDED_VIEW ? p->tiles.block : next;
  for (int64_t yb = 0; yb < m; yb += band)
    for (int64_t xb = 0; xb < (PAIRED(wide) ? 1 : n); xb += block) {
      const int64_t x0 = PAIRED(wide) ? 0 : min_of(xb, n - next), stop = min_of(xb + block, n);
      if (view == JOINED_VIEW && !PAIRED(wide) && !holds(lines, x0, stop)) hold(lines, x0, n, row->extent, row->src, p->tiles.join.src);
      for (int64_t yt = yb; yt < (PAIRED(wide) ? m : min_of(yb + band, m)); yt += high) {
        const int64_t y = min_of(yt, m - high);
        if (view == FOLDED_VIEW && !holds(rows, y, y + high)) hold(rows, y, m, fold->extent, fold->dst, p->tiles.across.dst);
        int64_t xt = xb;
        do {
          const int64_t x = view == FOLDED_VIEW ? min_of(xt, n - next) : x0;
          table_tile(t, d + (y * t->dst + x * w), s + (y * w + x * t->src), view == JOINED_VIEW ? lines->offset + (x - lines->first) : 0,
                     view == FOLDED_VIEW ? rows->offset + (y - rows->first) : 0, tall, wide, w);
        } while (view == FOLDED_VIEW && (xt += next) < stop);
      }
    }
}

/* Transposes all views of p. A table begins with the first line, or row, of some tile, and has as
 * many places as fit. It is made again for a tile whose places it lacks. */
FN void table_views(const s1_program *p, uint8_t *dst, const uint8_t *src, int view, int tall, int wide, int w) {
  const s1_dim row = p->row, join = p->tiles.join, across = p->tiles.across;
  const int64_t n = row.extent * join.extent, m = across.extent * p->tiles.fold.extent;
  tiling t = {.p = p, .n = n, .m = m, .src = view == JOINED_VIEW ? 0 : row.src, .dst = view == FOLDED_VIEW ? 0 : across.dst};
  places at[PLACES] = {0};
  const int tile_lines = (wide < 16 ? wide : 16) / w, high = tall / w;
  int64_t lane_rows = 0;
  if (wide == V) {
    t.lane_lines = tile_lines;
  } else if (VEC_LANES == 2 && n > tile_lines) {
    t.lane_lines = n - tile_lines;
  } else if (VEC_LANES == 2) {
    t.m = (m + 1) / 2 < high ? high : (m + 1) / 2;
    lane_rows = m - t.m;
  }
  t.lane_src = t.lane_lines * t.src + lane_rows * w;
  t.lane_dst = t.lane_lines * w + lane_rows * t.dst;
  if (PAIRED(wide) && view == JOINED_VIEW) hold(&at[LINES_AT], 0, n, row.extent, row.src, join.src);
  row_cursor r = FIRST_ROW(p, dst, src);
  do turn_tiles(&t, at, r.d, r.s, view, tall, wide, w);
  while (next_row(&r));
}

/* EACH_TABLE(X) is X(tall, wide, w) for each size of tile but the largest, whose case is the
 * default of a switch: LAST_TABLE(X) is X for that one, and LAST is the function that X makes of
 * it. */
#define SHORT_ROWS_1(X) X(4, 4, 1) X(4, 8, 1) X(4, 16, 1) X(8, 4, 1) X(8, 8, 1) X(8, 16, 1) X(16, 2, 1) X(16, 4, 1) X(16, 8, 1) X(16, 16, 1)
#define SHORT_ROWS_2(X) X(8, 8, 2) X(8, 16, 2) X(16, 4, 2) X(16, 8, 2) X(16, 16, 2)
#define SHORT_ROWS(X) SHORT_ROWS_1(X) SHORT_ROWS_2(X) X(16, 8, 4) X(16, 16, 4)
#if V > S1_LANE
#define EACH_TABLE(X) SHORT_ROWS(X) X(4, 32, 1) X(8, 32, 1) X(16, 32, 1) X(8, 32, 2) X(16, 32, 2) X(16, 32, 4) X(16, 32, 8)
#define LAST_TABLE(X) X(32, 32, 8)
#define LAST table_32_32_8
#else
#define EACH_TABLE(X) SHORT_ROWS(X)
#define LAST_TABLE(X) X(16, 16, 8)
#define LAST table_16_16_8
#endif

/* A function for each size of tile, so that its stack frame is no larger than it needs. The planner
 * folds no view of elements of 8 bytes. It joins only rows of at least two elements, and fewer than
 * a vec has. */
#define TABLE(tall, wide, w)                                                                                                \
  OUTLINE void NAMED(SET, table_##tall##_##wide##_##w)(const s1_program *p, uint8_t *dst, const uint8_t *src) {             \
    if (tall == 16 && wide == V && w < 8 && p->tiles.fold.extent > 1) table_views(p, dst, src, FOLDED_VIEW, tall, wide, w); \
    else if (tall >= 16 && 2 * w < V && p->tiles.join.extent > 1) table_views(p, dst, src, JOINED_VIEW, tall, wide, w);     \
    else table_views(p, dst, src, PLAIN_VIEW, tall, wide, w);                                                               \
  }
EACH_TABLE(TABLE)
LAST_TABLE(TABLE)
#undef TABLE

/* The largest power of two that is at most n, from 2 to `limit`. */
FN int power_of(int64_t n, int limit) {
  int power = 2;
  while (power < limit && 2 * power <= n) power *= 2;
  return power;
}

/* Lines have at least 4 elements and 4 bytes. Rows have at least 2 elements, and at least 4 if
 * lines have less than 16 bytes. */
FN void run_table(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  const int w = p->width;
  const int tall = power_of(p->tiles.across.extent * p->tiles.fold.extent * w, w == 8 ? V : 16), wide = power_of(p->row.extent * p->tiles.join.extent * w, V);
#define TABLE(tall, wide, w) \
  case tall * 1000 + wide * 10 + w: NAMED(SET, table_##tall##_##wide##_##w)(p, dst, src); break;
  switch (tall * 1000 + wide * 10 + w) {
    EACH_TABLE(TABLE)
    default: must_be(w, 8), NAMED(SET, LAST)(p, dst, src);
  }
#undef LAST
#undef TABLE
}
