/* views.h - further transposed views, for sets whose pieces have two lanes, to be included after tile.h and
 * stream.h: rows shorter than a piece, rows whose loop across the lines of the source is two loops, rows
 * that are two loops, and tiles by non-temporal stores.
 */

/* for (y = 0; y < across.extent; y++) for (x = 0; x < n; x++)
 *   the element at d + y*across.dst + x*w = that at s + y*across.src + x*ss
 * for n of at least 16/w and less than 32/w, and across.src of w or 2*w. The two lanes of a piece are
 * stored where the row begins and where it ends, so that they overlap. */
FN void narrow_tiles(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, s1_dim across, int w) {
  const int64_t high = 16 / w, second = n - high;
  for (int64_t yt = 0; yt < across.extent; yt += high) {
    const int64_t y = min_of(yt, across.extent - high);
    piece rows[16];
    if (across.src == w) tile_rows(rows, s + y * w, ss, second * ss, w, w);
    else tile_rows(rows, s + y * 2 * w, ss, second * ss, 2 * w, w);
#pragma GCC unroll 16
    for (int i = 0; i < (int)high; i++) {
      uint8_t *const o = d + (y + i) * across.dst;
      memcpy(o, &rows[i], 16);
      memcpy(o + second * w, (const uint8_t *)&rows[i] + 16, 16);
    }
  }
}

/* Runs `body` with i from 0 to 16/w - 1 and with o at row y+i of the destination, where two loops
 * count the rows: row r is at d + r / fold.extent * across.dst + r % fold.extent * fold.dst. */
#define EACH_FOLDED(d, y, across, fold, high, body)                                             \
  do {                                                                                          \
    int64_t left_ = (fold).extent - (y) % (fold).extent;                                        \
    uint8_t *o = (d) + ((y) / (fold).extent * (across).dst + (y) % (fold).extent * (fold).dst); \
    for (int i = 0; i < (high); i++) {                                                          \
      body;                                                                                     \
      o += (fold).dst;                                                                          \
      if (--left_ == 0) left_ = (fold).extent, o += (across).dst - left_ * (fold).dst;          \
    }                                                                                           \
  } while (0)

/* for (y = 0; y < across.extent * fold.extent; y++) for (x = 0; x < n; x++)
 *   element x of row y of the destination = that at s + y*w + x*ss
 * for n of at least `wide`, in bands and blocks as block_tiles takes them. EACH_FOLDED says where
 * row y is. */
FN void folded_tiles(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, const s1_tiles *t, int w) {
  const s1_dim across = t->across, fold = t->fold;
  const int64_t high = 16 / w, wide = (int64_t)sizeof(piece) / w, end = across.extent * fold.extent, band = t->band, block = t->block;
  for (int64_t yb = 0; yb < end; yb += band) {
    for (int64_t xb = 0; xb < n; xb += block) {
      for (int64_t yt = yb; yt < min_of(yb + band, end); yt += high) {
        const int64_t y = min_of(yt, end - high);
        uint8_t *at[16];
        EACH_FOLDED(d, y, across, fold, (int)high, at[i] = o);
        for (int64_t xt = xb; xt < min_of(xb + block, n); xt += wide) {
          const int64_t x = min_of(xt, n - wide);
          piece rows[16];
          tile_rows(rows, s + (y * w + x * ss), ss, high * ss, w, w);
#pragma GCC unroll 16
          for (int i = 0; i < (int)high; i++) memcpy(at[i] + x * w, &rows[i], sizeof rows[i]);
        }
      }
    }
  }
}

/* Stores the first `bytes` bytes of the lane at x of each of `high` pieces to row y and the rows that follow it. */
static __attribute__((noinline)) ISA void store_folded(uint8_t *d, int64_t y, s1_dim across, s1_dim fold, const uint8_t *x, int64_t bytes, int high) {
  if (bytes >= 8) EACH_FOLDED(d, y, across, fold, high, COPY_TWO(o, x + i * sizeof(piece), bytes, uint64_t));
  else if (bytes >= 4) EACH_FOLDED(d, y, across, fold, high, COPY_TWO(o, x + i * sizeof(piece), bytes, uint32_t));
  else EACH_FOLDED(d, y, across, fold, high, COPY_TWO(o, x + i * sizeof(piece), bytes, uint16_t));
}

