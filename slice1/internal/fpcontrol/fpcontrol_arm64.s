#include "textflag.h"

// func Get() uint64
TEXT ·Get(SB), NOSPLIT, $0-8
	MRS FPCR, R0
	MOVD R0, ret+0(FP)
	RET

// func Set(value uint64)
TEXT ·Set(SB), NOSPLIT, $0-8
	MOVD value+0(FP), R0
	MSR R0, FPCR
	RET
