/* decoders.h - R, G and B of luma and chroma as libraries make them. ycbcr.h has the loop over
 * rows, and type Colours of package program the rules.
 *
 * A loop makes two pixels side by side: one word of luma, and one word of each result. It has the
 * sums of a row of samples apart for the first and for the second pixels of the pairs. Two rows of
 * samples give the chroma of a row of pixels, and of the next one. So the sums of two rows are
 * kept.
 */

enum { PAIRS = PIXELS / 2, WORDS = V / 2 };
typedef int16_t loose_words __attribute__((vector_size(V), aligned(1), may_alias));

FN words load_as_words(const uint8_t *s) { return widened(load_half(s)); }
FN words load_words(const void *s) { return (words) * (const loose_words *)s; }
FN void store_words(void *d, words v) { *(loose_words *)d = v; }
FN words broadcast_words(int n) { return (int16_t)n - (words){0}; }

/* Sets, for a memory sanitizer, what a vector may read behind n samples. */
FN void end_samples(uint8_t *samples, int64_t n) {
  if (SETS_ENDS) memset(samples + n, 0, V);
}

/* Repeats each of n samples, and returns how many there are then. */
FN int64_t repeat_samples(uint8_t *s, int64_t n) {
  for (int64_t i = n - 1; i >= 0; i--) s[2 * i] = s[2 * i + 1] = s[i];
  return 2 * n;
}

/* Stores n samples from number `first` of a row on. Samples outside of the row are its first or its
 * last one. */
OUTLINE void NAMED(SET, samples)(const s1_colours *c, uint8_t *d, const uint8_t *row, int64_t first, int64_t n) {
  const int64_t before = first < 0;
  const int64_t behind = first + n > c->columns;
  NAMED(SET, pick)(d + before, row + (first + before) * c->chroma_step, n - before - behind, c->chroma_step);
  if (before) d[0] = d[1];
  if (behind) d[n - 1] = d[n - 2];
  end_samples(d, n);
}

/* The sums of a row of samples of Cb and of Cr, for the first and for the second pixels of PAIRS
 * pairs. */
typedef struct {
  int16_t of[2][2][PAIRS];
} row_sums;

/* Makes the sums of n cells, from number `first` of a row of samples on. */
OUTLINE void NAMED(SET, sum_row)(const s1_colours *c, int16_t sum[2][PAIRS], const uint8_t *row, int64_t first, int64_t n) {
  uint8_t s[PIXELS + 2 + V];
  NAMED(SET, samples)(c, s, row, first - c->smooth_x, n + 2 * c->smooth_x);
  if (c->cell_x == 4) {
    n = repeat_samples(s, n);
    end_samples(s, n);
  }
  if (c->smooth_x) {
    for (int64_t i = 0; i < n; i += WORDS) {
      const words three = 3 * load_as_words(s + i + 1);
      store_words(&sum[0][i], three + load_as_words(s + i)), store_words(&sum[1][i], three + load_as_words(s + i + 2));
    }
  } else if (c->cell_x == 1) {
    for (int64_t i = 0; i < (n + 1) / 2; i += WORDS) {
      const words both = load_words(s + 2 * i);
      store_words(&sum[0][i], 4 * low_bytes(both)), store_words(&sum[1][i], 4 * high_bytes(both));
    }
  } else {
    for (int64_t i = 0; i < n; i += WORDS) {
      const words four = 4 * load_as_words(s + i);
      store_words(&sum[0][i], four), store_words(&sum[1][i], four);
    }
  }
}

/* What a row of pixels takes of the sums of two rows of samples. */
typedef struct {
  const row_sums *near, *other;
  int32_t round[2]; /* for the first and for the second pixels of pairs */
} mixture;

/* The chroma less `middle` of the first or of the second pixels of pairs, from number i on. */
FN words mixed(const mixture *m, int plane, int second, int64_t i, int middle) {
  const words near = load_words(&m->near->of[plane][second][i]), other = load_words(&m->other->of[plane][second][i]);
  return (near + near + near + other + broadcast_words(m->round[second] - 16 * middle)) >> 4;
}

/* factor * v / 256, rounded down, for v from 0 to 255 and a factor of 16 bits. The result has 16
 * bits. */
FN words scaled_byte(int factor, words v) { return broadcast_words(factor >> 8) * v + (words)((uwords)(broadcast_words(factor & 255) * v) >> 8); }

