/* stream.h - loops that store whole cache lines of the destination by non-temporal stores. Each
 * loop ends with a fence, which makes such stores visible before every later store. */

/* How to prefetch: only the `length` bytes of the source from `begin` on, `distance` bytes ahead.
 * It prefetches into the first-level cache if `near` is not 0. */
typedef struct {
  uintptr_t begin;
  uint64_t length;
  int64_t distance;
  int near;
} prefetcher;

FN prefetcher prefetcher_of(const s1_program *p, const uint8_t *src) {
  return (prefetcher){(uintptr_t)src + (uint64_t)p->prefetch.begin, (uint64_t)p->prefetch.length, p->prefetch.distance, (int)p->prefetch.near};
}

/* Prefetches the line h.distance bytes from byte `offset` of s into the second-level cache or, if
 * h.near, into the first. If that address is outside the source, it prefetches the source's first
 * line instead. */
FN void prefetch(const uint8_t *s, int64_t offset, prefetcher h) {
  const uint64_t ahead = (uintptr_t)s + (uint64_t)(offset + h.distance) - h.begin;
  const uint8_t *const line = (const uint8_t *)(h.begin + (ahead < h.length ? ahead : 0));
  if (h.near) __builtin_prefetch(line, 0, 3);
  else __builtin_prefetch(line, 0, 2);
}

/* for (i = 0; i < n; i++) d[i] = x[i]. A single store under a mask would wait for the neighbouring
 * lines that non-temporal stores have in flight. */
FN void store_bytes(uint8_t *d, const uint8_t *x, int64_t n) {
  for (; n >= 16; n -= 16, d += 16, x += 16) store16(d, load16(x));
  for (; n >= 4; n -= 4, d += 4, x += 4) memcpy(d, x, 4);
  for (; n > 0; n--) *d++ = *x++;
}

/* for (i = 0; i < n; i++) d[i] = x[i]. Whole lines of d are stored by non-temporal stores, and the
 * ragged ends by ordinary ones: an ordinary store to a line that gets non-temporal ones would halve
 * the speed. The source of each whole line is prefetched by h, unless h.distance is 0. If the end
 * is ragged, its line is prefetched first. Stores leave in order, so stores of the next row
 * would wait for a store that missed the caches. */
FN void store_lines(uint8_t *d, const uint8_t *x, int64_t n, prefetcher h) {
  int64_t i = min_of(-(uintptr_t)d & (S1_LINE - 1), n);
  if (((uintptr_t)d + (uint64_t)n) % S1_LINE) __builtin_prefetch(d + (n - 1), 1);
  store_bytes(d, x, i);
  for (; i <= n - S1_LINE; i += S1_LINE) {
    if (h.distance) prefetch(x, i, h);
    vec v[S1_LINE / V];
    for (int k = 0; k < S1_LINE / V; k++) v[k] = load(x + (i + k * V));
    for (int k = 0; k < S1_LINE / V; k++) store_nt(d + (i + k * V), v[k]);
  }
  store_bytes(d + i, x + i, n - i);
}

FN void run_copy_nt(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  const prefetcher h = prefetcher_of(p, src);
  const int64_t n = p->row.extent * p->width;
  row_cursor r = FIRST_ROW(p, dst, src);
  do {
    store_lines(r.d, r.s, n, h);
    /* Prefetches the line of the last byte, then what `reach` adds. */
    for (int64_t x = n - 1; x < p->prefetch.reach; x += S1_LINE) prefetch(r.s, x, h);
  } while (next_row(&r));
  end_stores();
}

/* The number of the line that iteration j of `lines` stores, so that the source ascends. */
FN int64_t line_of(int64_t j, int64_t lines, int64_t step) { return step < 0 ? lines - 1 - j : j; }

/* Prefetches by h the source of a line, or nothing if h.distance is 0. The source of the line's
 * first vector begins at byte `offset` of s, and `step` leads from one vector to the next. */
FN void prefetch_line(const uint8_t *s, int64_t offset, int64_t step, prefetcher h) {
  for (int64_t i = 0; h.distance && i < S1_LINE / V * (step < 0 ? -step : step); i += S1_LINE) prefetch(s, step < 0 ? offset - i : offset + i, h);
}

/* Makes `lines` lines and stores them from c.d on, a multiple of a line, in the order in which the
 * source ascends. The source of each line is prefetched by h. s is the source of the row. */
FN void make_lines(const recipe *r, cursor c, int64_t lines, const uint8_t *s, prefetcher h, int form, int variant) {
  for (int64_t j = 0; j < lines; j++) {
    const int64_t i = line_of(j, lines, c.step);
    int64_t offset = c.offset + i * (S1_LINE / V) * c.step;
    prefetch_line(s, offset, c.step, h);
    vec v[S1_LINE / V];
    for (int k = 0; k < S1_LINE / V; k++, offset += c.step) v[k] = make(r, offset, form, variant);
    for (int k = 0; k < S1_LINE / V; k++) store_nt(c.d + (i * S1_LINE + k * V), v[k]);
  }
}

/* The main vectors of `lines` lines of a row, stored as they are made by non-temporal stores. */
FN void form_lines(const s1_program *p, cursor c, int64_t lines, const uint8_t *s, prefetcher h, int form, int variant) {
  const recipe shared = make_recipe(p, form, variant), r = place_recipe(&shared, p, s, form, variant);
  make_lines(&r, c, lines, s, h, form, variant);
}

