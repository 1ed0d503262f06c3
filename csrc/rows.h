/* rows.h - the rows of the classes copy, fill, gather and scatter, written once
 * for all instruction sets, after vec.h.
 *
 * Source and destination may alias as far as the compiler knows (no restrict):
 * that keeps stores in ascending order, which the caches want.
 */

/* Where the loops around the two innermost stand. */
typedef struct {
  int64_t dst, src, at[S1_RANK];
} position;

/* Steps the `loops` outermost loops by one; reports whether there was a next step. */
static __attribute__((noinline)) int next_position(const s1_prog *p, int loops, position *at) {
  for (int r = loops - 1; r >= 0; r--) {
    const s1_dim *m = &p->dims[r];
    if (++at->at[r] < m->extent) {
      at->dst += m->dst;
      at->src += m->src;
      return 1;
    }
    at->dst -= (m->extent - 1) * m->dst;
    at->src -= (m->extent - 1) * m->src;
    at->at[r] = 0;
  }
  return 0;
}

/* Runs `row` with d and s at the first element of every row of p. */
#define EACH_ROW(p, base_dst, base_src, row)                                     \
  do {                                                                           \
    const int loops_ = (p)->outer - 1;                                           \
    const s1_dim in_ = (p)->innermost;                                           \
    position at_ = {.dst = (p)->dst_off, .src = (p)->src_off};                   \
    do {                                                                         \
      int64_t do_ = at_.dst, so_ = at_.src;                                      \
      for (int64_t i_ = in_.extent;; do_ += in_.dst, so_ += in_.src) {           \
        uint8_t *const d = (base_dst) + do_;                                     \
        const uint8_t *const s = (base_src) + so_;                               \
        row;                                                                     \
        if (--i_ == 0) break;                                                    \
      }                                                                          \
    } while (loops_ > 0 && next_position(p, loops_, &at_));                      \
  } while (0)

/* EACH_ROW that costs a single row nothing. */
#define ONE_OR_EACH_ROW(p, base_dst, base_src, row)              \
  do {                                                           \
    if ((p)->outer == 0) {                                       \
      uint8_t *const d = (base_dst) + (p)->dst_off;              \
      const uint8_t *const s = (base_src) + (p)->src_off;        \
      row;                                                       \
    } else {                                                     \
      EACH_ROW(p, base_dst, base_src, row);                      \
    }                                                            \
  } while (0)

#if V > 16 /* NEON has no stores past the caches */
FN int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

/* What fetch may touch: the source from its first to its last element. */
typedef struct {
  uintptr_t begin;
  uint64_t length;
  int64_t ahead;
  int near;
} horizon;

FN horizon horizon_of(const s1_prog *p, const uint8_t *src) {
  return (horizon){(uintptr_t)src + (uint64_t)p->begin, (uint64_t)p->length, p->ahead, p->near};
}

/* Fetches into the second-level cache, or the first if near, the line as far ahead
 * of s as h says, or the first line of the source if that is outside. */
FN void fetch(const uint8_t *s, horizon h) {
  const uintptr_t at = (uintptr_t)s + (uint64_t)h.ahead - h.begin;
  const uint8_t *const line = (const uint8_t *)(h.begin + (at < h.length ? at : 0));
  if (h.near) __builtin_prefetch(line, 0, 3);
  else __builtin_prefetch(line, 0, 2);
}

/* Fetches the source of the line of a shuffle whose first byte comes from s;
 * the next line's begins `per_line` bytes further. */
FN void fetch_line(const uint8_t *s, int64_t per_line, horizon h) {
  for (int64_t i = 0; i < per_line; i += S1_LINE) fetch(s + i, h);
  for (int64_t i = 0; i > per_line; i -= S1_LINE) fetch(s + i, h);
}

/* Stores bytes [from, to) of v at d + from: by no mask, which would wait for the
 * lines beside that are on their way past the caches. */
FN void store_part(uint8_t *d, vec v, int64_t from, int64_t to) {
  uint8_t bytes[V];
  store(bytes, v);
  for (; to - from >= 16; from += 16) store16(d + from, load16(bytes + from));
  for (; to - from >= 4; from += 4) memcpy(d + from, bytes + from, 4);
  for (; from < to; from++) d[from] = bytes[from];
}

