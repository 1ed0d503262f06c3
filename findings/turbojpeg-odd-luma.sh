#!/bin/bash
# libjpeg-turbo 2.1.5 of Debian 12, its TurboJPEG API, on x86-64.
#
# Guess: decoded to planes, a JPEG file of 7 x 5 pixels gives a luma plane of 7 x 5 samples. Only
#        chroma is rounded up, to 4 x 3 in 4:2:0, as image.YCbCr of Go and AVFrame of FFmpeg have it.
# Seen:  luma is rounded up to whole cells as well: 8 x 6 samples in 4:2:0, 8 x 5 in 4:2:2, 7 x 6 in
#        4:4:0. tjDecompressToYUVPlanes writes them all, so that planes of the picture's size are too
#        small for it. Planes of 4:4:4 have the picture's size.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install libturbojpeg0-dev=1:2.1.5-2 || exit 2
ls debs/*turbojpeg*.deb | xargs -I{} dpkg -x {} tree

cat >planes.c <<'C'
#include <stdio.h>
#include <string.h>
#include <turbojpeg.h>

/* Prints how many columns and rows of luma are written, of planes with room for more. */
static void written(const char *name, int sampling) {
  enum { width = 7, height = 5, stride = 32, rows = 32 };
  static unsigned char rgb[width * height * 3], y[stride * rows], cb[stride * rows], cr[stride * rows];
  for (int i = 0; i < width * height * 3; i++) rgb[i] = i * 37;
  unsigned char *file = NULL, *planes[] = {y, cb, cr};
  unsigned long bytes = 0;
  int strides[] = {stride, stride, stride}, columns[2] = {0}, lines[2] = {0};
  tjhandle out = tjInitCompress(), in = tjInitDecompress();
  tjCompress2(out, rgb, width, 0, height, TJPF_RGB, &file, &bytes, sampling, 90, 0);
  for (int fill = 1; fill <= 254; fill += 253) { /* a sample may equal one of the two values */
    memset(y, fill, sizeof y), memset(cb, fill, sizeof cb);
    if (tjDecompressToYUVPlanes(in, file, bytes, planes, width, strides, height, 0)) { puts(tjGetErrorStr2(in)); return; }
    for (int i = 0; i < stride * rows; i++)
      for (int p = 0; p < 2; p++)
        if (planes[p][i] != fill) {
          if (i % stride >= columns[p]) columns[p] = i % stride + 1;
          if (i / stride >= lines[p]) lines[p] = i / stride + 1;
        }
  }
  printf("%s: luma %d x %d, tjPlaneWidth %d, chroma %d x %d\n", name, columns[0], lines[0], tjPlaneWidth(0, width, sampling), columns[1], lines[1]);
  tjFree(file), tjDestroy(in), tjDestroy(out);
}

int main(void) {
  written("4:4:4", TJSAMP_444), written("4:2:2", TJSAMP_422), written("4:2:0", TJSAMP_420), written("4:4:0", TJSAMP_440);
}
C
lib=tree/usr/lib/x86_64-linux-gnu
gcc -Itree/usr/include planes.c -o planes -L$lib -lturbojpeg
diff - <(LD_LIBRARY_PATH=$lib ./planes) <<'SEEN' && echo "as seen"
4:4:4: luma 7 x 5, tjPlaneWidth 7, chroma 7 x 5
4:2:2: luma 8 x 5, tjPlaneWidth 8, chroma 4 x 5
4:2:0: luma 8 x 6, tjPlaneWidth 8, chroma 4 x 3
4:4:0: luma 7 x 6, tjPlaneWidth 7, chroma 7 x 3
SEEN
