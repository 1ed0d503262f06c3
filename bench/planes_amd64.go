//go:build cgo

package main

/*
#cgo CFLAGS: -O3
#cgo noescape planes_past_caches
#cgo nocallback planes_past_caches
#include <immintrin.h>
#include <stdint.h>

__attribute__((target("avx2"))) static void planes_past_caches(float *d, const uint8_t *s, int64_t n, float scale) {
	const __m256 factor = _mm256_set1_ps(scale);
	const __m256i byte = _mm256_set1_epi32(255);
	for (int64_t i = 0; i < n; i += 8) {
		const __m256i x = _mm256_loadu_si256((const __m256i *)(s + 4 * i));
		const __m256i red = _mm256_and_si256(x, byte), green = _mm256_and_si256(_mm256_srli_epi32(x, 8), byte),
			blue = _mm256_and_si256(_mm256_srli_epi32(x, 16), byte);
		_mm256_stream_ps(d + i, _mm256_mul_ps(_mm256_cvtepi32_ps(red), factor));
		_mm256_stream_ps(d + n + i, _mm256_mul_ps(_mm256_cvtepi32_ps(green), factor));
		_mm256_stream_ps(d + 2 * n + i, _mm256_mul_ps(_mm256_cvtepi32_ps(blue), factor));
	}
	_mm_sfence();
}
*/
import "C"

import (
	"image"
	"unsafe"
)

// planesPastCaches is byPix for all of an image.RGBA, by AVX2 and non-temporal stores. The pixels
// must be a multiple of eight, and dst must begin at a multiple of 32 bytes.
var planesPastCaches = func(dst []float32, m *image.RGBA, scale float32) {
	C.planes_past_caches((*C.float)(&dst[0]), (*C.uint8_t)(unsafe.Pointer(&m.Pix[0])), C.int64_t(len(m.Pix)/4), C.float(scale))
}