/* Stores n >= 64 bytes at o, VECTOR(x) being those at x: whole lines past the
 * caches, the ragged ends plainly and without a byte of those lines, which would
 * halve their speed. Lines go backwards where that walks the source forwards. x is
 * a multiple of 1 << grain; where lines begin at none, all stores are plain.
 * FETCH(x) comes before the line at x. */
#define STREAM_ROW(o, n, grain, backwards, VECTOR, FETCH)                               \
  do {                                                                                  \
    const int64_t align_ = -(uintptr_t)(o) & (S1_LINE - 1);                             \
    const int64_t lines_ = align_ & ((1 << (grain)) - 1) ? 0 : ((n) - align_) / S1_LINE; \
    const int64_t head_ = lines_ ? align_ : 0, tail_ = head_ + lines_ * S1_LINE;        \
    for (int64_t x_ = 0; x_ < head_; x_ += V) store_part((o) + x_, VECTOR(x_), 0, min_of(head_ - x_, V)); \
    for (int64_t l_ = 0; l_ < lines_; l_++) {                                           \
      const int64_t x_ = head_ + S1_LINE * ((backwards) ? lines_ - 1 - l_ : l_);        \
      FETCH(x_);                                                                        \
      const vec first_ = VECTOR(x_);                                                    \
      if (V == S1_LINE) {                                                               \
        store_past((o) + x_, first_);                                                   \
      } else {                                                                          \
        const vec last_ = VECTOR(x_ + S1_LINE - V);                                     \
        store_past((o) + x_, first_);                                                   \
        store_past((o) + x_ + S1_LINE - V, last_);                                      \
      }                                                                                 \
    }                                                                                   \
    int64_t x_ = tail_;                                                                 \
    for (; x_ <= (n) - V; x_ += V) store((o) + x_, VECTOR(x_));                         \
    if (x_ < (n)) store_part((o) + ((n) - V), VECTOR((n) - V), x_ - ((n) - V), V);      \
  } while (0)

#endif

/* for (i = 0; i < n; i++) d[i] = s[i], for n in [size, 2*size) */
#define COPY_TWO(d, s, n, type)                      \
  do {                                               \
    type a_, b_;                                     \
    memcpy(&a_, (s), sizeof a_);                     \
    memcpy(&b_, (s) + ((n) - sizeof b_), sizeof b_); \
    memcpy((d), &a_, sizeof a_);                     \
    memcpy((d) + ((n) - sizeof b_), &b_, sizeof b_); \
  } while (0)

/* for (i = 0; i < n; i++) d[i] = s[i], for n in [vectors*V, (vectors+1)*V) */
FN void copy_vectors(uint8_t *d, const uint8_t *s, int64_t n, int vectors) {
  int i = 0;
#if V == 16 /* which loads and stores pairs as one */
#pragma GCC unroll 4
  for (; i <= vectors - 2; i += 2) {
    const vec a = load(s + i * V), b = load(s + (i + 1) * V);
    store(d + i * V, a);
    store(d + (i + 1) * V, b);
  }
#endif
#pragma GCC unroll 8
  for (; i < vectors; i++) store(d + i * V, load(s + i * V));
  if (n > vectors * V) store(d + (n - V), load(s + (n - V)));
}

/* for (i = 0; i < n; i++) d[i] = s[i], for n >= 4*V. Not by memcpy, which some C
 * libraries make of `rep movsb`, whatever the alignment of the rows. */
FN void copy_long(uint8_t *d, const uint8_t *s, int64_t n) {
  int64_t i = 0;
  for (; i <= n - 4 * V; i += 4 * V) copy_vectors(d + i, s + i, 4 * V, 4);
  for (; i <= n - V; i += V) store(d + i, load(s + i));
  if (i < n) store(d + (n - V), load(s + (n - V)));
}

#if V > 16
FN void row_copy_stream(uint8_t *d, const uint8_t *s, int64_t n, horizon h) {
#define VECTOR(x) load(s + (x))
#define FETCH(x) fetch(s + (x), h)
  STREAM_ROW(d, n, 0, 0, VECTOR, FETCH);
#undef FETCH
#undef VECTOR
}

