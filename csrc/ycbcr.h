/* ycbcr.h - rows of luma and chroma to rows of R, G and B.
 *
 * A channel of a pixel is (65536*y + luma*y + offset + f*(cb-128) + g*(cr-128)) >> 16, limited to 0
 * to 255. Sums of 32 bits would halve the pixels of a vector. Therefore a number of 65536ths is two
 * words, whole + part / 65536. The product of two words has both. The part of a sum is the sum of
 * the parts, and the whole gets a carry if that sum is 65536 or more: if one part is above the
 * other's gap, 65535 less that. Both are kept as `ordered` has them, since AVX2 compares only
 * signed words.
 *
 * Two pixels side by side are one word of luma and one word of each result. In cells of two or more
 * columns the two have the same chroma, so no sample of chroma is repeated.
 */

/* A number of 65536ths in each lane. */
typedef struct {
  words whole;
  uwords gap; /* ordered(65535 - part) */
} fixed;

/* What chroma adds to R, G and B of up to PAIRS pixels. */
typedef struct {
  int16_t whole[3][PAIRS], gap[3][PAIRS];
} sums;

/* A number of 65536ths that is added to another. */
typedef struct {
  words whole;
  uwords part;
} addend;

/* The whole part of a + b. */
FN words whole_of(fixed a, addend b) { return carried(a.whole + b.whole, ordered(b.part), a.gap); }

FN fixed plus(fixed a, addend b) { return (fixed){whole_of(a, b), a.gap - b.part}; }

/* What chroma adds is offset + factor * sample for each of two factors, where the offset has what
 * 128 of each sample adds. Rule Formula of package program says how large factors are. So a
 * factor's whole part is known, and its multiples are sums: 1 for red, 0 and -1 for green, 2 for
 * blue. */
typedef struct {
  fixed red, green, blue; /* the offsets */
  uwords red_cr, green_cb, green_cr, blue_cb;
} chroma_factors;

FN fixed fixed_of(int32_t n) { return (fixed){broadcast_words(n >> 16), ordered((uwords)broadcast_words(~n))}; }

FN chroma_factors factors_of(const s1_colours *c) {
  return (chroma_factors){fixed_of(c->offset - 128 * c->red_cr),  fixed_of(c->offset - 128 * (c->green_cb + c->green_cr)),
                          fixed_of(c->offset - 128 * c->blue_cb), (uwords)broadcast_words(c->red_cr),
                          (uwords)broadcast_words(c->green_cb),   (uwords)broadcast_words(c->green_cr),
                          (uwords)broadcast_words(c->blue_cb)};
}

/* Stores what chroma adds to the pixels from number i on, with the offset. */
FN void add_chroma(const chroma_factors *f, sums *sum, int64_t i, words cb, words cr) {
  const addend of_red = {(words)high_unsigned(f->red_cr, (uwords)cr) + cr, f->red_cr * (uwords)cr};
  const addend of_green = {(words)high_unsigned(f->green_cr, (uwords)cr) - cr, f->green_cr * (uwords)cr};
  const addend of_green2 = {high((words)f->green_cb, cb), f->green_cb * (uwords)cb};
  const addend of_blue = {high((words)f->blue_cb, cb) + (cb + cb), f->blue_cb * (uwords)cb};
  const fixed rgb[] = {plus(f->red, of_red), plus(plus(f->green, of_green), of_green2), plus(f->blue, of_blue)};
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++) store_words(&sum->whole[k][i], rgb[k].whole), store_words(&sum->gap[k][i], (words)rgb[k].gap);
}

/* What chroma adds to n pairs of pixels that share it. */
OUTLINE void NAMED(SET, shared)(const s1_colours *c, sums *sum, const uint8_t *cb, const uint8_t *cr, int64_t n) {
  const chroma_factors k = factors_of(c);
  for (int64_t i = 0; i < n; i += WORDS) add_chroma(&k, sum, i, load_as_words(cb + i), load_as_words(cr + i));
}

/* What chroma adds to n pairs of pixels that share it, where Cb and Cr alternate: Cb first, as in
 * NV12, or Cr first if `swapped`, as in NV21. */
OUTLINE void NAMED(SET, semiplanar)(const s1_colours *c, sums *sum, const uint8_t *s, int swapped, int64_t n) {
  const chroma_factors k = factors_of(c);
  for (int64_t i = 0; i < n; i += WORDS) {
    const words both = load_words(s + 2 * i), low = low_bytes(both), high = high_bytes(both);
    add_chroma(&k, sum, i, swapped ? high : low, swapped ? low : high);
  }
}

