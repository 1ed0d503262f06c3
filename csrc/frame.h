/* frame.h - rows of pixels to luma and chroma, the inverse of ycbcr.h.
 *
 * A pixel of four bytes becomes two pairs of words: red and blue, and green twice. For example,
 * luma of full-range BT.601 is, in 65536ths,
 *
 *   19595*red + 7471*blue  +  16384*green + 22086*green
 *
 * since no word holds 38470. A sample of chroma is offset - factors, where a factor is -32768 at
 * least. Pairs of words are added without carries: a cell has at most 4 pixels, and 4*255 fits.
 *
 * Where the last cell of a row has fewer pixels, its last pixel counts for them. The sum is then
 * twice that of the pixels there are, as is the number of pixels, so that the sample is that of
 * these pixels. In the same way the first pixel counts for those before it.
 */

/* Both words of a pair. */
FN words broadcast_pair(int a, int b) { return (words)((dwords){0} + ((uint32_t)(uint16_t)b << 16 | (uint16_t)a)); }

/* What makes pixels luma and chroma: factors of red and blue, and of green and green. */
typedef struct {
  words luma[2], chroma[2][2];
  ints luma_offset, chroma_offset;
} coder;

/* Where the samples of pixels are stored. */
typedef struct {
  uint8_t *luma[2], *first, *second; /* `second` is null for pairs of chroma */
} coded;

/* The lower half of x, or the upper one. */
FN half half_of(vec x, int upper) {
  half h;
  memcpy(&h, (const uint8_t *)&x + upper * (V / 2), sizeof h);
  return h;
}

/* A coder of `pixels` pixels a cell. `first` and `second` are what makes the two samples of
 * chroma. */
FN coder coder_of(const s1_frame *f, const int32_t *first, const int32_t *second, int pixels) {
  const int low = f->red > f->blue ? 2 : 0, high = 2 - low; /* of the factors of R, G and B */
  coder k;
  k.luma[0] = broadcast_pair(f->luma[low], f->luma[high]), k.luma[1] = broadcast_pair(16384, f->luma[1] - 16384);
  k.chroma[0][0] = broadcast_pair(-first[low], -first[high]), k.chroma[0][1] = broadcast_pair(-first[1], 0);
  k.chroma[1][0] = broadcast_pair(-second[low], -second[high]), k.chroma[1][1] = broadcast_pair(-second[1], 0);
  k.luma_offset = f->luma_offset - (ints){0};
  k.chroma_offset = pixels * f->chroma_offset - (ints){0};
  return k;
}

/* Chroma of cells with these sums of samples, times 65536 and the pixels of a cell. */
FN ints chroma_of(const coder *k, int which, words red_blue, words green) {
  return k->chroma_offset - word_pairs(red_blue, k->chroma[which][0]) - word_pairs(green, k->chroma[which][1]);
}

/* The samples of V pixels of one row or of two rows: of luma of each row, and of chroma, where the
 * second vector is for cells of one column. */
typedef struct {
  vec luma[2], chroma[2];
} made_samples;

/* Makes V pixels of `count` rows. A cell has cell_x columns and the rows. Pixels have four bytes,
 * and green is the second one. */
