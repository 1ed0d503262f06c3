//go:build cgo && !purego && (amd64 || arm64)

/* prepare.c - from a nest to a program: choose the class, collect the row. */
#include "plan.h"

#include <string.h>

/* Takes the innermost loops that chain in the destination: those that fit a
 * vector of v bytes are the period, the next one repeats it. Returns how many
 * loops are left around the row. */
static int collect_row(const s1_nest *n, int64_t v, s1_row *r) {
  int d = n->rank - 1;
  r->period = n->width;
  for (int j = 0; j < n->width; j++) r->pattern[j] = j;
  for (; d >= 0 && n->dims[d].dst == r->period && n->dims[d].extent <= v / r->period; d--) {
    int64_t p = r->period;
    for (int64_t i = p; i < p * n->dims[d].extent; i++) r->pattern[i] = r->pattern[i - p] + n->dims[d].src;
    r->period *= n->dims[d].extent;
  }
  r->advance = 0;
  r->repeat = 1;
  if (d >= 0 && n->dims[d].dst == r->period) {
    r->advance = n->dims[d].src;
    r->repeat = n->dims[d].extent;
    d--;
  }
  int64_t lo = 0, hi = 0, reach = (r->repeat - 1) * r->advance;
  for (int64_t j = 0; j < r->period; j++) {
    lo = min64(lo, r->pattern[j]);
    hi = max64(hi, r->pattern[j]);
  }
  r->lo = lo + min64(0, reach);
  r->hi = hi + max64(0, reach) + 1;
  return d + 1;
}

/* The largest divisor of n that is at most `most`. */
static int64_t divisor(int64_t n, int64_t most) {
  for (int64_t f = min64(n, most); f > 1; f--)
    if (n % f == 0) return f;
  return 1;
}

/* Makes a short row that other loops continue a longer one, of units as large as
 * fit a vector of v bytes; `outer` loops are around the row r. Of a loop with too
 * many iterations some stay around the units. Reports success. */
static int collect_units(const s1_nest *n, int outer, int64_t v, const s1_row *r, s1_units *u) {
  /* Vectors of one lane are too cheap for a table except where rows waste most of them. */
  const int64_t most = v > S1_LANE ? 8 * v : r->period > n->width ? 4 * v : 3 * v / 2;
  int64_t bytes = r->period * r->repeat, lo = 0, hi = 0;
  if (outer == 0 || bytes >= most || n->dims[outer - 1].dst != bytes) return 0;
  const int64_t many = divisor(r->repeat, v / r->period), unit = many * r->period;
  /* Each stores a whole vector: rows of their own store less, but of short ones the
   * edges take longer. */
  if ((v == S1_VECTOR && bytes <= 2 * v ? 3 : 2) * unit < v) return 0;
  u->one = *r;
  u->one.period = unit;
  u->one.repeat = 1;
  u->one.advance = u->one.lo = u->one.hi = 0;
  for (int64_t j = 0; j < unit; j++) {
    const int64_t from = u->one.pattern[j] = source_of(r, j);
    u->one.lo = min64(u->one.lo, from);
    u->one.hi = max64(u->one.hi, from + 1);
  }
  u->count = 1;
  u->at[0] = 0;
  s1_dim next = {r->repeat / many, r->advance * many, unit};
  for (;; next = n->dims[--outer]) {
    const int64_t f = divisor(next.extent, S1_UNITS / u->count), reach = (next.src < 0 ? -next.src : next.src);
    if (reach > INT32_MAX / 2 / next.extent - (hi - lo)) return 0;
    for (int64_t i = u->count; i < u->count * f; i++) u->at[i] = (int32_t)(u->at[i - u->count] + next.src);
    u->count *= (int32_t)f;
    lo += min64(0, next.src * (f - 1));
    hi += max64(0, next.src * (f - 1));
    u->outer = outer + (f < next.extent);
    u->around = (s1_dim){next.extent / f, next.src * f, next.dst * f};
    if (f < next.extent) return u->count > 1;
    if (outer > 0) u->around = n->dims[outer - 1];
    if (outer == 0 || u->around.dst != u->count * unit) return 1;
  }
}

