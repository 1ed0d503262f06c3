//go:build cgo

package main

/*
#cgo LDFLAGS: -ldl
#cgo noescape run_call
#cgo nocallback run_call
#cgo noescape run_plan
#cgo nocallback run_plan
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct call {
	int64_t planes, src_plane, dst_plane;
	int width, height, src_pitch, dst_pitch;
	bool lead;    // whether the first pixel of each row, a byte, is copied apart
	bool by_rows; // whether f is the address of a variable that holds a function of rows
};

// Some of these functions return an int, which is of no use here.
typedef void plane_function(const uint8_t *, int, uint8_t *, int, int, int);
typedef void row_function(void *, const void *, unsigned);

static void run_plane(void *f, const struct call *c, uint8_t *d, const uint8_t *s) {
	if (c->by_rows) {
		for (int64_t r = 0; r < c->height; r++)
			(*(row_function **)f)(d + r * c->dst_pitch, s + r * c->src_pitch, c->width);
		return;
	}
	if (c->lead) {
		for (int64_t r = 0; r < c->height; r++) d[r * c->dst_pitch] = s[r * c->src_pitch];
		d++, s++;
	}
	((plane_function *)f)(s, c->src_pitch, d, c->dst_pitch, c->width - c->lead, c->height);
}

static void run_call(void *f, const struct call *c, uint8_t *d, const uint8_t *s, int64_t reps) {
	while (reps-- > 0)
		for (int64_t p = 0; p < c->planes; p++) run_plane(f, c, d + p * c->dst_plane, s + p * c->src_plane);
}

// FFTW and hptt/plans.cc call these fftw_iodim64, fftw_plan_guru64_r2r, fftw_execute_r2r and
// fftw_destroy_plan, with beginnings of their own in place of fftw_.
struct dim { ptrdiff_t n, is, os; };
typedef void *plan_function(int, const struct dim *, int, const struct dim *, void *, void *, const int *, unsigned);
typedef void execute_function(const void *, void *, void *);
typedef void destroy_function(void *);

static void *make_plan(void *f, int rank, const struct dim *dims, void *s, void *d) {
	const unsigned measure = 0;
	return ((plan_function *)f)(0, NULL, rank, dims, s, d, NULL, measure);
}

static void run_plan(void *f, const void *plan, void *s, void *d, int64_t reps) {
	while (reps-- > 0) ((execute_function *)f)(plan, s, d);
}

static void destroy_plan(void *f, void *plan) { ((destroy_function *)f)(plan); }

// libyuv calls this NV21ToARGBMatrix. With constants of Cr and Cb in turn it makes R, G, B and A of
// NV12.
typedef int frame_function(const uint8_t *, int, const uint8_t *, int, uint8_t *, int, const void *, int, int);

static void run_frame(void *f, const void *constants, uint8_t *d, const uint8_t *y, const uint8_t *pairs, int width, int height) {
	((frame_function *)f)(y, width, pairs, width, d, 4 * width, constants, width, height);
}

// libyuv calls these ABGRToNV12 and ABGRToI420: of R, G, B and A in memory.
typedef int nv12_function(const uint8_t *, int, uint8_t *, int, uint8_t *, int, int, int);
typedef int i420_function(const uint8_t *, int, uint8_t *, int, uint8_t *, int, uint8_t *, int, int, int);

static void code_nv12(void *f, uint8_t *d, const uint8_t *s, int width, int height) {
	((nv12_function *)f)(s, 4 * width, d, width, d + width * height, width, width, height);
}
static void code_i420(void *f, uint8_t *d, const uint8_t *s, int width, int height) {
	uint8_t *const cb = d + width * height;
	((i420_function *)f)(s, 4 * width, d, width, cb, width / 2, cb + width * height / 4, width / 2, width, height);
}

// libswscale calls these sws_getContext and sws_scale.
typedef void *scaler_function(int, int, int, int, int, int, int, void *, void *, const double *);
typedef int scale_function(void *, const uint8_t *const *, const int *, int, int, uint8_t *const *, const int *);

static void *make_scaler(void *f, int width, int height, int from, int to) {
	const int bicubic = 4; // FFmpeg's default
	return ((scaler_function *)f)(width, height, from, width, height, to, bicubic, NULL, NULL, NULL);
}
static void run_scaler(void *f, void *scaler, uint8_t *d, const uint8_t *s, int width, int height, bool pairs) {
	uint8_t *const cb = d + width * height;
	const uint8_t *const from[4] = {s};
	uint8_t *const to[4] = {d, cb, pairs ? NULL : cb + width * height / 4};
	const int stride[4] = {4 * width}, strides[4] = {width, pairs ? width : width / 2, pairs ? 0 : width / 2};
	((scale_function *)f)(scaler, from, stride, 0, height, to, strides);
}
typedef int format_function(const char *);
static int format_of(void *f, const char *name) { return ((format_function *)f)(name); }

static const char *call_for_text(void *f) { return ((const char *(*)(void))f)(); }

static const char *file_of(void *f) {
	Dl_info i;
	return dladdr(f, &i) && i.dli_fname ? i.dli_fname : "";
}
*/
import "C"