/* folded_tiles for n below 16/w and at most `lines`: the two lanes of a piece are two tiles, one below
 * the other. If rows follow each other without gaps, and the destination has 16 bytes from the last
 * row of a tile on, 16 bytes are stored for each row of the tile, and the next row overwrites what is
 * too much. Otherwise the n elements of each row are stored alone. */
FN void few_columns(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, const s1_tiles *t, int w, int lines) {
  const s1_dim across = t->across, fold = t->fold;
  const int64_t bytes = n * w, end = across.extent * fold.extent;
  const int high = 16 / w, chained = fold.extent == 1 && across.dst == bytes;
  for (int64_t yt = 0; yt < end; yt += 2 * high) {
    const int64_t y = min_of(yt, end - high), second = min_of(high, end - high - y);
    piece rows[16];
#pragma GCC unroll 16
    for (int i = 0; i < high; i++) rows[i] = i < lines ? load_piece(s + (y * w + min_of(i, n - 1) * ss), second * w) : rows[0];
    zip_rows(rows, w);
#pragma GCC unroll 2
    for (int lane = 0; lane < 2; lane++) {
      const int64_t first = y + lane * second;
      if (chained && (end - first - high + 1) * bytes >= 16) {
#pragma GCC unroll 16
        for (int i = 0; i < high; i++) memcpy(d + (first + i) * bytes, (const uint8_t *)&rows[i] + 16 * lane, 16);
      } else {
        store_folded(d, first, across, fold, (const uint8_t *)rows + 16 * lane, bytes, high);
      }
    }
  }
}

/* folded_tiles or, for rows of less than `wide`, few_columns. */
FN void folded_view(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, const s1_tiles *t, int w) {
  if (n >= (int64_t)sizeof(piece) / w) folded_tiles(d, s, n, ss, t, w);
  else if (w == 1 && n <= 8) few_columns(d, s, n, ss, t, w, 8);
  else few_columns(d, s, n, ss, t, w, 16 / w);
}

/* for (y = 0; y < across.extent; y++) for (x = 0; x < n * join.extent; x++)
 *   element x of row y of d = the element s + y*w + x/n*join.src + x%n*ss
 * for rows of at least a piece. The last tiles overlap those before. */
FN void joined_tiles(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, const s1_tiles *t, int w) {
  const s1_dim across = t->across, join = t->join;
  const int64_t high = 16 / w, wide = (int64_t)sizeof(piece) / w, end = n * join.extent, band = t->band;
  for (int64_t yb = 0; yb < across.extent; yb += band) {
    for (int64_t xt = 0; xt < end; xt += wide) {
      const int64_t x = min_of(xt, end - wide);
      const uint8_t *from[sizeof(piece)], *next = s + (x / n * join.src + x % n * ss);
      int64_t left = n - x % n;
      for (int i = 0;; next += ss) {
        from[i++] = next;
        if (i == (int)wide) break;
        if (--left == 0) left = n, next += join.src - n * ss;
      }
      for (int64_t yt = yb; yt < min_of(yb + band, across.extent); yt += high) {
        const int64_t y = min_of(yt, across.extent - high);
        piece rows[16];
#pragma GCC unroll 16
        for (int i = 0; i < (int)high; i++) rows[i] = load_piece(from[i] + y * w, from[i + high] - from[i]);
        zip_rows(rows, w);
#pragma GCC unroll 16
        for (int i = 0; i < (int)high; i++) memcpy(d + ((y + i) * across.dst + x * w), &rows[i], sizeof rows[i]);
      }
    }
  }
}

/* The planner makes no narrow rows of elements of 8 bytes, and folds none. */
FN void run_narrow(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  const int64_t n = p->row.extent, ss = p->row.src;
  EACH_ROW(p, dst, src, BY_WIDTH_TO_4(p->width, narrow_tiles(d, s, n, ss, p->tiles.across, w)));
}

FN void run_folded(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  const int64_t n = p->row.extent, ss = p->row.src;
  EACH_ROW(p, dst, src, BY_WIDTH_TO_4(p->width, folded_view(d, s, n, ss, &p->tiles, w)));
}