/* Iterations of a loop of this stride whose lines fit half the first-level cache,
 * which has 64 sets of at least 8 lines: strides of many lines use few of them. */
static int64_t kept(int64_t stride) {
  const int64_t up = stride < 0 ? -stride : stride;
  if (up < S1_LINE) return 256 * S1_LINE / max64(1, up);
  const int64_t lines = (up & -up) / S1_LINE;
  return 256 / max64(1, min64(64, lines));
}

/* Elements of a row in a block of tiles: a few hundred bytes, whose source lines, one
 * for each, `pitch` apart, the first-level cache holds. */
static int64_t block_of(int64_t pitch, int64_t w, int64_t wide) {
  const int64_t block = min64(min64(256, 512 / w), 2 * kept(pitch));
  return max64(wide, block / wide * wide);
}

/* Lets loop m of p walk the source upwards. */
static void ascend(s1_dim *m, s1_prog *p) {
  if (m->src >= 0) return;
  p->src_off += (m->extent - 1) * m->src;
  p->dst_off += (m->extent - 1) * m->dst;
  m->src = -m->src;
  m->dst = -m->dst;
}

/* Looks for the loop that walks the lines of the source most slowly, beside an
 * innermost one that leaves them at each step, both long enough for a tile; takes
 * it out of the loops around the row. */
static int prepare_tile(const s1_nest *n, const s1_target *t, s1_prog *p) {
  const int64_t w = n->width, high = S1_LANE / w, wide = t->vector == S1_LANE ? high : 2 * high;
  if ((p->src > -S1_LANE && p->src < S1_LANE) || p->count < high) return 0;
  int slowest = -1;
  int64_t best = S1_LINE;
  for (int i = 0; i < n->rank - 1; i++) {
    const int64_t up = n->dims[i].src < 0 ? -n->dims[i].src : n->dims[i].src;
    if (up == 0 || up >= best || n->dims[i].extent < high) continue;
    best = up;
    slowest = i;
  }
  if (slowest < 0 || n->dims[slowest].extent * p->count * w < 2 * S1_LINE) return 0;
  /* Only contiguous elements are worth a tile where a line has several of a row's. */
  if (best != w && p->src > -S1_LINE && p->src < S1_LINE) return 0;
  if (best != w && best != 2 * w && p->count < 2 * wide) return 0;
  if (p->count < wide && w == 8) return 0; /* a window has as much of a row */
  p->across = n->dims[slowest];
  ascend(&p->across, p);
  p->block = p->count < wide ? 0 : block_of(p->src, w, wide);
  p->outer--;
  memmove(&p->dims[slowest], &p->dims[slowest + 1], (size_t)(S1_RANK - 1 - slowest) * sizeof p->dims[0]);
  return 1;
}

/* Whether rows are whole lines if the first one is. */
static int whole_lines(const s1_prog *p) {
  int64_t ends = p->count * p->width;
  for (int i = 0; i < p->outer; i++) ends |= p->dims[i].dst;
  return ends % S1_LINE == 0;
}

/* Storing past the caches pays where rows have whole lines and vectors fill
 * them. Rows go so that the source ascends, and it is fetched as many of them ahead
 * as make a few pages, so that what is fetched is what a later row reads. */
