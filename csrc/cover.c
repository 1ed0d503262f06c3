//go:build cgo && !purego && (amd64 || arm64)

/* cover.c - windows that hold a vector's source bytes between them. */
#include "plan.h"

/* The positions in a window at start: those still to cover, as its bits. */
static uint64_t window_bits(const int64_t *pos, uint64_t todo, int64_t start, int v) {
  uint64_t w = 0;
  for (; todo; todo &= todo - 1) {
    const uint64_t at = (uint64_t)(pos[__builtin_ctzll(todo)] - start);
    if (at < (uint64_t)v) w |= (uint64_t)1 << at;
  }
  return w;
}

int s1_cover_positions(const int64_t *pos, int n, int v, int down, s1_cover *c) {
  uint64_t used = 0, todo = n == 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
  for (c->windows = 0; todo; c->windows++) {
    if (c->windows == S1_WINDOWS) return 0;
    int64_t next = pos[__builtin_ctzll(todo)];
    for (uint64_t t = todo; t; t &= t - 1) {
      const int64_t at = pos[__builtin_ctzll(t)];
      next = down ? max64(next, at) : min64(next, at);
    }
    if (next < INT32_MIN + S1_PERMUTE || next > INT32_MAX - S1_PERMUTE) return 0;
    /* Move the window by a few bytes until what it takes falls on free places. */
    int64_t start = down ? next - (v - 1) : next, moved = 0;
    uint64_t taken = window_bits(pos, todo, start, v);
    while (taken & used) {
      if (++moved == v) return 0;
      start += down ? 1 : -1;
      taken = window_bits(pos, todo, start, v);
    }
    used |= taken;
    for (uint64_t t = todo; t; t &= t - 1)
      if ((uint64_t)(pos[__builtin_ctzll(t)] - start) < (uint64_t)v) todo &= ~(t & -t);
    c->at[c->windows] = (int32_t)start;
    c->taken[c->windows] = taken;
  }
  return 1;
}

int s1_place(const s1_cover *c, int v, int64_t pos) {
  int k = 0; /* a window takes all in it that those before did not */
  while ((uint64_t)(pos - c->at[k]) >= (uint64_t)v) k++;
  return (int)(pos - c->at[k]);
}
