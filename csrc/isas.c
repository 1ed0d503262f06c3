//go:build cgo && !purego && (amd64 || arm64)

/* isas.c - which instruction sets this build has. */
#include "s1.h"

const s1_isa *const s1_isas[] = {
#if defined(__x86_64__) || defined(_M_X64)
    &s1_avx2,
    &s1_avx512,
#else
    &s1_neon,
#endif
};
const int32_t s1_isa_count = sizeof s1_isas / sizeof s1_isas[0];

const char *const s1_class_names[S1_CLASS_COUNT] = {
#define X(name) #name,
    S1_CLASSES(X)
#undef X
};