static void prepare_stream(const s1_nest *n, const s1_row *r, int32_t vector, int stream, s1_prog *p) {
  if (p->class_ == S1_copy && (p->count * p->width >= 2 * S1_LINE || whole_lines(p))) {
    p->unit = 1;
    p->grain = 0;
  } else if (p->class_ == S1_shuffle && p->advance == vector && p->vectors * vector >= 2 * S1_LINE) {
    p->unit = r->advance;
    p->grain = __builtin_ctzll((uint64_t)r->period);
  } else if ((p->class_ == S1_tile || p->class_ == S1_gather) && p->count * p->width >= 2 * S1_LINE) {
    /* By lines. */
  } else {
    return;
  }
  p->stream = 1;
  p->begin = n->src_off;
  p->length = n->width;
  for (int i = 0; i < n->rank; i++) {
    const int64_t reach = n->dims[i].src * (n->dims[i].extent - 1);
    p->begin += min64(0, reach);
    p->length += reach < 0 ? -reach : reach;
  }
  for (int i = 0; i < p->outer; i++) ascend(&p->dims[i], p);
  if (p->class_ == S1_gather) {
    p->near = 0;
    p->ahead = p->src * min64(64, p->count - 1);
    return;
  }
  if (p->class_ == S1_tile) {
    p->near = 0;
    p->ahead = 256;
    return;
  }
  const int copy = p->class_ == S1_copy;
  const int64_t row = copy ? p->count * p->width : r->hi - r->lo, pitch = p->outer ? p->dims[p->outer - 1].src : 0;
  /* The numbers are what BenchmarkStreams found best. */
  int64_t run = row; /* source without gaps, a line or two excepted */
  int i = p->outer - 1;
  for (; i >= 0 && p->dims[i].src <= run + 2 * S1_LINE; i--) run += (p->dims[i].extent - 1) * p->dims[i].src;
  const int gaps = i >= 0 && run < 32768, bridged = copy && run == row && pitch <= 2 * row;
  p->reach = row;
  p->near = copy && stream == S1_past_near;
  if (stream == S1_past_short && (!gaps || bridged)) {
    p->near = 1;
    p->ahead = 512;
    if (gaps) p->reach = pitch;
  } else {
    const int64_t distance = row < 1024 || stream == S1_past_short ? 16384 : 8192;
    p->ahead = pitch > 0 && row < 4 * distance ? pitch * ceil_div(distance, pitch) : distance;
  }
}

/* Lets each loop around the innermost step from the last row of those it contains
 * and not from the first. */
static void back_to_start(s1_prog *p) {
  int64_t dst = 0, src = 0;
  for (int r = p->outer - 1; r >= 0; r--) {
    s1_dim *m = &p->dims[r];
    const s1_dim whole = *m;
    m->dst -= dst;
    m->src -= src;
    dst += (whole.extent - 1) * whole.dst;
    src += (whole.extent - 1) * whole.src;
  }
}

/* The longest of the loops around short rows that can be the row: all that it
 * reaches stays in the cache until the next row comes there again. */
static int longest_loop(const s1_prog *p) {
  int longest = -1;
  int64_t most = 2 * p->count;
  for (int i = 0; i < p->outer; i++) {
    const s1_dim *m = &p->dims[i];
    if (m->extent <= most || m->extent > kept(m->src) || m->extent > kept(m->dst)) continue;
    most = m->extent;
    longest = i;
  }
  return longest;
}

/* Makes loop i of those around the row the row. */
static void exchange(s1_prog *p, int i) {
  const s1_dim row = p->dims[i];
  memmove(&p->dims[i], &p->dims[i + 1], (size_t)(p->outer - 1 - i) * sizeof row);
  p->dims[p->outer - 1] = (s1_dim){p->count, p->src, p->dst};
  p->count = row.extent;
  p->src = row.src;
  p->dst = row.dst;
}