/* Pairs of words a and b, where `pairs` has a[0], b[0], a[1], b[1], ...: f*a + g*b, for factors of
 * more than 16 bits. Each is 32768*high + low, and sums of products with `high` fit a word. */
FN ints weighted(vec pairs, int f, int g) {
  const uint32_t low = (uint32_t)(g & 32767) << 16 | (uint32_t)(f & 32767), high = (uint32_t)(g >> 15) << 16 | (uint16_t)(f >> 15);
  return word_pairs((words)pairs, (words)((dwords){0} + low)) + (word_pairs((words)pairs, (words)((dwords){0} + high)) << 15);
}

/* The samples of chroma that a rule counts from 128 on. */
FN int middle_of(int rule) { return rule == S1_LIBWEBP ? 0 : 128; }

/* Makes R, G and B, whole numbers of any size, by a rule. y is luma. u and v are chroma less
 * middle_of(rule). */
FN void channels(const s1_colours *c, words rgb[3], words y, words u, words v, int rule) {
  if (rule == S1_LIBJPEG) {
    /* 91881 = 65536 + 26345, 116130 = 131072 - 14942 and -46802 = 18734 - 65536. For v from -128 to
     * 127, 26345*v/65536 and 2*13172*v/65536 round to the same. */
    const words factors = (words)((dwords){0} + ((uint32_t)18734 << 16 | (uint16_t)-22554));
    ints green[2];
#pragma GCC unroll 2
    for (int k = 0; k < 2; k++) green[k] = (word_pairs((words)zip((vec)u, (vec)v, 2, k), factors) + 32768) >> 16;
    rgb[0] = y + v + high_rounded(v, broadcast_words(13172));
    rgb[1] = y - v + narrowed(green[0], green[1]);
    rgb[2] = y + 2 * u + high_rounded(u, broadcast_words(-7471));
  } else if (rule == S1_LIBWEBP) {
    const words l = scaled_byte(19077, y), blue = scaled_byte(33050, u) - 17685;
    rgb[0] = (l + scaled_byte(26149, v) - 14234) >> 6;
    rgb[1] = (l - scaled_byte(6419, u) - scaled_byte(13320, v) + 8708) >> 6;
    rgb[2] = ((l >> 1) + (blue >> 1) + (l & blue & 1)) >> 5; /* l + blue may not fit a word */
  } else if (rule == S1_OPENCV) {
    const words dark = y - 16, l = dark & ~(dark >> 15), zero = {0};
    ints sum[3][2];
#pragma GCC unroll 2
    for (int k = 0; k < 2; k++) {
      const vec with_v = zip((vec)l, (vec)v, 2, k), with_u = zip((vec)l, (vec)u, 2, k);
      sum[0][k] = weighted(with_v, 1220542, 1673527);
      sum[1][k] = weighted(with_v, 1220542, -852492) + weighted(zip((vec)zero, (vec)u, 2, k), 0, -409993);
      sum[2][k] = weighted(with_u, 1220542, 2116026);
    }
#pragma GCC unroll 3
    for (int k = 0; k < 3; k++) rgb[k] = narrowed((sum[k][0] + (1 << 19)) >> 20, (sum[k][1] + (1 << 19)) >> 20);
  } else {
    const words l = c->luma ? high(8 * y - 128, broadcast_words(c->luma)) : y, u8 = 8 * u, v8 = 8 * v;
    rgb[0] = l + high(v8, broadcast_words(c->red_cr));
    rgb[1] = l + high(u8, broadcast_words(c->green_cb)) + high(v8, broadcast_words(c->green_cr));
    rgb[2] = l + high(u8, broadcast_words(c->blue_cb));
  }
}

/* Stores pairs of pixels in turns: of four bytes, R, G, B and 255, of three, or of B, G and R. */
FN void store_colours(const s1_colours *c, uint8_t *d, const words *first, const words *second, int pixel) {
  if (pixel == 4) store_pairs(d, first[0], first[1], first[2], second[0], second[1], second[2]);
  else if (c->plane < 0) store_triples(d, first[2], first[1], first[0], second[2], second[1], second[0]);
  else store_triples(d, first[0], first[1], first[2], second[0], second[1], second[2]);
}

