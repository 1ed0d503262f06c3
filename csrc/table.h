/* table.h - transposed views of few elements on a side, and those that two loops make on one of them, to be
 * included after tile.h. An example is pictures of 10 x 13 bytes, each turned to 13 rows of 10. A source line is
 * as in tile.h; a row is one of the destination.
 *
 * A tile takes `tall` bytes of each of some lines to `wide` bytes of each of some rows, both powers of two. One
 * table says where its lines are, another one where its rows are, in bytes. So lines and rows may lie anywhere,
 * and those of two loops are as those of one. Lines of 10 bytes make two tiles of 8: one has bytes 0 to 7,
 * the other one bytes 2 to 9. So nothing beyond a line is loaded, and nothing beyond a row stored. Tiles that
 * overlap store the same.
 *
 * If pieces have two lanes and rows are shorter than a piece, each lane has a tile of its own: one the
 * beginnings of rows, the other one their ends, or, if rows have no more than `wide` bytes, the first half of the
 * rows and the second one.
 */

enum { PIECE = sizeof(piece), PIECES = PIECE / S1_LANE, TABLED = 64 };

/* Of views: n lines, and m rows, those of the first lane. The second lane of a tile begins `beside` lines and `below`
 * rows behind the first, which is what the lane_ fields say in bytes and entries. If one loop makes the lines, the table
 * of a tile's serves all, and src leads from one to the next. Else the table has all of them, if these are at most TABLED,
 * or is made anew for each tile. The same holds for rows and dst. */
typedef struct {
  int64_t n, m, beside, below, src, dst, lane_src, lane_dst, lane_from, lane_to;
  int all_lines, all_rows;
  int64_t from[TABLED], to[TABLED]; /* where lines and rows are, in bytes */
} table;

/* for (i = 0; i < n; i++) at[i] = (first + i)/extent*outer + (first + i)%extent*inner */
static __attribute__((noinline)) void offsets(int64_t *at, int64_t n, int64_t first, int64_t extent, int64_t inner, int64_t outer) {
  int64_t next = first / extent * outer + first % extent * inner;
  for (int64_t i = 0, left = extent - first % extent; i < n; i++) {
    at[i] = next, next += inner;
    if (--left == 0) left = extent, next += outer - extent * inner;
  }
}

/* Sets the table of the lines of the tile from line x on, and that of the rows of the tile from row y on. */
FN void set_lines(table *t, const s1_program *p, int64_t x, int lines) { offsets(t->from, lines * PIECES, x, p->row.extent, p->row.src, p->tiles.join.src); }
FN void set_rows(table *t, const s1_program *p, int64_t y, int rows) {
  const s1_dim outer = p->tiles.across, fold = p->tiles.fold;
  offsets(t->to, rows, y, fold.extent, fold.dst, outer.dst);
  if (PIECES == 2) offsets(t->to + rows, rows, y + t->below, fold.extent, fold.dst, outer.dst);
}

/* for (i = 0; i < bytes; i++) d[i] = byte `at` + i of a lane of x, for `bytes` of 2, 4, 8 or 16. */
FN void store_part(uint8_t *d, piece x, int lane, int at, int bytes) {
  typedef uint16_t v2 __attribute__((vector_size(16)));
  typedef uint32_t v4 __attribute__((vector_size(16)));
  typedef uint64_t v8 __attribute__((vector_size(16)));
  const vec16 v = lane_of(x, lane);
  uint64_t part;
  switch (bytes) {
    case 2: part = ((v2)v)[at / 2]; break;
    case 4: part = ((v4)v)[at / 4]; break;
    case 8: part = ((v8)v)[at / 8]; break;
    default: store16(d, v); return;
  }
  memcpy(d, &part, (size_t)bytes);
}

/* Turns a tile, or one in each lane: element y of line x, both counted from the tile's first, goes to element x
 * of row y. `every` is 1 if the elements of a line are adjacent, 2 if they are every second one. */
