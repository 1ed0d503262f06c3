//go:build s1_emulate_avx512

package cpuid

// emulatesAVX512 makes detect report AVX-512 wherever there is AVX2. The same tag makes package
// csrc compile its loops for AVX-512 without AVX-512 instructions.
const emulatesAVX512 = true