/* Makes n pairs of pixels by a rule, like make_pixels of ycbcr.h. */
FN void make_decoded(const s1_colours *colours, uint8_t *const dst[3], const uint8_t *y, const mixture *mix, int64_t n, int rule, int pixel) {
  const s1_colours c = *colours;
  const mixture m = *mix;
  const int middle = middle_of(rule);
  uint8_t *const d[] = {dst[0], dst[1], dst[2]};
  for (int64_t i = 0; i < n; i += WORDS) {
    const words luma = load_words(y + 2 * i);
    words first[3], second[3];
    channels(&c, first, low_bytes(luma), mixed(&m, 0, 0, i, middle), mixed(&m, 1, 0, i, middle), rule);
    channels(&c, second, high_bytes(luma), mixed(&m, 0, 1, i, middle), mixed(&m, 1, 1, i, middle), rule);
#pragma GCC unroll 3
    for (int k = 0; k < 3 && pixel == 1; k++) store(d[k] + 2 * i, interleaved(first[k], second[k]));
    if (pixel != 1) store_colours(&c, d[0] + 2 * pixel * i, first, second, pixel);
  }
}

#define DECODED(name, rule)                                                                                                  \
  OUTLINE void NAMED(SET, name)(const s1_colours *c, uint8_t *const dst[3], const uint8_t *y, const mixture *m, int64_t n) { \
    if (c->pixel == 1) make_decoded(c, dst, y, m, n, rule, 1);                                                               \
    else if (c->pixel == 3) make_decoded(c, dst, y, m, n, rule, 3);                                                          \
    else make_decoded(c, dst, y, m, n, rule, 4);                                                                             \
  }
DECODED(libjpeg, S1_LIBJPEG)
DECODED(libwebp, S1_LIBWEBP)
DECODED(swscale, S1_SWSCALE)
DECODED(opencv, S1_OPENCV)
#undef DECODED

/* The sums of rows of samples: those of row number made[k] are in row[k]. */
typedef struct {
  row_sums row[2];
  int64_t made[2];
} kept_sums;

/* Returns the sums of a row of samples, and makes them if they are not there. */
FN const row_sums *sums_of_row(const s1_colours *c, kept_sums *kept, int64_t row, const uint8_t *cb, const uint8_t *cr, int64_t first, int64_t n) {
  row_sums *const sums = &kept->row[row & 1];
  if (kept->made[row & 1] != row) {
    NAMED(SET, sum_row)(c, sums->of[0], cb + row * c->chroma_stride, first, n);
    NAMED(SET, sum_row)(c, sums->of[1], cr + row * c->chroma_stride, first, n);
    kept->made[row & 1] = row;
  }
  return sums;
}

/* What row k of c takes of the sums of its samples: of n cells, from number `first` of a row of
 * samples on. cb and cr are the first samples of their planes. */
OUTLINE mixture NAMED(SET, sums_of)(const s1_colours *c, kept_sums *kept, int64_t k, const uint8_t *cb, const uint8_t *cr, int64_t first, int64_t n) {
  const int64_t line = c->phase + c->first + k * c->step, below = line & (c->cell_y - 1), row = line >> (c->cell_y - 1);
  int64_t beyond = row;
  if (c->smooth_y) {
    beyond += 2 * below - 1;
    beyond = beyond < 0 ? 0 : min_of(beyond, c->cell_rows - 1);
  }
  mixture m = {sums_of_row(c, kept, row, cb, cr, first, n), 0, {c->round[0], c->round[1]}};
  m.other = sums_of_row(c, kept, beyond, cb, cr, first, n);
  if (!c->smooth_x) m.round[0] = m.round[1] = c->round[below];
  return m;
}

/* Makes n pairs of pixels by the rule of c. */
OUTLINE void NAMED(SET, decoded)(const s1_colours *c, uint8_t *const dst[3], const uint8_t *y, const mixture *m, int64_t n) {
  switch (c->rule) {
    case S1_LIBJPEG: NAMED(SET, libjpeg)(c, dst, y, m, n); break;
    case S1_LIBWEBP: NAMED(SET, libwebp)(c, dst, y, m, n); break;
    case S1_OPENCV: NAMED(SET, opencv)(c, dst, y, m, n); break;
    default: NAMED(SET, swscale)(c, dst, y, m, n);
  }
}
