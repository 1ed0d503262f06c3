#include "textflag.h"

// func Get() uint64
TEXT ·Get(SB), NOSPLIT, $0-8
	MOVQ $0, ret+0(FP)
	STMXCSR ret+0(FP)
	RET

// func Set(value uint64)
TEXT ·Set(SB), NOSPLIT, $0-8
	LDMXCSR value+0(FP)
	RET
