#!/bin/bash
# XNNPACK of 2022-02-16 in Debian 12, x86-64: what NaN becomes when float32 is quantised, clamped and
# pooled.
#
# Guess: the least code when quantised, as ONNX Runtime has it; NaN or the bound below when clamped;
#        NaN or the largest of the others when pooled.
# Seen:  quantised it is the largest code, 255 or 127, as infinity is. Clamped to 0 and 6 it is 0. Of
#        a window that is pooled it is infinity where NaN comes first, or the upper bound if there is
#        one, and left out elsewhere. So a missing pixel is white in one layer, black in the next, and
#        a maximum in the third.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install libxnnpack-dev=0.0~git20220216.ae108ef-2 libpthreadpool-dev || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu

cat >nan.c <<'C'
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <xnnpack.h>

static float in[64], out[64];
static uint8_t codes[64];

static void quantise(void) {
	const float numbers[] = {NAN, INFINITY, -INFINITY, 2.5f};
	xnn_operator_t operator;
	for (int i = 0; i < 4; i++) in[i] = numbers[i];
	xnn_create_convert_nc_f32_qu8(1, 1, 1, 1, 0, 0, 255, 0, &operator);
	xnn_setup_convert_nc_f32_qu8(operator, 4, in, codes, NULL);
	xnn_run_operator(operator, NULL);
	for (int i = 0; i < 4; i++) printf("%g as uint8: %d\n", numbers[i], codes[i]);
	xnn_delete_operator(operator);
	xnn_create_convert_nc_f32_qs8(1, 1, 1, 1, 0, -128, 127, 0, &operator);
	xnn_setup_convert_nc_f32_qs8(operator, 4, in, (int8_t *)codes, NULL);
	xnn_run_operator(operator, NULL);
	for (int i = 0; i < 4; i++) printf("%g as int8: %d\n", numbers[i], (int8_t)codes[i]);
	xnn_delete_operator(operator);
}

static void clamp(void) {
	xnn_operator_t operator;
	in[0] = NAN, in[1] = -1, in[2] = 7;
	xnn_create_clamp_nc_f32(1, 1, 1, 0, 6, 0, &operator);
	xnn_setup_clamp_nc_f32(operator, 3, in, out, NULL);
	xnn_run_operator(operator, NULL);
	printf("nan -1 7 clamped to 0 and 6: %g %g %g\n", out[0], out[1], out[2]);
	xnn_delete_operator(operator);
}

// pool: the maximum of 1, 3 and 2 with NaN at a place among them.
static void pool(int place, float most) {
	xnn_operator_t operator;
	const float rest[] = {1, 3, 2};
	for (int i = 0, k = 0; i < 4; i++) in[i] = i == place ? NAN : rest[k++];
	xnn_create_max_pooling2d_nhwc_f32(0, 0, 0, 0, 1, 4, 1, 4, 1, 1, 1, 1, 1, -INFINITY, most, 0, &operator);
	xnn_setup_max_pooling2d_nhwc_f32(operator, 1, 1, 4, in, out, NULL);
	xnn_run_operator(operator, NULL);
	printf("maximum of %g %g %g %g, at most %g: %g\n", in[0], in[1], in[2], in[3], most, out[0]);
	xnn_delete_operator(operator);
}

int main(void) {
	if (xnn_initialize(NULL) != xnn_status_success) return 2;
	quantise(), clamp();
	for (int place = 0; place < 4; place++) pool(place, INFINITY);
	pool(0, 6);
}
C
gcc -O1 -I"$work/tree/usr/include" nan.c -L"$libraries" -Wl,--allow-shlib-undefined -lXNNPACK -lm -o nan 2>log || { cat log >&2 && exit 2; }
seen=$(LD_LIBRARY_PATH=$libraries ./nan)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
nan as uint8: 255
inf as uint8: 255
-inf as uint8: 0
2.5 as uint8: 2
nan as int8: 127
inf as int8: 127
-inf as int8: -128
2.5 as int8: 2
nan -1 7 clamped to 0 and 6: 0 0 6
maximum of nan 1 3 2, at most inf: inf
maximum of 1 nan 3 2, at most inf: 3
maximum of 1 3 nan 2, at most inf: 3
maximum of 1 3 2 nan, at most inf: 3
maximum of nan 1 3 2, at most 6: 6
SEEN
