/* gather.h - the loops that gather rows or copy them element by element, and the function that
 * copies one unit element by element. */

/* Returns the 16/w elements of w bytes at s, s + ss, s + 2*ss, ... */
FN vec16 gather(const uint8_t *s, int64_t ss, int w) {
#define AT(i, type) load_##type(s + (i)*ss)
  switch (w) {
    case 1:
      return (vec16){s[0],      s[ss],     s[2 * ss],  s[3 * ss],  s[4 * ss],  s[5 * ss],  s[6 * ss],  s[7 * ss],
                     s[8 * ss], s[9 * ss], s[10 * ss], s[11 * ss], s[12 * ss], s[13 * ss], s[14 * ss], s[15 * ss]};
    case 2: return (vec16)(u16x8){AT(0, u16), AT(1, u16), AT(2, u16), AT(3, u16), AT(4, u16), AT(5, u16), AT(6, u16), AT(7, u16)};
    case 4: return (vec16)(u32x4){AT(0, u32), AT(1, u32), AT(2, u32), AT(3, u32)};
    default: must_be(w, 8); return (vec16)(u64x2){AT(0, u64), AT(1, u64)};
  }
#undef AT
}

/* for (i = 0; i < n; i++) element i of d = the element at s. Elements have w bytes, and n*w is at
 * least 16. */
OUTLINE void row_fill(uint8_t *d, const uint8_t *s, int64_t n, int w) {
  const vec16 x = gather(s, 0, w);
  uint8_t bytes[V];
  for (int i = 0; i < V; i += 16) store16(bytes + i, x);
  const vec v = load(bytes);
  int64_t i = 0;
#pragma GCC unroll 4
  for (; i <= n * w - V; i += V) store(d + i, v);
#if V > 16
  for (; i <= n * w - 16; i += 16) store16(d + i, x);
#endif
  store16(d + (n * w - 16), x);
}

/* for (i = 0; i < done; i++) element i of d = the element at s + i*ss, for elements of 8 bytes.
 * Returns `done`, which is n rounded down to a multiple of 4, or of 2 for NEON. If the source spans
 * at most 65536 bytes, not much more than a first-level cache, vectors of the first and of the
 * second half of the row take turns. In one pass, each line would displace a line that the next run
 * of the program reads sooner. One pass is up to 1.4 times as fast where lines come from the
 * second-level cache. */
FN int64_t row_gather8(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss) {
  enum { wide = V > 16 ? 32 : 16, count = wide / 8 };
  typedef uint64_t part __attribute__((vector_size(wide), aligned(1), may_alias));
#if V > 16
#define PART(s) ((part){load_u64(s), load_u64((s) + ss), load_u64((s) + 2 * ss), load_u64((s) + 3 * ss)})
#else
#define PART(s) ((part){load_u64(s), load_u64((s) + ss)})
#endif
  const int64_t half = n * (ss < 0 ? -ss : ss) <= 65536 ? n / 2 & -count : 0;
  const uint8_t *const t = s + half * ss;
  uint8_t *e = d + half * 8;
  int64_t offset = 0;
  for (int64_t i = half; i > 0; i -= count, offset += count * ss, d += wide, e += wide) {
    const part a = PART(s + offset), b = PART(t + offset);
    *(part *)d = a, compiler_barrier();
    *(part *)e = b, compiler_barrier();
  }
  for (int64_t i = n - 2 * half; i >= count; i -= count, offset += count * ss, e += wide) *(part *)e = PART(t + offset), compiler_barrier();
#undef PART
  return n & -count;
}

/* for (i = 0; i < n; i++) element i of d = the element at s + i*ss. Elements have w bytes, and n*w
 * is at least 16. If `distance` is not 0, each load prefetches what lies so many bytes further on.
 * That may be outside of every buffer, where a prefetch does nothing. So its address is a number
 * and not a pointer. */
FN void row_gather(uint8_t *d, const uint8_t *s, int64_t n, int64_t ss, int64_t distance, int w) {
  int64_t i = 0;
  if (ss == 0) {
    row_fill(d, s, n, w);
    return;
  }
  if (distance) {
    /* One load instruction does all loads, since the processor's own prefetcher follows each load
     * instruction by itself. */
#pragma GCC unroll 1
    for (int64_t offset = 0; i < n; i++, offset += ss) {
      __builtin_prefetch((const void *)((uintptr_t)s + (uintptr_t)(offset + distance)), 0, 2);
      memcpy(d + i * w, s + offset, (size_t)w);
    }
    return;
  }
  if (w == 8) i = row_gather8(d, s, n, ss);
  for (; i <= n - 16 / w; i += 16 / w) store16(d + i * w, gather(s + i * ss, ss, w));
  if (i < n) store16(d + (n * w - 16), gather(s + (n - 16 / w) * ss, ss, w));
}

/* for (i = 0; i < n; i++) the element at d + i*ds = the element at s + i*ss. Elements have w
 * bytes. */
FN void row_element(uint8_t *d, const uint8_t *s, int64_t n, int64_t ds, int64_t ss, int w) {
  int64_t dst_offset = 0, src_offset = 0;
  /* Four elements an iteration, so that only one address in four waits for the one before it. */
  for (; n >= 4; n -= 4, dst_offset += 4 * ds, src_offset += 4 * ss) {
    uint64_t x[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) memcpy(&x[i], s + (src_offset + i * ss), (size_t)w);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) memcpy(d + (dst_offset + i * ds), &x[i], (size_t)w);
  }
  for (; n > 0; n--, dst_offset += ds, src_offset += ss) memcpy(d + dst_offset, s + src_offset, (size_t)w);
}

/* for (i = 0; i < n / w; i++) the element at d + i*w = the element at s + places[i]. Elements have
 * w bytes, and all of them n bytes. */
FN void elements_at(uint8_t *d, const uint8_t *s, const int32_t *places, int n, int w) {
  for (int i = 0; i < n; i += w) memcpy(d + i, s + *places++, (size_t)w);
}

/* Copies a unit of p->units element by element. */
OUTLINE void unit_elements(const s1_program *p, uint8_t *d, const uint8_t *s) { BY_WIDTH(p->width, elements_at, d, s, p->units.element, (int)p->units.unit); }

FN void rows_gather(const s1_program *p, uint8_t *dst, const uint8_t *src, int w) {
  const s1_dim row = p->row;
  const int64_t distance = p->prefetch.distance;
  row_cursor r = FIRST_ROW(p, dst, src);
  do row_gather(r.d, r.s, row.extent, row.src, distance, w);
  while (next_row(&r));
}

FN void run_gather(const s1_program *p, uint8_t *dst, const uint8_t *src) { BY_WIDTH(p->width, rows_gather, p, dst, src); }

FN void rows_element(const s1_program *p, uint8_t *dst, const uint8_t *src, int w) {
  const s1_dim row = p->row;
  row_cursor r = FIRST_ROW(p, dst, src);
  do row_element(r.d, r.s, row.extent, row.dst, row.src, w);
  while (next_row(&r));
}

FN void run_element(const s1_program *p, uint8_t *dst, const uint8_t *src) { BY_WIDTH(p->width, rows_element, p, dst, src); }