/* What chroma adds to n pairs of pixels that have a sample each: to[0] is for the first pixels of
 * the pairs, to[1] for the second ones. */
OUTLINE void NAMED(SET, unshared)(const s1_colours *c, sums sum[2], const uint8_t *cb, const uint8_t *cr, int64_t n) {
  const chroma_factors k = factors_of(c);
  for (int64_t i = 0; i < n; i += WORDS) {
    const words blue = load_words(cb + 2 * i), red = load_words(cr + 2 * i);
    add_chroma(&k, sum, i, low_bytes(blue), low_bytes(red));
    add_chroma(&k, sum + 1, i, high_bytes(blue), high_bytes(red));
  }
}

/* v times (1 + luma / 65536). 257 * 255 is the largest product without a whole part. */
FN addend scaled(int luma, words v) {
  const words whole = luma > 257 ? v + high(broadcast_words(luma), v) : v;
  return (addend){whole, (uwords)broadcast_words(luma) * (uwords)v};
}

/* Makes n pairs of pixels, rounded up to whole vectors. Chroma adds `first` to the first pixels of
 * the pairs and `second` to the second ones. If `pixel` is 1, R, G and B are stored apart from
 * dst[0], dst[1] and dst[2] on, else in turns from dst[0] on, as store_colours does it. If
 * `shared`, the two sums are the same ones. */
FN void make_pixels(const s1_colours *c, uint8_t *const dst[3], const uint8_t *y, const sums *first, const sums *second, int64_t n, int pixel, int shared) {
  const int32_t luma = c->luma;
  uint8_t *const d[] = {dst[0], dst[1], dst[2]};
  for (int64_t i = 0; i < n; i += WORDS) {
    const words pair = load_words(y + 2 * i);
    const addend a = scaled(luma, low_bytes(pair)), z = scaled(luma, high_bytes(pair));
    words with_a[3], with_z[3];
#pragma GCC unroll 3
    for (int k = 0; k < 3; k++) {
      const fixed one = {load_words(&first->whole[k][i]), (uwords)load_words(&first->gap[k][i])};
      const fixed other = shared ? one : (fixed){load_words(&second->whole[k][i]), (uwords)load_words(&second->gap[k][i])};
      with_a[k] = whole_of(one, a), with_z[k] = whole_of(other, z);
      if (pixel == 1) store(d[k] + 2 * i, interleaved(with_a[k], with_z[k]));
    }
    if (pixel != 1) store_colours(c, d[0] + 2 * pixel * i, with_a, with_z, pixel);
  }
}

OUTLINE void NAMED(SET, pixels)(const s1_colours *c, uint8_t *const dst[3], const uint8_t *y, const sums *first, const sums *second, int64_t n) {
  if (c->pixel == 1 && first == second) make_pixels(c, dst, y, first, second, n, 1, 1);
  else if (c->pixel == 1) make_pixels(c, dst, y, first, second, n, 1, 0);
  else if (c->pixel == 3 && first == second) make_pixels(c, dst, y, first, second, n, 3, 1);
  else if (c->pixel == 3) make_pixels(c, dst, y, first, second, n, 3, 0);
  else if (first == second) make_pixels(c, dst, y, first, second, n, 4, 1);
  else make_pixels(c, dst, y, first, second, n, 4, 0);
}

/* What chroma adds to the pixels of n cells, from the first pixel of a cell on. Each cell has a
 * sample of Cb and of Cr, and the samples lie c->chroma_step bytes apart. */
OUTLINE void NAMED(SET, chroma)(const s1_colours *c, sums sum[2], const uint8_t *cb, const uint8_t *cr, int64_t n) {
  uint8_t blue[PIXELS + V], red[PIXELS + V]; /* whole vectors, with any bytes behind the samples */
  const int cell = c->cell_x;
  if (cell == 2 && c->chroma_step == 2 && (cr == cb + 1 || cb == cr + 1)) {
    const int swapped = cb > cr;
    const uint8_t *s = swapped ? cr : cb;
    if (n % WORDS) s = memcpy(blue, s, (size_t)(2 * n)), end_samples(blue, 2 * n);
    NAMED(SET, semiplanar)(c, sum, s, swapped, n);
    return;
  }
  NAMED(SET, pick)(blue, cb, n, c->chroma_step);
  NAMED(SET, pick)(red, cr, n, c->chroma_step);
  if (cell == 4) repeat_samples(blue, n), n = repeat_samples(red, n);
  end_samples(blue, n), end_samples(red, n);
  if (cell == 1) NAMED(SET, unshared)(c, sum, blue, red, (n + 1) / 2);
  else NAMED(SET, shared)(c, sum, blue, red, n);
}

