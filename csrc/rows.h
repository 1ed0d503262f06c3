/* rows.h - the loop that copies rows, written once for all instruction sets.
 *
 * These loops declare no pointer restrict, so compilers must expect source and destination to
 * alias. They then cannot reorder stores that have a load between them, and the stores stay in
 * ascending order, which the caches want. Where no load lies between stores, compiler_barrier() of
 * vec.h keeps the order. */

/* for (i = 0; i < n; i++) d[i] = s[i], for n from `size` to 2 * size, and `size` of 2, 4, 8, 16 or
 * 32: two loads, then two stores, which overlap if n is less than 2 * size. */
FN void copy_two(uint8_t *d, const uint8_t *s, int64_t n, int size) {
  if (V > 16 && size == V / 2) {
    const half a = load_half(s), b = load_half(s + (n - V / 2));
    store_half(d, a), store_half(d + (n - V / 2), b);
    return;
  }
  if (V > 32 && size == 16) {
    const vec16 a = load16(s), b = load16(s + (n - 16));
    store16(d, a), store16(d + (n - 16), b);
    return;
  }
  uint64_t a, b;
  memcpy(&a, s, (size_t)size), memcpy(&b, s + (n - size), (size_t)size);
  memcpy(d, &a, (size_t)size), memcpy(d + (n - size), &b, (size_t)size);
}

/* for (i = 0; i < n; i++) d[i] = s[i], for n in [vectors*V, (vectors+1)*V) and `vectors` from 1 to
 * 8. Everything is loaded before the first store. */
FN void copy_vectors(uint8_t *d, const uint8_t *s, int64_t n, int vectors) {
  const vec end = load(s + (n - V));
  vec x[8];
#pragma GCC unroll 8
  for (int i = 0; i < vectors; i++) x[i] = load(s + i * V);
#pragma GCC unroll 8
  for (int i = 0; i < vectors; i++) store_in_order(d + i * V, x[i]);
  if (n > vectors * V) store(d + (n - V), end);
}

/* A row of n bytes. `vectors` is n / V, or 9 if that is more than 8. If n is less than V, `size` is
 * the largest power of two that is at most n. */
FN void row_copy(uint8_t *d, const uint8_t *s, int64_t n, int vectors, int size) {
  if (vectors > 8) copy_long(d, s, n);
  else if (vectors > 0) copy_vectors(d, s, n, vectors);
  else if (size > 1) copy_two(d, s, n, size);
  else *d = *s;
}

FN void rows_copy(const s1_program *p, uint8_t *dst, const uint8_t *src, int64_t n, int vectors, int size) {
  row_cursor r = FIRST_ROW(p, dst, src);
  do row_copy(r.d, r.s, n, vectors, size);
  while (next_row(&r));
}

/* Rows of n bytes, for n in [vectors*V, (vectors+1)*V). */
FN void rows_copy_vectors(const s1_program *p, uint8_t *dst, const uint8_t *src, int64_t n, int vectors) {
  if (n == vectors * V) rows_copy(p, dst, src, vectors * V, vectors, 0);
  else rows_copy(p, dst, src, n, vectors, 0);
}

FN void run_copy(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  const int64_t n = p->row.extent * p->width;
  switch (n < 9 * V ? n / V : 9) {
    case 0:
      if (V > 32 && n >= 32) rows_copy(p, dst, src, n, 0, 32);
      else if (V > 16 && n >= 16) rows_copy(p, dst, src, n, 0, 16);
      else if (n >= 8) rows_copy(p, dst, src, n, 0, 8);
      else if (n >= 4) rows_copy(p, dst, src, n, 0, 4);
      else if (n >= 2) rows_copy(p, dst, src, n, 0, 2);
      else rows_copy(p, dst, src, n, 0, 1);
      break;
    case 1: rows_copy_vectors(p, dst, src, n, 1); break;
    case 2: rows_copy_vectors(p, dst, src, n, 2); break;
    case 3: rows_copy_vectors(p, dst, src, n, 3); break;
    case 4: rows_copy_vectors(p, dst, src, n, 4); break;
    case 5: rows_copy_vectors(p, dst, src, n, 5); break;
    case 6: rows_copy_vectors(p, dst, src, n, 6); break;
    case 7: rows_copy_vectors(p, dst, src, n, 7); break;
    case 8: rows_copy_vectors(p, dst, src, n, 8); break;
    default: rows_copy(p, dst, src, n, 9, 0);
  }
}

#if defined(__x86_64__) && !HAS_MASKS /* kernel avx512 has AVX2's */
/* for (i = 0; i < n; i++) d[i] = s[i], by the instruction that copies strings. */
FN void copy_string(uint8_t *d, const uint8_t *s, int64_t n) { __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory"); }

FN void run_string(const s1_program *p, uint8_t *dst, const uint8_t *src) {
  row_cursor r = FIRST_ROW(p, dst, src);
  do copy_string(r.d, r.s, p->row.extent * p->width);
  while (next_row(&r));
}
#endif
