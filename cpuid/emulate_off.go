//go:build !s1_emulate_avx512

package cpuid

// emulatesAVX512 is true in builds with the tag s1_emulate_avx512.
const emulatesAVX512 = false