/* n columns of rows k to end - 1. They skip the first `skipped` pixels of their first cell, which
 * has number `first`. */
typedef struct {
  int64_t k, end, n, skipped, first;
} columns_of_rows;

/* Makes columns of rows. By the formula the rows share their chroma, and cb and cr are its first
 * samples. By another rule cb and cr are the first samples of their planes. */
OUTLINE void NAMED(SET, columns)(const s1_colours *c, const columns_of_rows *part, uint8_t *dst, const uint8_t *y, const uint8_t *cb, const uint8_t *cr) {
  const int64_t end = part->end, n = part->n, skipped = part->skipped;
  uint8_t luma[PIXELS + V], made[4 * PIXELS];
  union chroma {
    sums of[2];
    kept_sums kept;
  };
  uint8_t memory[sizeof(union chroma) + S1_LINE];
  /* At a line, since a vector across two lines takes twice as long. 64-bit Windows aligns no
   * variable to one. */
  union chroma *const chroma = (union chroma *)(memory + -(uintptr_t)memory % S1_LINE);
  const int64_t total = skipped + n, cells = (total + c->cell_x - 1) / c->cell_x;
  const int direct = skipped == 0 && n % V == 0, pixel = c->pixel, planes = pixel == 1 ? 3 : 1;
  end_samples(luma, 0);
  if (c->rule) chroma->kept.made[0] = chroma->kept.made[1] = -1;
  else NAMED(SET, chroma)(c, chroma->of, cb, cr, cells);
  for (int64_t k = part->k; k < end; k++) {
    const uint8_t *luma_row = y + (c->first + k * c->step) * c->luma_stride;
    if (!direct || c->luma_step != 1) {
      NAMED(SET, pick)(luma + skipped, luma_row, n, c->luma_step);
      end_samples(luma, total);
      luma_row = luma;
    }
    uint8_t *d[3], *result[3];
    for (int i = 0; i < 3; i++) {
      d[i] = dst + (k * c->stride + (i < planes ? i * c->plane : 0));
      result[i] = direct ? d[i] : made + i * PIXELS;
    }
    if (c->rule) {
      const mixture mix = NAMED(SET, sums_of)(c, &chroma->kept, k, cb, cr, part->first, cells);
      NAMED(SET, decoded)(c, result, luma_row, &mix, (total + 1) / 2);
    } else {
      NAMED(SET, pixels)(c, result, luma_row, chroma->of, chroma->of + (c->cell_x == 1), (total + 1) / 2);
    }
    for (int i = 0; i < planes && !direct; i++) memcpy(d[i], result[i] + skipped * pixel, (size_t)(n * pixel));
  }
}

/* A number that rows have in common if they are made together. These are the rows of a cell or, if
 * two rows of samples count for each, four rows that take three rows of samples. */
FN int64_t shared_row(const s1_colours *c, int64_t k) { return (c->phase + c->first + k * c->step + c->smooth_y) >> (c->cell_y - 1 + c->smooth_y); }

/* Makes R, G and B of the rows that c names, some of them together. y is at the
 * luma of the first pixel's column in the first row. cb and cr are at its chroma in the first row
 * of their planes, or by another rule than the formula at their first samples. */
OUTLINE void NAMED(SET, ycbcr)(const s1_colours *c, uint8_t *dst, const uint8_t *y, const uint8_t *cb, const uint8_t *cr) {
  for (int64_t k = 0, end; k < c->rows; k = end) {
    const int64_t row = shared_row(c, k);
    for (end = k + 1; end < c->rows && shared_row(c, end) == row; end++) {}
    int64_t skipped = c->skip;
    for (int64_t column = 0, n; column < c->width; column += n, skipped = 0) {
      n = min_of(PIXELS - skipped, c->width - column);
      const int64_t cell = (c->skip + column) / c->cell_x, offset = c->rule ? 0 : row * c->chroma_stride + cell * c->chroma_step;
      const columns_of_rows part = {k, end, n, skipped, c->column + cell};
      NAMED(SET, columns)(c, &part, dst + column * c->pixel, y + column * c->luma_step, cb + offset, cr + offset);
    }
  }
}
