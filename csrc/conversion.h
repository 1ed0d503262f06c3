/* conversion.h - what Go hands to the loops that convert: conversion.go in C, field by field. */
#ifndef S1_CONVERSION_H
#define S1_CONVERSION_H

#include "program.h"

enum { S1_PARAMS = 256 };

typedef struct {
  int64_t extent, src, dst, param;
} s1_row_loop;

typedef struct {
  int32_t type, loops;
  int64_t count, period;
  s1_row_loop loop[S1_RANK];
} s1_conversion;

#endif