import (
	"fmt"
	"path/filepath"
	"strings"
	"unsafe"
)

// loaders load the peers in C. Their errors say what is missing.
var loaders = map[string]func() (*peerInC, error){
	libyuv: loadYUV, volk: loadVOLK,
	fftw: loadCopiers(fftw, ofWidth{4, "libfftw3f.so", "fftwf_"}, ofWidth{8, "libfftw3.so", "fftw_"}),
	hptt: loadCopiers(hptt, ofWidth{4, "libhptt-plans.so", "hptt4_"}, ofWidth{8, "libhptt-plans.so", "hptt8_"}),
}

// shared is a shared object.
type shared struct {
	file    string
	handle  unsafe.Pointer
	missing error // the error for the first symbol that it lacks; nil if it lacks none
}

// open loads the first of these shared objects that can be loaded.
func open(names ...string) (*shared, error) {
	for _, name := range names {
		text := C.CString(name)
		handle := C.dlopen(text, C.RTLD_NOW|C.RTLD_LOCAL)
		C.free(unsafe.Pointer(text))
		if handle != nil {
			return &shared{file: name, handle: handle}, nil
		}
	}
	return nil, fmt.Errorf("no %s", names[0])
}

// symbol returns the address of a symbol. If there is none, it returns nil and sets so.missing,
// unless that is set already.
func (lib *shared) symbol(name string) unsafe.Pointer {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	found := C.dlsym(lib.handle, text)
	if found == nil && lib.missing == nil {
		lib.missing = fmt.Errorf("no %s in %s", name, lib.file)
	}
	return found
}

// loadYUV loads libyuv. It takes the version from the name of its file, since the library does
// not tell it.
func loadYUV() (*peerInC, error) {
	lib, err := open("libyuv.so.0", "libyuv.so")
	if err != nil {
		return nil, err
	}
	f := lib.symbol("CopyPlane")
	if f == nil {
		return nil, lib.missing
	}
	file := C.GoString(C.file_of(f))
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	_, version, _ := strings.Cut(filepath.Base(file), ".so.")
	return &peerInC{libyuv, version, lib.runs((*planes).yuvCall, false)}, nil
}

// frameYUV returns libyuv's function that makes R, G, B and A of a frame in NV12 and limited-range
// BT.709. In the frame the rows of pairs follow the rows of luma.
func frameYUV() (func(dst, pix []uint8, width, height int), error) {
	lib, err := open("libyuv.so.0", "libyuv.so")
	if err != nil {
		return nil, err
	}
	f, constants := lib.symbol("NV21ToARGBMatrix"), lib.symbol("kYvuH709Constants")
	if lib.missing != nil {
		return nil, lib.missing
	}
	return func(dst, pix []uint8, width, height int) {
		C.run_frame(f, constants, (*C.uint8_t)(&dst[0]), (*C.uint8_t)(&pix[0]), (*C.uint8_t)(&pix[width*height]), C.int(width), C.int(height))
	}, nil
}

// A coder makes a frame in BT.601, of limited range, of R, G, B and A. It writes all of dst.
type coder func(dst, rgba []uint8, width, height int)

// yuvCoders returns libyuv's coders of NV12 and I420.
func yuvCoders() (nv12, i420 coder, err error) {
	lib, err := open("libyuv.so.0", "libyuv.so")
	if err != nil {
		return nil, nil, err
	}
	pairs, planes := lib.symbol("ABGRToNV12"), lib.symbol("ABGRToI420")
	if lib.missing != nil {
		return nil, nil, lib.missing
	}
	return func(dst, rgba []uint8, width, height int) {
			C.code_nv12(pairs, (*C.uint8_t)(&dst[0]), (*C.uint8_t)(&rgba[0]), C.int(width), C.int(height))
		}, func(dst, rgba []uint8, width, height int) {
			C.code_i420(planes, (*C.uint8_t)(&dst[0]), (*C.uint8_t)(&rgba[0]), C.int(width), C.int(height))
		}, nil
}