FN void run_copy_stream(const s1_prog *p, uint8_t *dst, const uint8_t *src) {
  const horizon h = horizon_of(p, src);
  const int64_t n = p->count * p->width;
  EACH_ROW(p, dst, src, {
    row_copy_stream(d, s, n, h);
    for (int64_t x = n - 1; x < p->reach; x += S1_LINE) fetch(s + x, h); /* a row straddles a line more */
  });
}
#endif

FN void run_copy(const s1_prog *p, uint8_t *dst, const uint8_t *src) {
  const int64_t n = p->count * p->width;
  switch (n < 9 * V ? n / V : 9) {
#define CASE(c) \
  case c: EACH_ROW(p, dst, src, copy_vectors(d, s, n, c)); break;
    CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
#undef CASE
    case 9: EACH_ROW(p, dst, src, copy_long(d, s, n)); break;
    default:
#if V > 32
      if (n >= 32) EACH_ROW(p, dst, src, COPY_TWO(d, s, n, vec32));
      else
#endif
#if V > 16
      if (n >= 16) EACH_ROW(p, dst, src, COPY_TWO(d, s, n, loose16));
      else
#endif
      if (n >= 8) EACH_ROW(p, dst, src, COPY_TWO(d, s, n, uint64_t));
      else if (n >= 4) EACH_ROW(p, dst, src, COPY_TWO(d, s, n, uint32_t));
      else if (n >= 2) EACH_ROW(p, dst, src, COPY_TWO(d, s, n, uint16_t));
      else EACH_ROW(p, dst, src, *d = *s);
  }
}

/* 16 bytes of the elements of w bytes at s, s + ss, s + 2*ss, ... */
FN vec16 gather(const uint8_t *s, int64_t ss, int w) {
  typedef uint16_t v2 __attribute__((vector_size(16)));
  typedef uint32_t v4 __attribute__((vector_size(16)));
  typedef uint64_t v8 __attribute__((vector_size(16)));
#define AT(i, type) load_##type(s + (i) * ss)
  switch (w) {
    case 1:
      return (vec16){s[0], s[ss], s[2 * ss], s[3 * ss], s[4 * ss], s[5 * ss], s[6 * ss], s[7 * ss],
                     s[8 * ss], s[9 * ss], s[10 * ss], s[11 * ss], s[12 * ss], s[13 * ss], s[14 * ss], s[15 * ss]};
    case 2: return (vec16)(v2){AT(0, u16), AT(1, u16), AT(2, u16), AT(3, u16), AT(4, u16), AT(5, u16), AT(6, u16), AT(7, u16)};
    case 4: return (vec16)(v4){AT(0, u32), AT(1, u32), AT(2, u32), AT(3, u32)};
    default: return (vec16)(v8){AT(0, u64), AT(1, u64)};
  }
#undef AT
}

/* for (i = 0; i < n; i++) element i of d = the element s, for at least 16 bytes */
FN void row_fill(uint8_t *d, const uint8_t *s, int64_t n, int w) {
  const vec16 x = gather(s, 0, w);
  uint8_t bytes[V];
  for (int i = 0; i < V; i += 16) store16(bytes + i, x);
  const vec v = load(bytes);
  int64_t i = 0;
  for (; i <= n * w - 4 * V; i += 4 * V) {
    store(d + i, v), store(d + i + V, v);
    store(d + i + 2 * V, v), store(d + i + 3 * V, v);
  }
  for (; i <= n * w - V; i += V) store(d + i, v);
#if V > 16
  for (; i <= n * w - 16; i += 16) store16(d + i, x);
#endif
  store16(d + (n * w - 16), x);
}

/* for (i = 0; i < n; i++) element i of d = the element s + i*ss, for at least 16 bytes */
FN void row_gather(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, int w) {
  int64_t i = 0;
  if (w == 1 && (ss == S1_LINE || ss == -S1_LINE)) {
    /* By one load instruction: where each line in turn has one byte, what sets the pace
     * is how well the processor fetches ahead, and it looks at each instruction apart. */
#pragma GCC unroll 1
    for (; i < n; i++, s += ss) d[i] = *s;
    return;
  }
  for (; w == 8 && i <= n - 4; i += 4) {
    store16(d + i * w, gather(s + i * ss, ss, w));
    store16(d + (i + 2) * w, gather(s + (i + 2) * ss, ss, w));
  }
  for (; i <= n - 16 / w; i += 16 / w) store16(d + i * w, gather(s + i * ss, ss, w));
  if (i < n) store16(d + (n * w - 16), gather(s + (n - 16 / w) * ss, ss, w));
}