FN void table_tile(uint8_t *d, const int64_t *to, const uint8_t *s, const int64_t *from, const table *t, int every, int tall, int wide, int w) {
  const int each = wide < 16 ? wide : 16, lines = each / w, rows = tall / w;
  const uint8_t *const s2 = s + t->lane_src;
  const int64_t *const from2 = from + t->lane_from, *const to2 = to + t->lane_to;
  uint8_t *const d2 = d + t->lane_dst;
  piece x[16];
#pragma GCC unroll 16
  for (int i = 0; i < lines; i++) {
    const uint8_t *const lo = s + from[i], *const hi = PIECES == 2 ? s2 + from2[i] : lo;
    x[i] = every == 2 ? load_every2(lo, hi - lo, w) : load_parts(lo, hi, tall);
  }
  zip_rows(x, lines, w);
#pragma GCC unroll 16
  for (int y = 0; y < rows; y++) {
    const int k = y * each / 16, at = y * each % 16;
    if (wide == PIECE) memcpy(d + to[y], &x[k], sizeof x[k]);
    else store_part(d + to[y], x[k], 0, at, each);
  }
#pragma GCC unroll 16
  for (int y = 0; y < rows && PIECES == 2 && wide < PIECE; y++) store_part(d2 + to2[y], x[y * each / 16], 1, y * each % 16, each);
}

/* The view at d and s, one of p, in tiles of `tall` by `wide` bytes. The last tiles overlap those before. Tiles are taken
 * in bands of rows, and there down one line after the other, or, if rows are folded, in blocks along one row after the
 * other. */
FN void table_view(uint8_t *d, const uint8_t *s, table *t, const s1_program *p, int every, int tall, int wide, int w) {
  const s1_tiles *const b = &p->tiles;
  const int lines = (wide < 16 ? wide : 16) / w, high = tall / w, joined = b->join.extent > 1, folded = b->fold.extent > 1;
  const int64_t n = t->n, m = t->m, src = t->src, dst = t->dst, next = wide / w;
  const int all_lines = joined && t->all_lines, all_rows = folded && t->all_rows, new_rows = folded && !all_rows;
  const int64_t band = b->band, block = b->block ? b->block : n;
#define TILE(x, y)                                                                                                          \
  table_tile(d + ((y)*dst + (x)*w), t->to + (all_rows ? (y) : 0), s + ((y)*every * w + (x)*src), t->from + (all_lines ? (x) : 0), \
             t, every, tall, wide, w)
  if (PIECES == 2 && wide < PIECE) {
    for (int64_t yt = 0; yt < m; yt += high) {
      const int64_t y = min_of(yt, m - high);
      if (new_rows) set_rows(t, p, y, high);
      TILE(0, y);
    }
    return;
  }
  for (int64_t yb = 0; yb < m; yb += band) {
    const int64_t y_end = min_of(yb + band, m);
    for (int64_t xb = 0; xb < n; xb += block) {
      const int64_t x_end = min_of(xb + block, n);
      for (int64_t xt = xb, yt = yb;;) {
        const int64_t x = min_of(xt, n - next), y = min_of(yt, m - high);
        if (joined && !all_lines && (folded || yt == yb)) set_lines(t, p, x, lines);
        if (new_rows && xt == xb) set_rows(t, p, y, high);
        TILE(x, y);
        if (folded) {
          if ((xt += next) < x_end) continue;
          xt = xb, yt += high;
          if (yt >= y_end) break;
        } else {
          if ((yt += high) < y_end) continue;
          yt = yb, xt += next;
          if (xt >= x_end) break;
        }
      }
    }
  }
#undef TILE
}

