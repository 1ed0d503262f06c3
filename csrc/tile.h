/* tile.h - transposed views, to be included after rows.h: elements of several source lines are
 * read at once and turned in registers. A source line here is the elements that loop `across`
 * steps through, and no cache line. The including file defines the type piece, a row of a tile,
 * load_piece, load_every2 and zip; if pieces have two lanes (HAS_PAIRED_PIECES), also load_halves;
 * and if the set has non-temporal stores, store_piece_nt.
 *
 * A tile has `high` = 16/w rows of `wide` = sizeof(piece)/w elements of w bytes. Its rows are what
 * it stores; element x of each comes from source line x.
 */

/* Transposes `high` pieces in place, lane by lane: before, element y of a lane of rows[i] is element
 * y of a source line; after, element i of that lane of rows[y] is. Each round interleaves pieces
 * half of `high` apart, and there are as many rounds as `high` can be halved. */
FN void zip_rows(piece *rows, int w) {
  const int n = 16 / w; /* with -fsanitize=undefined, gcc does not unroll a loop whose condition divides */
  piece next[16];
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

/* Makes the rows of a tile: for (y...high) for (x...wide) element x of rows[y] = that at
 * s + x*ss + y*sy, for sy of w or 2*w. If pieces have two lanes, the elements x >= high, which are in
 * the second lane, are those at s + apart + (x - high)*ss + y*sy. */
FN void tile_rows(piece *rows, const uint8_t *s, int64_t ss, int64_t apart, int64_t sy, int w) {
  const int n = 16 / w;
#pragma GCC unroll 16
  for (int i = 0; i < n; i++) rows[i] = sy == w ? load_piece(s + i * ss, apart) : load_every2(s + i * ss, apart, w);
  zip_rows(rows, w);
}

/* Turns a tile: for (y...high) for (x...wide) the element at d + y*ds + x*w = that at
 * s + x*ss + y*sy, for sy of w or 2*w */
FN void tile(uint8_t *d, int64_t ds, const uint8_t *s, int64_t ss, int64_t sy, int w) {
  const int n = 16 / w;
  piece rows[16];
  tile_rows(rows, s, ss, n * ss, sy, w);
#pragma GCC unroll 16
  for (int i = 0; i < n; i++) memcpy(d + i * ds, &rows[i], sizeof rows[i]);
}

#if HAS_PAIRED_PIECES
/* tile for sy of 2*w, which loads w bytes behind the last element of each source line. */
FN void tile_inside(uint8_t *d, int64_t ds, const uint8_t *s, int64_t ss, int w) {
  const int n = 16 / w;
  piece rows[16];
#pragma GCC unroll 16
  for (int i = 0; i < n; i++) rows[i] = load_halves(s + i * ss, n * ss, w);
  zip_rows(rows, w);
#pragma GCC unroll 8
  for (int i = 0; i < n / 2; i++) {
    const piece low = _mm256_permute2x128_si256(rows[i], rows[i + n / 2], 0x20), high = _mm256_permute2x128_si256(rows[i], rows[i + n / 2], 0x31);
    memcpy(d + i * ds, &low, sizeof low);
    memcpy(d + (i + n / 2) * ds, &high, sizeof high);
  }
}

/* Turns two tiles of elements of 8 bytes, one below the other: for (y...4) for (x...4) the element at
 * d + y*ds + x*8 = that at s + x*ss + y*8 */
FN void tile_square(uint8_t *d, int64_t ds, const uint8_t *s, int64_t ss) {
  piece lines[4], rows[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) lines[i] = _mm256_loadu_si256((const __m256i *)(s + i * ss));
#pragma GCC unroll 2
  for (int odd = 0; odd < 2; odd++) {
    const piece left = zip(lines[0], lines[1], 8, odd), right = zip(lines[2], lines[3], 8, odd);
    rows[odd] = _mm256_permute2x128_si256(left, right, 0x20);
    rows[odd + 2] = _mm256_permute2x128_si256(left, right, 0x31);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) memcpy(d + i * ds, &rows[i], sizeof rows[i]);
}
#endif

/* What tile does, but for any sy: gathers the elements of each row of the tile. */
FN void tile_apart(uint8_t *d, int64_t ds, const uint8_t *s, int64_t ss, int64_t sy, int w) {
  for (int y = 0; y < 16 / w; y++)
    for (int x = 0; x < (int)sizeof(piece); x += 16) store16(d + y * ds + x, gather(s + y * sy + x / w * ss, ss, w));
}

/* Runs `tile` along rows of n >= wide elements, with d and s moved by `wide` elements each time. If n
 * is no multiple of wide, the last tile ends with the rows and overlaps the one before. */
#define ALONG(n, wide, tile)                                 \
  for (;; n -= wide, d += sizeof(piece), s += wide * ss) {   \
    if (n < wide) d += (n - wide) * w, s += (n - wide) * ss; \
    tile;                                                    \
    if (n <= wide) break;                                    \
  }

/* Turns 16/w rows: for (y = 0; y < 16/w; y++) for (x = 0; x < n; x++)
 *   the element at d + y*ds + x*w = that at s + y*sy + x*ss
 * n is at least `wide`. `every` is 1 if sy is w, 2 if it is 2*w and 0 if it is anything else.
 * `inside` is true if the w bytes behind the last element of each source line may be loaded. */
FN void strip(uint8_t *d, int64_t ds, const uint8_t *s, int64_t ss, int64_t sy, int64_t n, int every, int inside, int w) {
  const int64_t wide = (int64_t)sizeof(piece) / w;
  (void)inside;
  if (every == 1) ALONG(n, wide, tile(d, ds, s, ss, w, w))
#if HAS_PAIRED_PIECES
  else if (every == 2 && inside) ALONG(n, wide, tile_inside(d, ds, s, ss, w))
#endif
  else if (every == 2) ALONG(n, wide, tile(d, ds, s, ss, 2 * w, w))
  else ALONG(n, wide, tile_apart(d, ds, s, ss, sy, w))
}

#if HAS_PAIRED_PIECES
/* strip for elements of 8 bytes and sy of 8, but with 4 rows. */
FN void strip_squares(uint8_t *d, int64_t ds, const uint8_t *s, int64_t ss, int64_t n) {
  enum { w = 8, wide = 4 };
  ALONG(n, wide, tile_square(d, ds, s, ss))
}
#endif

/* for (y = 0; y < across.extent; y++) for (x = 0; x < n; x++)
 *   the element at d + y*across.dst + x*w = that at s + y*across.src + x*ss
 * for n of at least `wide`. Rows are taken in bands that use about four cache lines of each source
 * line, and a band in blocks of `block` elements, few enough that the first-level cache keeps their
 * source. If the band or the block is no multiple of a tile, its last tile overlaps the one before.
 * `every` is strip's. */
FN void block_tiles(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, s1_dim across, int64_t block, int every, int w) {
  const int64_t high = 16 / w, sy = every ? every * w : across.src;
  const int64_t rows = (4 * S1_LINE / sy + high - 1) / high * high;
  for (int64_t yb = 0; yb < across.extent; yb += rows) {
    const int64_t y_end = yb + rows < across.extent ? yb + rows : across.extent;
    for (int64_t xb = 0; xb < n; xb += block) {
      const int64_t x = n - xb > block ? block : n - xb;
      const int64_t x0 = x < (int64_t)sizeof(piece) / w ? n - (int64_t)sizeof(piece) / w : xb;
      const int64_t count = n - x0 < block ? n - x0 : block;
      for (int64_t yt = yb; yt < y_end; yt += high) {
        const int64_t y = yt <= across.extent - high ? yt : across.extent - high;
        uint8_t *const o = d + (y * across.dst + x0 * w);
        const uint8_t *const i = s + (y * sy + x0 * ss);
#if HAS_PAIRED_PIECES
        if (w == 8 && every == 1 && y_end - yt >= 2 * high) {
          strip_squares(o, across.dst, i, ss, count);
          yt += high;
          continue;
        }
#endif
        strip(o, across.dst, i, ss, sy, count, every, y < across.extent - high, w);
      }
    }
  }
}

#if HAS_PAIRED_PIECES
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
#define EACH_FOLDED(d, y, across, fold, w, body)                                                \
  do {                                                                                          \
    int64_t left_ = (fold).extent - (y) % (fold).extent;                                        \
    uint8_t *o = (d) + ((y) / (fold).extent * (across).dst + (y) % (fold).extent * (fold).dst); \
    for (int i = 0; i < 16 / (w); i++) {                                                        \
      body;                                                                                     \
      o += (fold).dst;                                                                          \
      if (--left_ == 0) left_ = (fold).extent, o += (across).dst - left_ * (fold).dst;          \
    }                                                                                           \
  } while (0)

/* for (y = 0; y < across.extent * fold.extent; y++) for (x = 0; x < n; x++)
 *   element x of row y of the destination = that at s + y*w + x*ss
 * for n of at least `wide`, in bands and blocks as block_tiles takes them. EACH_FOLDED says where
 * row y is. */
FN void folded_tiles(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, s1_dim across, s1_dim fold, int64_t block, int w) {
  const int64_t high = 16 / w, wide = (int64_t)sizeof(piece) / w, end = across.extent * fold.extent, band = 4 * S1_LINE / w;
  for (int64_t yb = 0; yb < end; yb += band) {
    for (int64_t xb = 0; xb < n; xb += block) {
      for (int64_t yt = yb; yt < min_of(yb + band, end); yt += high) {
        const int64_t y = min_of(yt, end - high);
        uint8_t *at[16];
        EACH_FOLDED(d, y, across, fold, w, at[i] = o);
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

/* folded_tiles for n below 16/w and at most `lines`: the two lanes of a piece are two tiles, one below
 * the other. If rows follow each other without gaps, and the destination has 16 bytes from the last
 * row of a tile on, 16 bytes are stored for each row of the tile, and the next row overwrites what is
 * too much. Otherwise the n elements of each row are stored alone. */
FN void few_columns(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, s1_dim across, s1_dim fold, int w, int lines) {
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
        const uint8_t *const x = (const uint8_t *)rows + 16 * lane;
        if (bytes >= 8) EACH_FOLDED(d, first, across, fold, w, COPY_TWO(o, x + i * sizeof(piece), bytes, uint64_t));
        else if (bytes >= 4) EACH_FOLDED(d, first, across, fold, w, COPY_TWO(o, x + i * sizeof(piece), bytes, uint32_t));
        else EACH_FOLDED(d, first, across, fold, w, COPY_TWO(o, x + i * sizeof(piece), bytes, uint16_t));
      }
    }
  }
}

/* for (y = 0; y < across.extent; y++) for (x = 0; x < n * join.extent; x++)
 *   element x of row y of d = the element s + y*w + x/n*join.src + x%n*ss
 * for rows of at least a piece. The last tiles overlap those before. */
FN void joined_tiles(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, s1_dim across, s1_dim join, int w) {
  const int64_t high = 16 / w, wide = (int64_t)sizeof(piece) / w, end = n * join.extent, band = 4 * S1_LINE / w;
  for (int64_t yb = 0; yb < across.extent; yb += band) {
    for (int64_t xt = 0; xt < end; xt += wide) {
      const int64_t x = min_of(xt, end - wide);
      const uint8_t *from[sizeof(piece)], *next = s + (x / n * join.src + x % n * ss);
      int64_t left = n - x % n;
      for (int i = 0; i < (int)wide; i++) {
        from[i] = next, next += ss;
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

/* for (i = 0; i < n; i++) d[i] = x[i] */
FN void put_part(uint8_t *d, const uint8_t *x, int64_t n) {
  for (; n >= 16; n -= 16, d += 16, x += 16) store16(d, load16(x));
  for (; n >= 4; n -= 4, d += 4, x += 4) memcpy(d, x, 4);
  for (; n > 0; n--) *d++ = *x++;
}

/* Stores bytes [from, to) of the row at d, whose values are at x: whole lines by non-temporal stores,
 * the ragged ends by plain ones. */
FN void put_lines(uint8_t *d, int64_t from, int64_t to, const uint8_t *x) {
  const int64_t head = min_of(-(uintptr_t)(d + from) & (S1_LINE - 1), to - from);
  put_part(d + from, x, head);
  for (from += head, x += head; from <= to - S1_LINE; from += S1_LINE, x += S1_LINE)
    for (int i = 0; i < S1_LINE; i += V) store_nt(d + from + i, load(x + i));
  put_part(d + from, x, to - from);
}

/* Turns two tiles side by side, whose source lines are packed S1_LINE bytes apart, and stores each of
 * their 16/w rows as a whole line by non-temporal stores. d and ds are multiples of a line. */
FN void tiles_nt(uint8_t *d, int64_t ds, const uint8_t *lines, int w) {
  const int n = 16 / w;
  piece left[16], right[16];
  tile_rows(left, lines, S1_LINE, n * S1_LINE, w, w);
  tile_rows(right, lines + sizeof(piece) / w * S1_LINE, S1_LINE, n * S1_LINE, w, w);
#pragma GCC unroll 16
  for (int i = 0; i < n; i++) {
    store_piece_nt(d + i * ds, left[i]);
    store_piece_nt(d + i * ds + sizeof(piece), right[i]);
  }
}

/* Packs elements of w bytes: for (x...n) for (y...rows) that at lines + x*S1_LINE + y*w = that at
 * s + x*ss + y*sy. If the rows fill a line and sy is w or 2*w, it also prefetches what a later call
 * packs. */
FN void pack_lines(uint8_t *lines, const uint8_t *s, int64_t n, int64_t rows, int64_t ss, int64_t sy, int w, horizon h) {
  if (rows == S1_LINE / w && sy == w) {
    for (int64_t x = 0; x < n; x++, s += ss) {
      fetch(s, h);
      for (int i = 0; i < S1_LINE; i += V) store(lines + x * S1_LINE + i, load(s + i));
    }
  } else if (rows == S1_LINE / w && sy == 2 * w) {
    for (int64_t x = 0; x < n; x++, s += ss) {
      fetch(s, h), fetch(s + S1_LINE, h);
      for (int i = 0; i < S1_LINE; i += sizeof(piece)) {
        const piece every2 = load_every2(s + 2 * i, sizeof(piece), w);
        memcpy(lines + x * S1_LINE + i, &every2, sizeof every2);
      }
    }
  } else {
    for (int64_t x = 0; x < n; x++, s += ss)
      for (int64_t y = 0; y < rows; y++) memcpy(lines + x * S1_LINE + y * w, s + y * sy, (size_t)w);
  }
}

/* block_tiles by non-temporal stores, in blocks of 256 bytes of up to 64/w rows. A block's source is
 * packed first: if source lines are a multiple of many cache lines apart, little of the first-level
 * cache is left to them. Then tiles_nt stores whole lines straight from the tiles, if elements have
 * more than one byte, all rows begin at a line, and the block is whole lines of 64/w rows. In all
 * other blocks the rows are assembled in `made` and put_lines stores them: of each row the lines
 * that begin in the block, for which it makes up to a line more than it is wide. */
FN void block_tiles_nt(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, s1_dim across, int w, horizon h) {
  enum { WIDE = 256, PITCH = WIDE + S1_LINE };
  uint8_t lines[PITCH * S1_LINE], made[S1_LINE * PITCH];
  const int64_t high = 16 / w, tall = S1_LINE / w, end = n * w, sy = across.src;
  const int64_t more = ((uintptr_t)d | (uint64_t)across.dst) & (S1_LINE - 1) ? S1_LINE : 0;
  for (int64_t xb = 0; xb < end; xb += WIDE) {
    const int64_t last = min_of(xb + WIDE + more, end), first = min_of(xb, last - (int64_t)sizeof(piece)), count = (last - first) / w;
    const int aligned = w > 1 && more == 0 && (last - first) % S1_LINE == 0;
    for (int64_t yb = 0; yb < across.extent; yb += tall) {
      const int64_t y0 = min_of(yb, across.extent - high), rows = min_of(tall, across.extent - y0);
      pack_lines(lines, s + (first / w * ss + y0 * sy), count, rows, ss, sy, w, h);
      const int whole = aligned && rows == tall;
      uint8_t *const top = d + y0 * across.dst;
      for (int64_t y = 0; y < rows; y += high) {
        const int64_t at = min_of(y, rows - high);
        if (whole)
          for (int64_t x = 0; x < count; x += tall) tiles_nt(top + at * across.dst + first + x * w, across.dst, lines + x * S1_LINE + at * w, w);
        else strip(made + at * PITCH, PITCH, lines + at * w, S1_LINE, w, count, 1, 0, w);
      }
      for (int64_t y = 0; !whole && y < rows; y++) {
        uint8_t *const row = top + y * across.dst;
        const int64_t begin = xb ? xb + (int64_t)(-(uintptr_t)(row + xb) & (S1_LINE - 1)) : 0;
        const int64_t stop = xb + WIDE < end ? min_of(end, xb + WIDE + (int64_t)(-(uintptr_t)(row + xb + WIDE) & (S1_LINE - 1))) : end;
        if (begin < stop) put_lines(row, begin, stop, made + y * PITCH + (begin - first));
      }
    }
  }
}

FN void run_tile_nt(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  const horizon h = horizon_of(p, src);
  EACH_ROW_BY_WIDTH(p, dst, src, block_tiles_nt(d, s, n, ss, p->tiles.across, w, h));
  fence_nt();
}
#endif

FN void run_tile(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  const s1_tiles *t = &p->tiles;
  if (t->across.src == p->width) EACH_ROW_BY_WIDTH(p, dst, src, block_tiles(d, s, n, ss, t->across, t->block, 1, w));
  else if (t->across.src == 2 * p->width) EACH_ROW_BY_WIDTH(p, dst, src, block_tiles(d, s, n, ss, t->across, t->block, 2, w));
  else EACH_ROW_BY_WIDTH(p, dst, src, block_tiles(d, s, n, ss, t->across, t->block, 0, w));
}

#if HAS_PAIRED_PIECES
FN void run_narrow(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  const s1_dim across = p->tiles.across;
  switch (p->width) { /* the planner makes no narrow rows of elements of 8 bytes */
    case 1: EACH_ROW_OF(1, p, dst, src, narrow_tiles(d, s, n, ss, across, w)); break;
    case 2: EACH_ROW_OF(2, p, dst, src, narrow_tiles(d, s, n, ss, across, w)); break;
    default: EACH_ROW_OF(4, p, dst, src, narrow_tiles(d, s, n, ss, across, w));
  }
}

FN void run_folded(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  const s1_tiles *t = &p->tiles;
#define WIDE(width) EACH_ROW_OF(width, p, dst, src, folded_tiles(d, s, n, ss, t->across, t->fold, t->block, w))
#define FEW(width, lines) EACH_ROW_OF(width, p, dst, src, few_columns(d, s, n, ss, t->across, t->fold, w, lines))
  const int wide = p->row.extent >= (int64_t)sizeof(piece) / p->width;
  switch (wide ? p->width : p->width == 1 && p->row.extent <= 8 ? 8 : p->width + 8) { /* the planner folds no elements of 8 bytes */
    case 1: WIDE(1); break;
    case 2: WIDE(2); break;
    case 4: WIDE(4); break;
    case 8: FEW(1, 8); break;
    case 9: FEW(1, 16); break;
    case 10: FEW(2, 8); break;
    default: FEW(4, 4);
  }
#undef FEW
#undef WIDE
}

FN void run_joined(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  EACH_ROW_BY_WIDTH(p, dst, src, joined_tiles(d, s, n, ss, p->tiles.across, p->tiles.join, w));
}
#endif