/* for (i = 0; i < n; i++) the element d + i*ds = the element s + i*ss */
FN void row_scatter(uint8_t *d, const uint8_t *s, int64_t n, int64_t ds, int64_t ss, int w) {
  /* Four at a time, so that stepping the addresses is no chain of additions. */
  for (; n >= 4; n -= 4, d += 4 * ds, s += 4 * ss) {
    memcpy(d, s, (size_t)w);
    memcpy(d + ds, s + ss, (size_t)w);
    memcpy(d + 2 * ds, s + 2 * ss, (size_t)w);
    memcpy(d + 3 * ds, s + 3 * ss, (size_t)w);
  }
  for (; n > 0; n--, d += ds, s += ss) memcpy(d, s, (size_t)w);
}

#if V > 16
/* row_gather for an output too large for the caches. Elements two lines or more
 * apart are fetched ahead; what processors make of fewer, they fetch themselves. */
FN void row_gather_stream(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, int w, horizon h) {
  const int64_t align = -(uintptr_t)d & (S1_LINE - 1), a_line = S1_LINE / w;
  const int apart = ss <= -2 * S1_LINE || ss >= 2 * S1_LINE;
  int64_t i = align % w ? n : min_of(align / w, n);
  row_scatter(d, s, i, w, ss, w);
  for (; i <= n - a_line; i += a_line) {
    for (int64_t x = i; apart && x < i + a_line; x++) fetch(s + x * ss, h);
    uint8_t line[S1_LINE];
    for (int64_t x = 0; x < a_line; x += 16 / w) store16(line + x * w, gather(s + (i + x) * ss, ss, w));
    for (int x = 0; x < S1_LINE; x += V) store_past(d + i * w + x, load(line + x));
  }
  row_scatter(d + i * w, s + i * ss, n - i, w, ss, w);
}
#endif

#if V < 64 /* wider sets mask */
/* for (j = 0; j < unit; j += w) the element d + j = the element s + pattern[j] */
static __attribute__((noinline)) ISA void unit_elements(const s1_prog *p, uint8_t *d, const uint8_t *s) {
  const int n = (int)p->advance;
  const int32_t *at = p->element;
#define EACH(w) \
  for (int j = 0; j < n; j += w) memcpy(d + j, s + *at++, w)
  switch (p->width) {
    case 1: EACH(1); break;
    case 2: EACH(2); break;
    case 4: EACH(4); break;
    default: EACH(8);
  }
#undef EACH
}
#endif

/* Runs `row` with w the width as a constant. */
#define EACH_ROW_BY_WIDTH(p, dst, src, row)                      \
  do {                                                           \
    const int64_t n = (p)->count, ds = (p)->dst, ss = (p)->src;  \
    (void)ds, (void)ss;                                          \
    switch ((p)->width) {                                        \
      case 1: { enum { w = 1 }; EACH_ROW(p, dst, src, row); break; } \
      case 2: { enum { w = 2 }; EACH_ROW(p, dst, src, row); break; } \
      case 4: { enum { w = 4 }; EACH_ROW(p, dst, src, row); break; } \
      default: { enum { w = 8 }; EACH_ROW(p, dst, src, row); } \
    }                                                            \
  } while (0)

FN void run_fill(const s1_prog *p, uint8_t *dst, const uint8_t *src) {
  EACH_ROW_BY_WIDTH(p, dst, src, row_fill(d, s, n, w));
}

FN void run_gather(const s1_prog *p, uint8_t *dst, const uint8_t *src) {
  EACH_ROW_BY_WIDTH(p, dst, src, row_gather(d, s, n, ss, w));
}

#if V > 16
FN void run_gather_stream(const s1_prog *p, uint8_t *dst, const uint8_t *src) {
  const horizon h = horizon_of(p, src);
  EACH_ROW_BY_WIDTH(p, dst, src, row_gather_stream(d, s, n, ss, w, h));
}
#endif