/* All views of p. */
FN void table_views(const s1_program *p, uint8_t *dst, const uint8_t *src, int every, int tall, int wide, int w) {
  const s1_tiles *const b = &p->tiles;
  const int lines = (wide < 16 ? wide : 16) / w, high = tall / w, joined = b->join.extent > 1, folded = b->fold.extent > 1;
  const int64_t n = p->row.extent * b->join.extent, rows = b->across.extent * b->fold.extent;
  table t = {.n = n, .m = rows, .src = joined ? 0 : p->row.src, .dst = folded ? 0 : b->across.dst};
  if (wide == PIECE) {
    t.beside = lines;
  } else if (PIECES == 2 && n > lines) {
    t.beside = n - lines;
  } else if (PIECES == 2) {
    t.m = (rows + 1) / 2 < high ? high : (rows + 1) / 2;
    t.below = rows - t.m;
  }
  t.all_lines = n <= TABLED, t.all_rows = rows <= TABLED;
  t.lane_src = t.beside * t.src + t.below * every * w, t.lane_dst = t.beside * w + t.below * t.dst;
  t.lane_from = joined ? t.beside : 0, t.lane_to = !folded ? 0 : t.all_rows ? t.below : high;
  if (joined && t.all_lines) offsets(t.from, n, 0, p->row.extent, p->row.src, b->join.src);
  else
    for (int i = 0; i < lines; i++) t.from[i] = i * p->row.src;
  if (folded && t.all_rows) offsets(t.to, rows, 0, b->fold.extent, b->fold.dst, b->across.dst);
  else
    for (int i = 0; i < high; i++) t.to[i] = i * b->across.dst;
  EACH_ROW(p, dst, src, {
    if (b->ahead == 1) prefetch_next(p, d, s);
    table_view(d, s, &t, p, every, tall, wide, w);
  });
}

/* EACH_TABLE(X) is X(tall, wide, w) for each tile that there is, but those of every second element of a line. */
#define SHORT_ROWS(X)                                                                                         \
  X(4, 4, 1) X(4, 8, 1) X(4, 16, 1) X(8, 4, 1) X(8, 8, 1) X(8, 16, 1) X(16, 2, 1) X(16, 4, 1) X(16, 8, 1) X(16, 16, 1) \
  X(8, 4, 2) X(8, 8, 2) X(8, 16, 2) X(16, 4, 2) X(16, 8, 2) X(16, 16, 2) X(16, 8, 4) X(16, 16, 4) X(16, 16, 8)
#if HAS_PAIRED_PIECES
#define EACH_TABLE(X) SHORT_ROWS(X) X(4, 32, 1) X(8, 32, 1) X(16, 32, 1) X(8, 32, 2) X(16, 32, 2) X(16, 32, 4) X(16, 32, 8)
#else
#define EACH_TABLE(X) SHORT_ROWS(X)
#endif

/* A function for each tile, so that its stack frame is no larger than it needs. */
#define TABLE(tall, wide, w)                                                                                                                 \
  static __attribute__((noinline)) ISA void NAMED(SET, table_##tall##_##wide##_##w)(const s1_program *p, uint8_t *dst, const uint8_t *src) { \
    table_views(p, dst, src, 1, tall, wide, w);                                                                                              \
  }
EACH_TABLE(TABLE)
#undef TABLE

static __attribute__((noinline)) ISA void NAMED(SET, table_every2)(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  BY_WIDTH_TO_4(p->width, table_views(p, dst, src, 2, 16, 16, w));
}

/* The largest power of two that is at most n, from 2 to `most`. */
FN int power_of(int64_t n, int most) {
  int power = 2;
  while (power < most && 2 * power <= n) power *= 2;
  return power;
}

/* Lines have at least 4 elements and 4 bytes; rows have at least 2 elements, and 4 if lines have less than 16 bytes. If every second
 * element of lines is taken, both have 16 bytes or more, and rows less than a piece. */
FN void run_table(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  const int w = p->width;
  const int tall = power_of(p->tiles.across.extent * p->tiles.fold.extent * w, 16), wide = power_of(p->row.extent * p->tiles.join.extent * w, PIECE);
#define TABLE(tall, wide, w) \
  case tall * 1000 + wide * 10 + w: NAMED(SET, table_##tall##_##wide##_##w)(p, dst, src); break;
  if (p->tiles.across.src == 2 * w) NAMED(SET, table_every2)(p, dst, src);
  else
    switch (tall * 1000 + wide * 10 + w) { EACH_TABLE(TABLE) }
#undef TABLE
}
