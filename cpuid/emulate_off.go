//go:build !s1_emulate_avx512

package cpuid

const emulatesAVX512 = false
