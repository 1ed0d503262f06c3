/* lookup.h - bytes that become entries of tables of 256 entries. convert.h includes this file.
 *
 *   for (i = 0; i < n; i++) d[i] = t[i % tables][s[i]]
 *
 * Eight bytes at a time are looked up by eight loads. A gather takes 1.7 times as long on a Zen 4.
 * A set with TABLE_PLANES has a faster way for many bytes with one table, by permutations of bytes.
 */

/* From so many bytes for each table on, it pays to put the table in another order. */
enum { MANY = 512 };

/* How the rows of a conversion are looked up. */
typedef struct {
  int64_t count;            /* bytes of a row */
  int64_t tables, together; /* how many tables a row has; how many successive bytes have one table */
  int size, nt;             /* bytes of an entry; 1 if whole lines are stored by non-temporal stores:
                               there are entries of 4 bytes then, and one table or three */
#if TABLE_PLANES
  const uint8_t *made; /* the first table that `planes` has, or null */
  uint8_t planes[3 * TABLE_PLANES] __attribute__((aligned(V)));
#endif
} tables_of_rows;

/* Looks up s[0] to s[7], s[k] in table (first + k) % tables of those at t. If `nt`, entries have 4
 * bytes, and d is a multiple of 32. */
FN void look_up8(uint8_t *d, const uint8_t *s, const uint8_t *t, int tables, int first, int nt, int size) {
  uint64_t x = load_u64(s);
  const uint8_t *e[8];
#define ENTRY(k, byte) e[k] = t + size * 256 * ((first + k) % tables) + (uint64_t)size * (uint8_t)(byte)
#pragma GCC unroll 4
  for (int k = 0; k < 8; k += 2) {
    ENTRY(k, x), ENTRY(k + 1, x >> 8); /* two bytes of a register without a shift */
    x >>= 16;
    __asm__("" : "+r"(x)); /* compilers would shift x anew for each byte */
  }
#undef ENTRY
#if HAS_STREAMS
  if (size == 4) {
    store_eight(d, e, nt);
    return;
  }
#endif
  (void)nt;
#pragma GCC unroll 8
  for (int k = 0; k < 8; k++) memcpy(d + k * size, e[k], (size_t)size);
}

/* Looks up as many of n bytes as make whole groups, in 1 or 3 tables, and returns how many. If
 * `nt`, a group makes whole lines. */
FN int64_t look_up_groups(uint8_t *d, const uint8_t *s, int64_t n, const uint8_t *t, int tables, int nt, int size) {
  const int group = tables * (HAS_STREAMS && nt ? S1_LINE / 4 : 8);
  int64_t i = 0;
  for (; i + group <= n; i += group) {
#pragma GCC unroll 6
    for (int k = 0; k < group; k += 8) look_up8(d + (i + k) * size, s + i + k, t, tables, k, nt, size);
  }
  return i;
}

/* Looks up n bytes. Entries have a constant size, so that memcpy is a load and a store. */
FN void look_up_each(uint8_t *d, const uint8_t *s, int64_t n, const uint8_t *t, int64_t tables, int size) {
  for (int64_t i = 0, k = 0; i < n; i++, k = k + 1 == tables ? 0 : k + 1) memcpy(d + i * size, t + size * (256 * k + s[i]), (size_t)size);
}

/* Looks up n bytes, the first of them in the first table. */
OUTLINE void NAMED(SET, look_up_row)(uint8_t *d, const uint8_t *s, int64_t n, const uint8_t *t, int64_t tables, int size) {
  int64_t done = 0;
#define GROUPS(tables, size) done = look_up_groups(d, s, n, t, tables, 0, size)
  if (tables == 1) {
    BY_WIDTH(size, GROUPS, 1)
  } else if (tables == 3) {
    BY_WIDTH(size, GROUPS, 3)
  }
#undef GROUPS
  BY_WIDTH(size, look_up_each, d + done * size, s + done, n - done, t, tables)
}

#if HAS_STREAMS
/* Looks up as many of n bytes as make whole groups of lines of d, in 1 or 3 tables of entries of 4
 * bytes, and returns how many. */
OUTLINE int64_t NAMED(SET, look_up_nt)(uint8_t *d, const uint8_t *s, int64_t n, const uint8_t *t, int64_t tables) {
  return tables == 3 ? look_up_groups(d, s, n, t, 3, 1, 4) : look_up_groups(d, s, n, t, 1, 1, 4);
}

/* How many bytes lie before the first line of d, a multiple of 4, that begins with an entry of the
 * first table. For example, of three tables and with 4 entries before a line begins, these are 36:
 * 12 times all three tables, which end two lines later. */
FN int64_t before_lines(const uint8_t *d, int64_t tables) {
  int64_t n = (int64_t)(-(uintptr_t)d % S1_LINE) / 4;
  while (n % tables) n += S1_LINE / 4;
  return n;
}
#endif

/* Looks up a row. */
OUTLINE void NAMED(SET, look_up)(tables_of_rows *l, uint8_t *d, const uint8_t *s, const uint8_t *t) {
  const int size = l->size;
  int64_t n = l->count;
#define DONE(count)                         \
  do {                                      \
    const int64_t done = count;             \
    d += done * size, s += done, n -= done; \
  } while (0)
#if HAS_STREAMS
  const int nt = l->nt && (uintptr_t)d % 4 == 0;
  if (nt) {
    const int64_t head = min_of(before_lines(d, l->tables), n);
    NAMED(SET, look_up_row)(d, s, head, t, l->tables, 4);
    DONE(head);
  }
#endif
#if TABLE_PLANES
  if (has_planes(l->tables, size) && l->together >= MANY * l->tables) {
    const int64_t whole = n / (l->tables * V) * (l->tables * V);
    if (t != l->made)
      for (int64_t k = 0; k < l->tables; k++) make_planes(l->planes + k * TABLE_PLANES, t + k * 256 * size, size);
    l->made = t;
    by_planes(d, s, whole, l->planes, l->tables, nt, size);
    DONE(whole);
  }
#endif
#if HAS_STREAMS
  if (nt) DONE(NAMED(SET, look_up_nt)(d, s, n, t, l->tables));
#endif
#undef DONE
  NAMED(SET, look_up_row)(d, s, n, t, l->tables, size);
}

/* Sets l to how the rows of c are looked up. It leaves l->planes as they are. */
FN void set_lookup(tables_of_rows *l, const s1_conversion *c, int size) {
  l->count = c->count, l->tables = c->period > 1 ? c->period : 1, l->size = size, l->nt = (int)c->nt;
  l->together = c->count;
  for (int64_t r = c->loops - 1; r >= 0 && c->loop[r].param == 0; r--) l->together *= c->loop[r].extent;
#if TABLE_PLANES
  l->made = 0;
#endif
}