FN made_samples make_samples(const coder *k, const uint8_t *upper, const uint8_t *lower, vec greens, int cell_x, int count) {
  const int shift = (cell_x == 2) + (count == 2);
  words luma[2][2], chroma[2][2];
  /* Two vectors of pixels of each row at a time. */
#pragma GCC unroll 2
  for (int part = 0; part < 2; part++) {
    words red_blue[2], green[2];
#pragma GCC unroll 2
    for (int r = 0; r < count; r++) {
      ints made[2];
#pragma GCC unroll 2
      for (int v = 0; v < 2; v++) {
        const vec x = load((r ? lower : upper) + (2 * part + v) * V);
        const words both = low_bytes((words)x), twice_green = (words)shuffle_lanes(x, greens);
        made[v] = word_pairs(both, k->luma[0]) + word_pairs(twice_green, k->luma[1]) + k->luma_offset;
        red_blue[v] = r ? red_blue[v] + both : both;
        green[v] = r ? green[v] + twice_green : twice_green;
      }
      luma[r][part] = paired((ints)((dwords)made[0] >> 16), made[1]);
    }
    if (cell_x == 1) {
#pragma GCC unroll 2
      for (int c = 0; c < 2; c++)
        chroma[c][part] = paired((ints)((dwords)chroma_of(k, c, red_blue[0], green[0]) >> 16), chroma_of(k, c, red_blue[1], green[1]));
    } else {
      const words sums = (words)pair_sums((ints)red_blue[0], (ints)red_blue[1]), sums_of_green = (words)pair_sums((ints)green[0], (ints)green[1]);
      chroma[0][part] = paired(chroma_of(k, 0, sums, sums_of_green) >> (16 + shift), chroma_of(k, 1, sums, sums_of_green) >> shift);
    }
  }
  made_samples made;
#pragma GCC unroll 2
  for (int r = 0; r < count; r++) made.luma[r] = bytes_in_order(luma[r][0], luma[r][1]);
  if (cell_x == 2) made.chroma[0] = pairs_in_order(chroma[0][0], chroma[0][1]);
#pragma GCC unroll 2
  for (int c = 0; c < 2 && cell_x == 1; c++) made.chroma[c] = bytes_in_order(chroma[c][0], chroma[c][1]);
  return made;
}

/* Makes n pixels, a multiple of V. */
FN void make_row(const coder *coder_, const coded *to_, const uint8_t *const *rows, int64_t n, int cell_x, int count, int pairs) {
  const coder k = *coder_;
  const coded to = *to_;
  const uint8_t *const upper = rows[0], *const lower = rows[count - 1];
  uint8_t twice[V];
  memset(twice, NIL, sizeof twice);
  for (int i = 0; i < V; i += 2) twice[i] = (uint8_t)(i % S1_LANE / 4 * 4 + 1);
  const vec greens = load(twice);
  for (int64_t i = 0; i < n; i += V) {
    const made_samples made = make_samples(&k, upper + 4 * i, lower + 4 * i, greens, cell_x, count);
#pragma GCC unroll 2
    for (int r = 0; r < count; r++) store(to.luma[r] + i, made.luma[r]);
    if (cell_x == 1) {
      store(to.first + i, made.chroma[0]), store(to.second + i, made.chroma[1]);
    } else if (pairs) {
      store(to.first + i, made.chroma[0]);
    } else {
      const vec apart = parted(made.chroma[0]);
      store_half(to.first + i / 2, half_of(apart, 0)), store_half(to.second + i / 2, half_of(apart, 1));
    }
  }
}

#define SAMPLES(name, cell_x, count, pairs) \
  OUTLINE void NAMED(SET, name)(const coder *k, const coded *to, const uint8_t *const *rows, int64_t n) { make_row(k, to, rows, n, cell_x, count, pairs); }
SAMPLES(each, 1, 1, 0)
SAMPLES(columns_apart, 2, 1, 0)
SAMPLES(columns_in_pairs, 2, 1, 1)
SAMPLES(cells_apart, 2, 2, 0)
SAMPLES(cells_in_pairs, 2, 2, 1)
#undef SAMPLES

FN void make_cells(const s1_frame *f, const coder *k, const coded *to, const uint8_t *const *rows, int64_t n, int count) {
  if (f->cell_x == 1) NAMED(SET, each)(k, to, rows, n);
  else if (count == 1 && to->second) NAMED(SET, columns_apart)(k, to, rows, n);
  else if (count == 1) NAMED(SET, columns_in_pairs)(k, to, rows, n);
  else if (to->second) NAMED(SET, cells_apart)(k, to, rows, n);
  else NAMED(SET, cells_in_pairs)(k, to, rows, n);
}

/* Copies n pixels to pixels of four bytes, and repeats the last one. The fourth bytes may be
 * any. */
OUTLINE void NAMED(SET, widen)(const s1_frame *f, uint8_t *d, const uint8_t *s, int64_t n) {
  const int64_t size = f->pixel, last = n - 1;
  if (size == 4) {
    memcpy(d, s, (size_t)(4 * last));
  } else {
    for (int64_t i = 0; i < last; i++) {
      const uint32_t pixel = size == 1 ? s[i] * 0x010101u : load_u32(s + size * i);
      memcpy(d + 4 * i, &pixel, 4);
    }
  }
  for (int c = 0; c < 8; c++) d[4 * last + c] = c % 4 == 3 ? 0 : s[size * last + (size == 1 ? 0 : c % 4)];
  if (SETS_ENDS) memset(d + 4 * (n + 1), 0, 4 * V);
}

