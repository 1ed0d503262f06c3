/* planner.h - the streams of main.go, in C. The planner writes two sizes, of a request
 * and of a program, and the number of every set that it was asked for. It reads requests,
 * and answers each with the number of its programs, followed by the programs. All numbers
 * are an int64_t.
 */
#include "program.h"

extern const s1_set s1_avx2, s1_avx512, s1_neon;

typedef struct {
  int32_t rank, width;
  int64_t src_off, dst_off;
  s1_dim dims[S1_RANK];
} s1_nest;

typedef struct {
  s1_nest nest;
  int64_t fill; /* the value of each byte of a program that the planner does not set */
} s1_request;