FN void run_scatter(const s1_prog *p, uint8_t *dst, const uint8_t *src) {
  EACH_ROW_BY_WIDTH(p, dst, src, row_scatter(d, s, n, ds, ss, w));
}

/* A tile is high = 16/w elements of each of `wide` source lines, wide the elements
 * of a piece: for (y...high) for (x...wide) element x of rows[y] = s[x*ss + y*sy], w
 * bytes each, sy being w or 2*w. Zipping lines half a tile apart, as often as high
 * can be halved, transposes them. */
FN void zip_rows(piece *rows, int w) {
  const int n = 16 / w;
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

FN void tile_rows(piece *rows, const uint8_t *s, int64_t ss, int64_t sy, int w) {
  const int n = 16 / w;
#pragma GCC unroll 16
  for (int i = 0; i < n; i++) rows[i] = sy == w ? load_piece(s + i * ss, n * ss) : load_every2(s + i * ss, n * ss, w);
  zip_rows(rows, w);
}

/* for (y...high) for (x...wide) d[y*ds + x*w] = s[x*ss + y*sy] */
FN void tile(uint8_t *d, int64_t ds, const uint8_t *s, int64_t ss, int64_t sy, int w) {
  piece rows[16];
  tile_rows(rows, s, ss, sy, w);
#pragma GCC unroll 16
  for (int i = 0; i < 16 / w; i++) memcpy(d + i * ds, &rows[i], sizeof rows[i]);
}

#if V > 16
/* The same for sy of 2*w, where lines go on behind the tile. */
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
#endif

#if V > 16
/* Two tiles of 8 bytes, one below the other: for (y...4) for (x...4) d[y*ds + x*8] = s[x*ss + y*8] */
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

/* The same tile for any sy. */
FN void tile_apart(uint8_t *d, int64_t ds, const uint8_t *s, int64_t ss, int64_t sy, int w) {
  for (int y = 0; y < 16 / w; y++)
    for (int x = 0; x < (int)sizeof(piece); x += 16) store16(d + y * ds + x, gather(s + y * sy + x / w * ss, ss, w));
}

/* Runs `tile` along a row of n elements, the last time overlapping the time before. */
#define ALONG(n, wide, tile)                                     \
  for (;; n -= wide, d += sizeof(piece), s += wide * ss) {       \
    if (n < wide) d += (n - wide) * w, s += (n - wide) * ss;     \
    tile;                                                        \
    if (n <= wide) break;                                        \
  }

/* for (y = 0; y < 16/w; y++) for (x = 0; x < n; x++)
 *   the element d + y*ds + x*w = the element s + y*sy + x*ss
 * `every` is 1 or 2 where sy is that many elements up or down, else 0; `inside` says
 * that the lines go on behind their last element. */
FN void strip(uint8_t *d, int64_t ds, const uint8_t *s, int64_t ss, int64_t sy, int64_t n, int every, int inside, int w) {
  const int64_t wide = (int64_t)sizeof(piece) / w;
  if (sy < 0) { /* upside down, so that lines ascend */
    d += (16 / w - 1) * ds, ds = -ds;
    s += (16 / w - 1) * sy, sy = -sy;
  }
  (void)inside;
  if (every == 1) ALONG(n, wide, tile(d, ds, s, ss, w, w))
#if V > 16
  else if (every == 2 && inside) ALONG(n, wide, tile_inside(d, ds, s, ss, w))
#endif
  else if (every == 2) ALONG(n, wide, tile(d, ds, s, ss, 2 * w, w))
  else ALONG(n, wide, tile_apart(d, ds, s, ss, sy, w))
}

#if V > 16
/* The same for 4 rows of 8 bytes whose sy is 8 up or down. */
FN void strip_squares(uint8_t *d, int64_t ds, const uint8_t *s, int64_t ss, int64_t sy, int64_t n) {
  enum { w = 8, wide = 4 };
  if (sy < 0) {
    d += 3 * ds, ds = -ds;
    s += 3 * sy;
  }
  ALONG(n, wide, tile_square(d, ds, s, ss))
}
#endif

/* for (y = 0; y < across.extent; y++) for (x = 0; x < n; x++)
 *   the element d + y*across.dst + x*w = the element s + y*across.src + x*ss
 * in blocks of a few lines of source by `block` elements, so that each line is read
 * once and brings the next; the last tiles overlap those before. `every` is strip's. */
FN void block_tiles(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, s1_dim across, int64_t block, int every, int w) {
  const int64_t high = 16 / w, sy = across.src, lines = 4 * S1_LINE / (sy < 0 ? -sy : sy) + high - 1;
  const int64_t rows = lines / high * high;
  for (int64_t yb = 0; yb < across.extent; yb += rows) {
    const int64_t y_end = yb + rows < across.extent ? yb + rows : across.extent;
    for (int64_t xb = 0; xb < n; xb += block) {
      const int64_t x = n - xb > block ? block : n - xb;
      const int64_t x0 = x < (int64_t)sizeof(piece) / w ? n - (int64_t)sizeof(piece) / w : xb;
      const int64_t count = n - x0 < block ? n - x0 : block;
      for (int64_t yt = yb; yt < y_end; yt += high) {
        const int64_t y = yt <= across.extent - high ? yt : across.extent - high;
        const int inside = sy < 0 ? y > 0 : y < across.extent - high;
        uint8_t *const o = d + (y * across.dst + x0 * w);
        const uint8_t *const i = s + (y * sy + x0 * ss);
#if V > 16
        if (w == 8 && every == 1 && y_end - yt >= 2 * high) {
          strip_squares(o, across.dst, i, ss, sy, count);
          yt += high;
          continue;
        }
#endif
        strip(o, across.dst, i, ss, sy, count, every, inside, w);
      }
    }
  }
}

#if V > 16
/* for (i = 0; i < n; i++) d[i] = x[i], n less than a line */
FN void put_part(uint8_t *d, const uint8_t *x, int64_t n) {
  for (; n >= 16; n -= 16, d += 16, x += 16) store16(d, load16(x));
  for (; n >= 4; n -= 4, d += 4, x += 4) memcpy(d, x, 4);
  for (; n > 0; n--) *d++ = *x++;
}

/* Bytes [from, to) of a row of the destination, from x on: whole lines past the
 * caches, the ragged ends plainly. */
FN void put_lines(uint8_t *d, int64_t from, int64_t to, const uint8_t *x) {
  const int64_t head = min_of(-(uintptr_t)(d + from) & (S1_LINE - 1), to - from);
  put_part(d + from, x, head);
  for (from += head, x += head; from <= to - S1_LINE; from += S1_LINE, x += S1_LINE)
    for (int i = 0; i < S1_LINE; i += V) store_past(d + from + i, load(x + i));
  put_part(d + from, x, to - from);
}

/* Two tiles side by side, packed lines of source, to whole lines of the destination. */
FN void tiles_past(uint8_t *d, int64_t ds, const uint8_t *lines, int w) {
  piece left[16], right[16];
  tile_rows(left, lines, S1_LINE, w, w);
  tile_rows(right, lines + sizeof(piece) / w * S1_LINE, S1_LINE, w, w);
#pragma GCC unroll 16
  for (int i = 0; i < 16 / w; i++) {
    _mm256_stream_si256((__m256i *)(d + i * ds), left[i]);
    _mm256_stream_si256((__m256i *)(d + i * ds + sizeof(piece)), right[i]);
  }
}

/* block_tiles for an output too large for the caches. The source lines of a block
 * are packed first: a pitch that is a multiple of many lines leaves them little of
 * the first-level cache. Where lines of the destination do not begin with a tile,
 * rows are made apart, and of each a block stores the lines that begin in it, for
 * which it makes up to a line more than it is wide. So are rows of bytes, whose
 * tiles leave too many lines half stored at a time. */
FN void block_tiles_stream(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, s1_dim across, int w, horizon h) {
  enum { WIDE = 256, PITCH = WIDE + S1_LINE, GROUP = 16 };
  uint8_t lines[PITCH * S1_LINE], made[GROUP * PITCH];
  const int64_t high = 16 / w, tall = S1_LINE / w, end = n * w, sy = across.src;
  const int64_t more = ((uintptr_t)d | (uint64_t)across.dst) & (S1_LINE - 1) ? S1_LINE : 0;
  for (int64_t xb = 0; xb < end; xb += WIDE) {
    const int64_t last = min_of(xb + WIDE + more, end), first = min_of(xb, last - (int64_t)sizeof(piece)), count = (last - first) / w;
    const int aligned = w > 1 && more == 0 && (last - first) % S1_LINE == 0;
    for (int64_t yb = 0; yb < across.extent; yb += tall) {
      const int64_t y0 = min_of(yb, across.extent - high), rows = min_of(tall, across.extent - y0);
      const uint8_t *from = s + (first / w * ss + y0 * sy);
      const int64_t up = sy < 0 ? -sy : sy, back = sy < 0 ? (tall - 1) * up : 0;
      if (rows == tall && up == w) {
        for (int64_t x = 0; x < count; x++, from += ss) {
          fetch(from, h);
          for (int i = 0; i < S1_LINE; i += V) store(lines + x * S1_LINE + i, load(from - back + i));
        }
      } else if (rows == tall && up == 2 * w) {
        for (int64_t x = 0; x < count; x++, from += ss) {
          fetch(from, h), fetch(from + (sy < 0 ? -S1_LINE : S1_LINE), h);
          for (int i = 0; i < S1_LINE; i += sizeof(piece)) {
            const piece every2 = load_every2(from - back + 2 * i, sizeof(piece), w);
            memcpy(lines + x * S1_LINE + i, &every2, sizeof every2);
          }
        }
      } else {
        for (int64_t x = 0; x < count; x++, from += ss)
          for (int64_t y = 0; y < rows; y++) memcpy(lines + x * S1_LINE + (sy < 0 ? rows - 1 - y : y) * w, from + y * sy, (size_t)w);
      }
      const int whole = aligned && rows == tall;
      /* Packed lines ascend: of a source that descends they begin with the last row. */
      const int64_t ds = sy < 0 ? -across.dst : across.dst;
      uint8_t *const top = d + (sy < 0 ? y0 + rows - 1 : y0) * across.dst;
      for (int64_t y = 0; whole && y < rows; y += high)
        for (int64_t x = 0; x < count; x += tall) tiles_past(top + y * ds + first + x * w, ds, lines + x * S1_LINE + y * w, w);
      for (int64_t yg = 0; !whole && yg < rows; yg += GROUP) {
        const int64_t group = min_of(GROUP, rows), g = min_of(yg, rows - group);
        for (int64_t y = 0; y < group; y += high) {
          const int64_t at = min_of(y, group - high);
          strip(made + at * PITCH, PITCH, lines + (g + at) * w, S1_LINE, w, count, 1, 0, w);
        }
        for (int64_t y = 0; y < group; y++) {
          uint8_t *const row = top + (g + y) * ds;
          const int64_t begin = xb ? xb + (int64_t)(-(uintptr_t)(row + xb) & (S1_LINE - 1)) : 0;
          const int64_t stop = xb + WIDE < end ? min_of(end, xb + WIDE + (int64_t)(-(uintptr_t)(row + xb + WIDE) & (S1_LINE - 1))) : end;
          if (begin < stop) put_lines(row, begin, stop, made + y * PITCH + (begin - first));
        }
      }
    }
  }
}

FN void run_tile_stream(const s1_prog *p, uint8_t *dst, const uint8_t *src) {
  const horizon h = horizon_of(p, src);
  EACH_ROW_BY_WIDTH(p, dst, src, block_tiles_stream(d, s, n, ss, p->across, w, h));
}
#endif

FN void run_tile(const s1_prog *p, uint8_t *dst, const uint8_t *src) {
  const int64_t up = p->across.src < 0 ? -p->across.src : p->across.src;
  if (up == p->width) EACH_ROW_BY_WIDTH(p, dst, src, block_tiles(d, s, n, ss, p->across, p->block, 1, w));
  else if (up == 2 * p->width) EACH_ROW_BY_WIDTH(p, dst, src, block_tiles(d, s, n, ss, p->across, p->block, 2, w));
  else EACH_ROW_BY_WIDTH(p, dst, src, block_tiles(d, s, n, ss, p->across, p->block, 0, w));
}
