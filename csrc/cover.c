//go:build cgo && !purego && (amd64 || arm64)

/* cover.c - windows that hold a vector's source bytes between them. */
#include "plan.h"

/* Positions as a bit set, bit 0 being position `base`; a vector of zero bits on
 * both sides lets a window start before the first and end after the last. */
typedef struct {
  int64_t base;
  uint64_t words[(S1_WINDOWS + 2) * S1_PERMUTE / 64 + 1];
} bits;

static uint64_t window_bits(const bits *b, int64_t start, int v) {
  const int64_t i = start - b->base;
  uint64_t w = b->words[i / 64] >> i % 64;
  if (i % 64) w |= b->words[i / 64 + 1] << (64 - i % 64);
  return v == 64 ? w : w & 0xffffffff;
}

static void clear_bits(bits *b, int64_t start, uint64_t taken) {
  const int64_t i = start - b->base;
  b->words[i / 64] &= ~(taken << i % 64);
  if (i % 64) b->words[i / 64 + 1] &= ~(taken >> (64 - i % 64));
}

int s1_cover_positions(const int64_t *pos, int n, int v, int down, s1_cover *c) {
  int64_t lo = pos[0], hi = pos[0];
  for (int j = 1; j < n; j++) {
    lo = min64(lo, pos[j]);
    hi = max64(hi, pos[j]);
  }
  if (hi - lo >= S1_WINDOWS * v || lo < INT32_MIN + S1_PERMUTE || hi > INT32_MAX - S1_PERMUTE) return 0;
  bits todo = {.base = lo - v};
  for (int j = 0; j < n; j++) {
    int64_t i = pos[j] - todo.base;
    todo.words[i / 64] |= (uint64_t)1 << i % 64;
  }
  uint64_t used = 0;
  c->windows = 0;
  for (int64_t next = down ? hi : lo;;) {
    while (next >= lo && next <= hi && !(window_bits(&todo, next, v) & 1)) next += down ? -1 : 1;
    if (next < lo || next > hi) return 1;
    if (c->windows == S1_WINDOWS) return 0;
    /* Move the window by a few bytes until what it takes falls on free places. */
    int64_t start = down ? next - (v - 1) : next, moved = 0;
    uint64_t taken = window_bits(&todo, start, v);
    while (taken & used) {
      if (++moved == v) return 0;
      start += down ? 1 : -1;
      taken = window_bits(&todo, start, v);
    }
    used |= taken;
    clear_bits(&todo, start, taken);
    c->at[c->windows] = (int32_t)start;
    c->taken[c->windows++] = taken;
  }
}

int s1_place(const s1_cover *c, int v, int64_t pos) {
  for (int k = 0; k < c->windows; k++) {
    int64_t at = pos - c->at[k];
    if (at >= 0 && at < v && c->taken[k] >> at & 1) return (int)at;
  }
  return 0;
}
