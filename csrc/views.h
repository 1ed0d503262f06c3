/* views.h - transposed views by non-temporal stores, for sets whose vectors have two lanes. */

/* Packs elements of w bytes: for (x < n) for (y < rows) the element at lines + x*S1_LINE + y*w =
 * the element at s + x*ss + y*sy. If the rows fill a line and sy is w or 2*w, it also prefetches
 * what a later call packs. */
FN void pack_lines(uint8_t *lines, const uint8_t *s, int64_t n, int64_t rows, int64_t ss, int64_t sy, int w, prefetcher h) {
  if (rows == S1_LINE / w && sy == w) {
    for (int64_t x = 0; x < n; x++) {
      prefetch(s, x * ss, h);
      for (int i = 0; i < S1_LINE; i += V) store(lines + x * S1_LINE + i, load(s + (x * ss + i)));
    }
  } else if (rows == S1_LINE / w && sy == 2 * w) {
    for (int64_t x = 0; x < n; x++) {
      prefetch(s, x * ss, h), prefetch(s, x * ss + S1_LINE, h);
      for (int i = 0; i < S1_LINE; i += V) {
        const uint8_t *const lo = s + (x * ss + 2 * i);
        store(lines + x * S1_LINE + i, load_every2(lo, lo + V, w));
      }
    }
  } else {
    for (int64_t x = 0; x < n; x++)
      for (int64_t y = 0; y < rows; y++) memcpy(lines + x * S1_LINE + y * w, s + (x * ss + y * sy), (size_t)w);
  }
}

/* Bytes of a row of a block, and the same with room for another line. */
enum { WIDE = 256, PITCH = WIDE + S1_LINE };

/* Transposes packed elements: for (y < high) for (x < 64/w) element x of the line at d + y*ds =
 * element y of the line at lines + x*S1_LINE. */
FN void line_of_tiles(uint8_t *d, int64_t ds, const uint8_t *lines, int w) {
  const int n = 16 / w, half = V;
  vec left[16], right[16];
  tile_rows(left, lines, S1_LINE, n * S1_LINE, w, w);
  tile_rows(right, lines + half / w * S1_LINE, S1_LINE, n * S1_LINE, w, w);
#pragma GCC unroll 16
  for (int i = 0; i < n; i++) {
    store_nt(d + i * ds, left[i]), compiler_barrier();
    store_nt(d + (i * ds + half), right[i]), compiler_barrier();
  }
}

/* A block of a transposed view: `count` elements of each of `rows` rows. Strides are as in
 * pack_lines, and ds leads from row to row of the destination. If `direct`, whole lines are stored
 * there, else rows of `assembled`, PITCH bytes apart. */
typedef struct {
  int64_t count, rows, ss, sy, ds;
  int direct;
} block_of_view;

/* Transposes the block b of elements of w bytes from s to d. They are packed in `lines` first. */
FN void pack_and_turn(const block_of_view *b, uint8_t *d, const uint8_t *s, uint8_t *assembled, uint8_t *lines, prefetcher h, int w) {
  const int64_t high = 16 / w, per_line = S1_LINE / w;
  pack_lines(lines, s, b->count, b->rows, b->ss, b->sy, w, h);
  for (int64_t y = 0; y < b->rows; y += high) {
    const int64_t top_row = min_of(y, b->rows - high);
    if (!b->direct) strip(assembled + top_row * PITCH, PITCH, lines + top_row * w, S1_LINE, w, b->count, ADJACENT, w);
    else
      for (int64_t x = 0; x < b->count; x += per_line) line_of_tiles(d + (top_row * b->ds + x * w), b->ds, lines + (x * S1_LINE + top_row * w), w);
  }
}

/* Does what block_tiles does by non-temporal stores, in blocks of 256 bytes of up to 64/w rows. A
 * block's source is packed first: source lines that lie a multiple of many cache lines apart
 * compete for few places in the first-level cache. If the rows of a block are whole lines, these
 * are stored straight from the tiles. Otherwise `assembled` gets the rows. Then the block
 * stores the lines of each row that begin in it, so it makes up to a line more than its width. */
FN void block_tiles_nt(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, s1_dim across, int width, prefetcher h) {
  uint8_t lines[PITCH * S1_LINE], assembled[S1_LINE * PITCH];
  const int64_t high = 16 / width, per_line = S1_LINE / width, end = n * width;
  const int64_t spill = ((uintptr_t)d | (uint64_t)across.dst) & (S1_LINE - 1) ? S1_LINE : 0;
  for (int64_t xb = 0; xb < end; xb += WIDE) {
    const int64_t last = min_of(xb + WIDE + spill, end), first = min_of(xb, last - V), count = (last - first) / width;
    const int direct = spill == 0 && (last - first) % S1_LINE == 0;
    for (int64_t yb = 0; yb < across.extent; yb += per_line) {
      const int64_t y0 = min_of(yb, across.extent - high), rows = min_of(per_line, across.extent - y0);
      uint8_t *const top = d + y0 * across.dst;
      const uint8_t *const block = s + (first / width * ss + y0 * across.src);
      const block_of_view b = {count, rows, ss, across.src, across.dst, direct};
      BY_WIDTH(width, pack_and_turn, &b, top + first, block, assembled, lines, h);
      for (int64_t y = 0; y < rows && !direct; y++) {
        uint8_t *const row = top + y * across.dst;
        const int64_t begin = xb ? xb + (int64_t)(-(uintptr_t)(row + xb) & (S1_LINE - 1)) : 0;
        const int64_t stop = xb + WIDE < end ? min_of(end, xb + WIDE + (int64_t)(-(uintptr_t)(row + xb + WIDE) & (S1_LINE - 1))) : end;
        if (begin < stop) store_lines(row + begin, assembled + (y * PITCH + (begin - first)), stop - begin, (prefetcher){0});
      }
    }
  }
}

FN void run_tile_nt(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  const prefetcher h = prefetcher_of(p, src);
  row_cursor r = FIRST_ROW(p, dst, src);
  do block_tiles_nt(r.d, r.s, p->row.extent, p->row.src, p->tiles.across, p->width, h);
  while (next_row(&r));
  end_stores();
}
