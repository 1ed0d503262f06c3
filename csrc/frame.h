/* frame.h - rows of pixels to luma and chroma, the inverse of ycbcr.h.
 *
 * A pixel of four bytes becomes two pairs of words: red and blue, and green twice. For example, luma
 * of full-range BT.601 is, in 65536ths,
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

/* What makes V pixels luma and chroma. */
typedef struct {
  vec red_blue, green; /* orders of shuffle_lanes */
  words luma[2], chroma[2][2];
  ints luma_offset, chroma_offset;
} coder;

/* Where the samples of V pixels are stored. */
typedef struct {
  uint8_t *luma[2], *first, *second; /* `second` is null for pairs of chroma */
} coded;

/* Both words of a pair. */
FN words broadcast_pair(int a, int b) { return (words)((dwords){0} + ((uint32_t)(uint16_t)b << 16 | (uint16_t)a)); }

/* The lower half of x, or the upper one. */
FN half half_of(vec x, int upper) {
  half h;
  memcpy(&h, (const uint8_t *)&x + upper * (V / 2), sizeof h);
  return h;
}

/* A coder of `pixels` pixels a cell. `first` and `second` are what makes the two samples of chroma. */
FN coder coder_of(const s1_frame *f, const int32_t *first, const int32_t *second, int pixels) {
  coder k;
  uint8_t order[2][V];
  memset(order, NIL, sizeof order);
  for (int i = 0; i < V; i += 4) {
    const int pixel = i % S1_LANE;
    order[0][i] = (uint8_t)(pixel + f->red), order[0][i + 2] = (uint8_t)(pixel + f->blue);
    order[1][i] = order[1][i + 2] = (uint8_t)(pixel + f->green);
  }
  k.red_blue = load(order[0]), k.green = load(order[1]);
  k.luma[0] = broadcast_pair(f->luma[0], f->luma[2]), k.luma[1] = broadcast_pair(16384, f->luma[1] - 16384);
  k.chroma[0][0] = broadcast_pair(-first[0], -first[2]), k.chroma[0][1] = broadcast_pair(-first[1], 0);
  k.chroma[1][0] = broadcast_pair(-second[0], -second[2]), k.chroma[1][1] = broadcast_pair(-second[1], 0);
  k.luma_offset = f->luma_offset - (ints){0};
  k.chroma_offset = pixels * f->chroma_offset - (ints){0};
  return k;
}

/* The sums of cells as samples. */
FN ints chroma_of(const coder *k, int which, words red_blue, words green, int shift) {
  return (k->chroma_offset - word_pairs(red_blue, k->chroma[which][0]) - word_pairs(green, k->chroma[which][1])) >> shift;
}

/* Makes n pixels, a multiple of V, of one row or of two rows. A cell has cell_x columns, and as many
 * rows as there are. Pixels have four bytes. */
FN void make_samples(const coder *coder_, coded to, const uint8_t *const *rows, int64_t n, int cell_x, int count, int pairs) {
  const coder k = *coder_;
  const uint8_t *const upper = rows[0], *const lower = rows[count - 1];
  const int shift = 16 + (cell_x == 2) + (count == 2);
  for (int64_t i = 0; i < n; i += V) {
    words sum[4][2];
#pragma GCC unroll 2
    for (int row = 0; row < count; row++) {
      ints luma[4];
#pragma GCC unroll 4
      for (int v = 0; v < 4; v++) {
        const vec x = load((row ? lower : upper) + 4 * i + v * V);
        const words red_blue = (words)shuffle_lanes(x, k.red_blue), green = (words)shuffle_lanes(x, k.green);
        luma[v] = (word_pairs(red_blue, k.luma[0]) + word_pairs(green, k.luma[1]) + k.luma_offset) >> 16;
        sum[v][0] = row ? sum[v][0] + red_blue : red_blue;
        sum[v][1] = row ? sum[v][1] + green : green;
      }
      store(to.luma[row] + i, joined(luma[0], luma[1], luma[2], luma[3]));
    }
    if (cell_x == 1) {
      ints first[4], second[4];
#pragma GCC unroll 4
      for (int v = 0; v < 4; v++) first[v] = chroma_of(&k, 0, sum[v][0], sum[v][1], shift), second[v] = chroma_of(&k, 1, sum[v][0], sum[v][1], shift);
      store(to.first + i, joined(first[0], first[1], first[2], first[3]));
      store(to.second + i, joined(second[0], second[1], second[2], second[3]));
      continue;
    }
    ints both[2];
#pragma GCC unroll 2
    for (int v = 0; v < 2; v++) {
      const words red_blue = (words)pair_sums((ints)sum[2 * v][0], (ints)sum[2 * v + 1][0]);
      const words green = (words)pair_sums((ints)sum[2 * v][1], (ints)sum[2 * v + 1][1]);
      both[v] = chroma_of(&k, 0, red_blue, green, shift) | chroma_of(&k, 1, red_blue, green, shift) << 16;
    }
    const vec chroma = joined_words(both[0], both[1]);
    if (pairs) {
      store(to.first + i, chroma);
    } else {
      const vec apart = parted(chroma);
      store_half(to.first + i / 2, half_of(apart, 0)), store_half(to.second + i / 2, half_of(apart, 1));
    }
  }
}

#define SAMPLES(name, cell_x, count, pairs) \
  OUTLINE void NAMED(SET, name)(const coder *k, const coded *to, const uint8_t *const *rows, int64_t n) { make_samples(k, *to, rows, n, cell_x, count, pairs); }
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

/* Copies n pixels to pixels of four bytes, and repeats the last one. Bytes that the pixels do not
 * have may be any. */
OUTLINE void NAMED(SET, widen)(const s1_frame *f, uint8_t *d, const uint8_t *s, int64_t n) {
  const int64_t size = f->pixel, last = n - 1;
  if (size == 4) {
    memcpy(d, s, (size_t)(4 * n));
  } else {
    for (int64_t i = 0; i < last; i++) {
      const uint32_t pixel = size == 1 ? s[i] : load_u32(s + size * i);
      memcpy(d + 4 * i, &pixel, 4);
    }
    memset(d + 4 * last, 0, 4);
    memcpy(d + 4 * last, s + size * last, (size_t)size);
  }
  memcpy(d + 4 * n, d + 4 * last, 4);
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

/* Makes luma and chroma of the rows of pixels that f names, which begin at s. y, cb and cr are where
 * the first samples are stored. */
OUTLINE void NAMED(SET, frame)(const s1_frame *f, uint8_t *y, uint8_t *cb, uint8_t *cr, const uint8_t *s) {
  const int pairs = f->cell_x == 2 && f->chroma_step == 2 && (cr == cb + 1 || cb == cr + 1), swapped = pairs && cb > cr;
  const int direct = f->pixel == 4 && f->luma_step == 1 && (pairs || f->chroma_step == 1);
  const int whole = f->cell_x * f->cell_y;
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
      n = skipped ? 0 : (f->width - column) & -V;
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