void s1_prepare(const s1_nest *n, const s1_target *t, int stream, s1_prog *p) {
  static const s1_dim none = {1, 0, 0};
  const s1_dim *inner = n->rank ? &n->dims[n->rank - 1] : &none;
  const int64_t w = n->width, bytes = inner->extent * w;
  s1_row row;
  s1_units units;

  p->units = 0;
  p->width = n->width;
  p->src_off = n->src_off;
  p->dst_off = n->dst_off;
  p->outer = n->rank ? n->rank - 1 : 0;
  p->count = inner->extent;
  p->src = inner->src;
  p->dst = inner->dst;
  memcpy(p->dims, n->dims, sizeof p->dims);
  const int contiguous = n->rank == 0 || (inner->dst == w && inner->src == w);
  const int longest = longest_loop(p);
  /* Of shorter rows that chain, a vector takes several, and one that has masks any. */
  const int chained = n->rank > 1 && n->dims[n->rank - 2].dst == bytes;
  const int copy = contiguous && bytes >= (chained || t->vector == S1_PERMUTE ? min64(t->vector, S1_VECTOR) : S1_LANE);
  /* Rows of a vector or two in loops that soon end: vectors from a table cost less
   * than the loops. */
  const int crowded = !stream && t->vector > S1_LANE && bytes <= 2 * S1_VECTOR && n->rank > 2 && n->dims[n->rank - 2].extent <= 4;
  if (copy && !crowded) {
    p->class_ = S1_copy;
  } else if (inner->dst == w && inner->src == 0 && bytes >= S1_LINE) {
    p->class_ = S1_fill;
  } else if (inner->dst == w && prepare_tile(n, t, p)) {
    p->class_ = S1_tile;
  } else if (inner->dst == w) {
    const int permute = t->vector == S1_PERMUTE;
    const int outer = collect_row(n, t->vector, &row);
    /* On Zen 4 an element stored takes a cycle, gathered less, and each row of them five. */
    const int64_t stored = S1_CYCLE + 5 * S1_CYCLE / (longest < 0 ? p->count : p->dims[longest].extent);
    const int64_t gathered = S1_CYCLE * (w <= 2 ? 11 : 7) / 12 + 5 * S1_CYCLE / p->count;
    row.element = bytes < S1_LANE ? stored : min64(stored, gathered);
    if (collect_units(n, outer, t->vector, &row, &units) && (!copy || units.count >= 16) &&
        (permute ? s1_prepare_permute_units(&units, p) : s1_prepare_units(&units, n->width, t, p))) {
      p->class_ = S1_shuffle;
      p->outer = units.outer;
      if (p->outer) p->dims[p->outer - 1] = units.around;
      stream = 0;
    } else if (!copy && (permute ? s1_prepare_permute(&row, n->width, p) : s1_prepare_shuffle(&row, n->width, t, p))) {
      p->class_ = S1_shuffle;
      p->outer = outer;
    } else {
      p->class_ = contiguous ? S1_copy : bytes < S1_LANE ? S1_scatter : inner->src == 0 ? S1_fill : S1_gather;
    }
  } else if (!stream && t->vector == S1_PERMUTE && n->rank && inner->dst > w && s1_prepare_spread(inner, n->width, p)) {
    p->class_ = S1_shuffle; /* In memory, storing element by element takes half the time. */
  } else {
    p->class_ = contiguous ? S1_copy : S1_scatter;
  }
  /* Few elements gathered do not make up for what each row costs. */
  if (longest >= 0 && (p->class_ == S1_scatter || (p->class_ == S1_gather && p->count < 7))) {
    exchange(p, longest);
    p->class_ = S1_scatter;
  }
  if (p->class_ != S1_shuffle) p->entry = p->class_;
  p->stream = 0;
  p->narrow = 0;
  if (stream) prepare_stream(n, &row, t->vector, stream, p);
  p->innermost = p->outer ? p->dims[p->outer - 1] : none;
  back_to_start(p);
  p->next = p->outer > 1 ? p->dims[p->outer - 2] : none;
  if (stream && !p->stream && p->class_ == S1_shuffle && t->narrow) {
    /* From memory, stores of which each straddles two lines are slower than
     * twice as many of which half do. */
    s1_prepare(n, t->narrow, stream, p);
    p->narrow = 1;
  }
}