FN void run_joined(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  const int64_t n = p->row.extent, ss = p->row.src;
  EACH_ROW(p, dst, src, BY_WIDTH(p->width, joined_tiles(d, s, n, ss, &p->tiles, w)));
}

/* Packs elements of w bytes: for (x...n) for (y...rows) that at lines + x*S1_LINE + y*w = that at
 * s + x*ss + y*sy. If the rows fill a line and sy is w or 2*w, it also prefetches what a later call
 * packs. */
FN void pack_lines(uint8_t *lines, const uint8_t *s, int64_t n, int64_t rows, int64_t ss, int64_t sy, int w, horizon h) {
  if (rows == S1_LINE / w && sy == w) {
    for (int64_t x = 0; x < n; x++) {
      fetch(s, x * ss, h);
      for (int i = 0; i < S1_LINE; i += V) store(lines + x * S1_LINE + i, load(s + (x * ss + i)));
    }
  } else if (rows == S1_LINE / w && sy == 2 * w) {
    for (int64_t x = 0; x < n; x++) {
      fetch(s, x * ss, h), fetch(s, x * ss + S1_LINE, h);
      for (int i = 0; i < S1_LINE; i += sizeof(piece)) {
        const piece every2 = load_every2(s + (x * ss + 2 * i), sizeof(piece), w);
        memcpy(lines + x * S1_LINE + i, &every2, sizeof every2);
      }
    }
  } else {
    for (int64_t x = 0; x < n; x++)
      for (int64_t y = 0; y < rows; y++) memcpy(lines + x * S1_LINE + y * w, s + (x * ss + y * sy), (size_t)w);
  }
}

/* block_tiles by non-temporal stores, in blocks of 256 bytes of up to 64/w rows. A block's source is
 * packed first: if source lines are a multiple of many cache lines apart, little of the first-level
 * cache is left to them. Then the rows are assembled in `made`, and of each row the lines are stored
 * that begin in the block, for which it makes up to a line more than it is wide. */
FN void block_tiles_nt(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, s1_dim across, int width, horizon h) {
  enum { WIDE = 256, PITCH = WIDE + S1_LINE };
  uint8_t lines[PITCH * S1_LINE], made[S1_LINE * PITCH];
  const int64_t high = 16 / width, tall = S1_LINE / width, end = n * width;
  const int64_t more = ((uintptr_t)d | (uint64_t)across.dst) & (S1_LINE - 1) ? S1_LINE : 0;
  for (int64_t xb = 0; xb < end; xb += WIDE) {
    const int64_t last = min_of(xb + WIDE + more, end), first = min_of(xb, last - (int64_t)sizeof(piece)), count = (last - first) / width;
    for (int64_t yb = 0; yb < across.extent; yb += tall) {
      const int64_t y0 = min_of(yb, across.extent - high), rows = min_of(tall, across.extent - y0);
      BY_WIDTH(width, {
        pack_lines(lines, s + (first / w * ss + y0 * across.src), count, rows, ss, across.src, w, h);
        for (int64_t y = 0; y < rows; y += high) {
          const int64_t at = min_of(y, rows - high);
          strip(made + at * PITCH, PITCH, lines + at * w, S1_LINE, w, count, 1, 0, w);
        }
      });
      for (int64_t y = 0; y < rows; y++) {
        uint8_t *const row = d + (y0 + y) * across.dst;
        const int64_t begin = xb ? xb + (int64_t)(-(uintptr_t)(row + xb) & (S1_LINE - 1)) : 0;
        const int64_t stop = xb + WIDE < end ? min_of(end, xb + WIDE + (int64_t)(-(uintptr_t)(row + xb + WIDE) & (S1_LINE - 1))) : end;
        if (begin < stop) PUT_LINES(row + begin, made + (y * PITCH + (begin - first)), stop - begin, NO_FETCH);
      }
    }
  }
}

FN void run_tile_nt(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  const horizon h = horizon_of(p, src);
  EACH_ROW(p, dst, src, block_tiles_nt(d, s, p->row.extent, p->row.src, p->tiles.across, p->width, h));
  _mm_sfence();
}
