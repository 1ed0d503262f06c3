//go:build s1_emulate_avx512

package cpuid

// emulatesAVX512 makes detect report AVX-512 on every host with AVX2. With the same build tag,
// package csrc compiles its AVX-512 loops without AVX-512 instructions.
const emulatesAVX512 = true
