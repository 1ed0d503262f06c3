/* planner.h - what main.go reads and writes, in C. The planner writes the size of a request, the
 * size of a program, and for every set that it was asked for the number that programs have for it.
 * Then it reads requests, and answers each with the number of its programs, followed by the
 * programs. All these numbers are an int64_t.
 */
#include "call.h"

const s1_set *s1_avx2(void), *s1_avx512(void), *s1_neon(void);

typedef struct {
  int32_t rank, width;
  int64_t src_off, dst_off;
  s1_dim dims[S1_RANK];
} s1_nest;

typedef struct {
  s1_nest nest;
  int64_t fill; /* its low 8 bits are the value of each byte of a program that the planner does not set */
} s1_request;