/* form_lines for the form and the variant of p. */
#if HAS_MASKS
OUTLINE void vector_lines(const s1_program *p, cursor c, int64_t lines, const uint8_t *s, prefetcher h) {
  form_lines(p, c, lines, s, h, S1_permute, bounded(1, p->masks.each.windows, S1_WINDOWS));
}
#else
OUTLINE void vector_lines(const s1_program *p, cursor c, int64_t lines, const uint8_t *s, prefetcher h) {
  const int windows = bounded(1, p->shuffle.main.windows, S1_WINDOWS);
  switch (p->loop) {
#define VARIANT(form, variant)                         \
  case LOOP_NUMBER(form, variant):                     \
    form_lines(p, c, lines, s, h, S1_##form, variant); \
    break;
    VARIANT(every2, 1)
    VARIANT(every2, 2)
    VARIANT(every2, 4)
    VARIANT(every2, 8)
    VARIANT(every3, 4)
    VARIANT(every4, 1)
    VARIANT(every4, 2)
    VARIANT(every4, 4)
#undef VARIANT
    default:
      switch (p->loop / S1_VARIANTS) {
        case S1_lanes: form_lines(p, c, lines, s, h, S1_lanes, windows); break;
        case S1_dwords: form_lines(p, c, lines, s, h, S1_dwords, windows); break;
        case S1_bytes: form_lines(p, c, lines, s, h, S1_bytes, windows); break;
        default: form_lines(p, c, lines, s, h, S1_cross, windows);
      }
  }
}
#endif

/* How the rows of a program are streamed. s1_masks and s1_shuffle have the same fields up to
 * `tails`, so q.shuffle.count and q.shuffle.tails are for both. */
typedef struct {
  s1_program q; /* what `run` makes next */
  s1_loop *run;
  prefetcher h;
  int64_t bytes; /* of a row */
} streamed;
_Static_assert(offsetof(s1_masks, tails) == offsetof(s1_shuffle, tails), "");

/* Makes vectors i to end - 1 of the row whose source begins at s, by ordinary stores at o. If `end`
 * is the count of vectors, it makes the tails behind them, too. */
OUTLINE void make_ordinary(streamed *r, const s1_program *p, int64_t i, int64_t end, uint8_t *o, const uint8_t *s) {
  s1_program *const q = &r->q;
  const int64_t src_offset = i * p->shuffle.step, dst_offset = i * V;
  q->shuffle.count = end - i;
  q->shuffle.tails = end == p->shuffle.count ? p->shuffle.tails : 0;
  if (HAS_MASKS) {
    q->masks.last_src = p->masks.last_src - src_offset;
    q->masks.last_dst = p->masks.last_dst - dst_offset;
  } else {
    for (int k = 0; k < q->shuffle.tails; k++) {
      q->shuffle.tail[k].src = p->shuffle.tail[k].src - src_offset;
      q->shuffle.tail[k].dst = p->shuffle.tail[k].dst - dst_offset;
    }
  }
  r->run(q, o, s + src_offset);
}

/* A row. Main vectors make its whole lines, which are stored as they are made by non-temporal
 * stores. What lies before and behind them is stored by ordinary stores. If no line begins with a
 * period, that is the whole row. */
FN void stream_row(streamed *r, const s1_program *p, uint8_t *d, const uint8_t *s) {
  const int64_t count = p->shuffle.count, step = p->shuffle.step, period = p->shuffle.period;
  const int64_t head = -(uintptr_t)d & (S1_LINE - 1), lines = (count * V - head) / S1_LINE, begin = head + lines * S1_LINE;
  uint8_t made[(2 + S1_TAILS) * V + S1_LINE];
  if (head % period) {
    make_ordinary(r, p, 0, count, d, s);
    return;
  }
  if (begin < r->bytes) __builtin_prefetch(d + (r->bytes - 1), 1); /* as in store_lines */
  if (head > 0) {
    make_ordinary(r, p, 0, (head + V - 1) / V, made, s);
    store_bytes(d, made, head);
  }
  vector_lines(p, (cursor){d + head, head / period * (step / (V / period)), step, V}, lines, s, r->h);
  if (begin < r->bytes) {
    const int64_t i = min_of(begin / V, count - 1);
    make_ordinary(r, p, i, count, made, s);
    store_bytes(d + begin, made + (begin - i * V), r->bytes - begin);
  }
}

/* Streams the rows of p. Their main vectors advance by V. Whole lines are stored by non-temporal
 * stores, and `run`, the ordinary loop, makes the ragged ends in a buffer. A line can start only
 * where a period of the destination does. */
OUTLINE void NAMED(SET, stream)(const s1_program *p, s1_loop *run, uint8_t *dst, const uint8_t *src) {
  streamed r = {.run = run, .h = prefetcher_of(p, src)};
  /* A program is allocated only as far as the member of the union that its kind has. So the bytes
   * of a longer member are not copied: they may be outside. */
  memcpy(&r.q, p, HAS_MASKS ? offsetof(s1_program, masks) + sizeof p->masks : offsetof(s1_program, shuffle) + sizeof p->shuffle);
  r.q.outer = 0, r.q.dst = r.q.src = 0;
  r.q.innermost.extent = r.q.next.extent = 1;
  if (HAS_MASKS) r.bytes = p->masks.last_dst + V;
  else r.bytes = p->shuffle.tails ? p->shuffle.tail[p->shuffle.tails - 1].dst + V : p->shuffle.count * V;
  row_cursor row = FIRST_ROW(p, dst, src);
  do stream_row(&r, p, row.d, row.s);
  while (next_row(&row));
  end_stores();
}

#define SET_STREAM NAMED(SET, stream)