// scalerCoders returns libswscale's coders of NV12 and I420, with its default flags, for frames of
// a size.
func scalerCoders(width, height int) (nv12, i420 coder, err error) {
	lib, err := open("libswscale.so.6", "libswscale.so.7", "libswscale.so.8", "libswscale.so")
	if err != nil {
		return nil, nil, err
	}
	make, scale, format := lib.symbol("sws_getContext"), lib.symbol("sws_scale"), lib.symbol("av_get_pix_fmt")
	if lib.missing != nil {
		return nil, nil, lib.missing
	}
	coderTo := func(name string) coder {
		formatOf := func(name string) C.int {
			text := C.CString(name)
			defer C.free(unsafe.Pointer(text))
			return C.format_of(format, text)
		}
		scaler := C.make_scaler(make, C.int(width), C.int(height), formatOf("rgba"), formatOf(name))
		return func(dst, rgba []uint8, width, height int) {
			C.run_scaler(scale, scaler, (*C.uint8_t)(&dst[0]), (*C.uint8_t)(&rgba[0]), C.int(width), C.int(height), C.bool(name == "nv12"))
		}
	}
	return coderTo("nv12"), coderTo("yuv420p"), nil
}

func loadVOLK() (*peerInC, error) {
	lib, err := open("libvolk.so", "libvolk.so.3.2", "libvolk.so.3.1", "libvolk.so.2.5")
	if err != nil {
		return nil, err
	}
	version := lib.symbol("volk_version")
	if version == nil {
		return nil, lib.missing
	}
	return &peerInC{volk, C.GoString(C.call_for_text(version)), lib.runs((*planes).volkCall, true)}, nil
}

// runs returns the function peerInC.runs of a library. callOf returns the function of the library
// that does a slice. byRows is true if the library has functions for rows, which it keeps in
// variables, and none for planes.
func (lib *shared) runs(callOf func(p *planes, size int) (planeCall, bool), byRows bool) func(s *slicing) func(reps int) {
	return func(s *slicing) func(reps int) {
		axes, start := axesOf(s.desc)
		p, ok := planesOf(join(axes), start, s.width)
		if !ok {
			return nil
		}
		call, ok := callOf(&p, len(s.src))
		if !ok {
			return nil
		}
		f := lib.symbol(call.function)
		if f == nil { // this version lacks it
			return nil
		}
		c := C.struct_call{
			planes: C.int64_t(call.planes.n), src_plane: C.int64_t(call.planes.src), dst_plane: C.int64_t(call.planes.dst),
			width: C.int(call.width), height: C.int(call.height), src_pitch: C.int(call.srcPitch), dst_pitch: C.int(call.dstPitch),
			lead: C.bool(call.lead), by_rows: C.bool(byRows),
		}
		return func(reps int) {
			C.run_call(f, &c, (*C.uint8_t)(&s.dst[0]), (*C.uint8_t)(&s.src[call.start]), C.int64_t(reps))
		}
	}
}

// copier is FFTW for elements of one width. FFTW's transforms of rank 0 are copies. Or it is HPTT,
// by functions of the same form.
type copier struct {
	plan, execute, destroy unsafe.Pointer // functions of the library
	latest                 unsafe.Pointer // the last plan that was made; earlier ones are destroyed
}

// An ofWidth has the file with functions for elements of a width, and the prefix of their names.
type ofWidth struct {
	width        int
	file, prefix string
}

// loadCopiers returns a function that loads copiers of several widths.
func loadCopiers(name string, widths ...ofWidth) func() (*peerInC, error) {
	return func() (*peerInC, error) {
		copiers := map[int]*copier{}
		version := ""
		for _, f := range widths {
			lib, err := open(f.file+".3", f.file)
			if err != nil {
				return nil, err
			}
			copiers[f.width] = &copier{plan: lib.symbol(f.prefix + "plan_guru64_r2r"), execute: lib.symbol(f.prefix + "execute_r2r"), destroy: lib.symbol(f.prefix + "destroy_plan")}
			text := lib.symbol(f.prefix + "version")
			if lib.missing != nil {
				return nil, lib.missing
			}
			_, version, _ = strings.Cut(C.GoString((*C.char)(text)), "-")
		}
		return &peerInC{name, version, func(s *slicing) func(reps int) {
			if c := copiers[s.width]; c != nil {
				return c.runs(s)
			}
			return nil
		}}, nil
	}
}

// runs makes the library plan a slicing by measuring. It returns a function that executes the plan
// reps times, or nil if there is no plan.
func (c *copier) runs(s *slicing) func(reps int) {
	axes, start := axesOf(s.desc)
	var dims []C.struct_dim
	for _, x := range join(axes) {
		dims = append(dims, C.struct_dim{C.ptrdiff_t(x.n), C.ptrdiff_t(x.src), C.ptrdiff_t(x.dst)})
	}
	src, dst := unsafe.Pointer(&s.src[start*s.width]), unsafe.Pointer(&s.dst[0])
	if c.latest != nil {
		C.destroy_plan(c.destroy, c.latest)
	}
	c.latest = C.make_plan(c.plan, C.int(len(dims)), &dims[0], src, dst)
	fill(s.src) // FFTW has written to it
	if c.latest == nil {
		return nil
	}
	plan := c.latest
	return func(reps int) { C.run_plan(c.execute, plan, src, dst, C.int64_t(reps)) }
}
