//go:build s1_emulate_avx512

package cpuid

// The same tag makes package csrc compile its AVX-512 kernel without AVX-512, so
// that a processor with AVX2 can run it.
const emulatesAVX512 = true