/* for (i = 0; i < n; i++) d[i * step] = s[i]. */
FN void place_samples(uint8_t *d, const uint8_t *s, int64_t n, int64_t step) {
  if (step == 1) memcpy(d, s, (size_t)n);
  else
    for (int64_t i = 0; i < n; i++) d[i * step] = s[i];
}

/* Makes n pixels, at most PIXELS - 2, of a row of cells apart, and stores their samples. The first
 * cell has `skipped` pixels before them. */
OUTLINE void NAMED(SET, few_samples)(const s1_frame *f, const coder *k, const coded *to, const uint8_t *const *rows, int64_t n, int count, int skipped) {
  uint8_t pixels[2][4 * (PIXELS + V)], luma[2][PIXELS + V], chroma[2][PIXELS + V];
  const int64_t total = skipped + n, cells = (total + f->cell_x - 1) / f->cell_x;
  const uint8_t *made[] = {pixels[0], pixels[1]};
  int row = 0;
  do {
    NAMED(SET, widen)(f, pixels[row] + 4 * skipped, rows[row], n);
    if (skipped) memcpy(pixels[row], pixels[row] + 4, 4);
  } while (++row < count);
  make_cells(f, k, &(coded){{luma[0], luma[1]}, chroma[0], chroma[1]}, made, total, count);
  while (row-- > 0) place_samples(to->luma[row], luma[row] + skipped, n, f->luma_step);
  place_samples(to->first, chroma[0], cells, f->chroma_step);
  place_samples(to->second, chroma[1], cells, f->chroma_step);
}

/* Makes luma and chroma of the rows of pixels that f names, which begin at s. y, cb and cr are
 * where the first samples are stored. */
OUTLINE void NAMED(SET, frame)(const s1_frame *f, uint8_t *y, uint8_t *cb, uint8_t *cr, const uint8_t *s) {
  const int pairs = f->cell_x == 2 && f->chroma_step == 2 && (cr == cb + 1 || cb == cr + 1), swapped = pairs && cb > cr;
  const int direct = f->pixel == 4 && f->luma_step == 1 && (pairs || f->chroma_step == 1);
  const int whole = f->cell_x * f->cell_y;
  /* Pixels of A, R, G and B are loaded from R on, so each load ends with the next pixel's A. Behind
   * the last pixel of a row that would be a byte outside, so such a row ends one pixel earlier for
   * vectors. */
  const int beyond = f->pixel == 4 && f->green == 2;
  s += beyond;
  const coder plain[] = {coder_of(f, f->cb, f->cr, f->cell_x), coder_of(f, f->cb, f->cr, whole)};
  const coder paired[] = {coder_of(f, swapped ? f->cr : f->cb, swapped ? f->cb : f->cr, f->cell_x),
                          coder_of(f, swapped ? f->cr : f->cb, swapped ? f->cb : f->cr, whole)};
  for (int64_t row = 0, count; row < f->rows; row += count) {
    const int64_t before = row ? 0 : f->phase, cell = (f->phase + row) / f->cell_y * f->chroma_stride;
    count = min_of(f->cell_y - before, f->rows - row);
    for (int64_t column = 0, n; column < f->width; column += n) {
      const int skipped = column ? 0 : f->skip;
      const int64_t chroma = cell + (f->skip + column) / f->cell_x * f->chroma_step;
      const uint8_t *const from = s + row * f->stride + column * f->pixel, *rows[] = {from, from + f->stride};
      uint8_t *const luma = y + row * f->luma_stride + column * f->luma_step;
      coded to = {{luma, luma + f->luma_stride}, cb + chroma, cr + chroma};
      n = skipped ? 0 : (f->width - column - beyond) & -V;
      if (direct && n) {
        if (pairs) to.first = swapped ? to.second : to.first, to.second = 0;
        make_cells(f, (pairs ? paired : plain) + (count == 2), &to, rows, n, (int)count);
      } else {
        n = min_of(PIXELS - 2 * f->cell_x - skipped, f->width - column);
        NAMED(SET, few_samples)(f, plain + (count == 2), &to, rows, n, (int)count, skipped);
      }
    }
  }
}
