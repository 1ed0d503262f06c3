package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// values has a few values of each flag. A switch has none.
var values = map[string][]string{
	"desc": {"./job.json"}, "raw": {"u1", "nv12,bt709"}, "shape": {"6,8,3", "-1,8,3"}, "skip": {"5"}, "to": {"npy", "raw", "u1", "raw,f4"},
	"scale": {"2", "1,2,.5"}, "bias": {"-3", "1,2,3"}, "mean": {".5", ".1,.2,.3"}, "std": {".25", "1,2,3"}, "channel": {"-1", "0"}, "quality": {"70"},
	"quantize": {"2,130"}, "dequantize": {".5,3"},
	"axes": {"1,0,2", "-1,0,1"}, "orient": {"none", "6"}, "kernel": {"go"}, "device": {"cpu", "gpu:0"}, "j": {"1", "3"}, "part": {"1/1"},
	"force": nil, "v": nil, "q": nil, "json": nil, "explain": nil, "kernels": nil, "version": nil,
}

// tensor is an array of the oracle.
type tensor struct {
	shape []int
	data  []float64
}

// permuted returns the tensor that has at each index the element of t that from returns.
func (t tensor) permuted(shape []int, from func(index []int) []int) tensor {
	out, index := tensor{shape: shape}, make([]int, len(shape))
	for range product(shape) {
		at := 0
		for axis, i := range from(slices.Clone(index)) {
			at = at*t.shape[axis] + i
		}
		out.data = append(out.data, t.data[at])
		for axis := len(shape) - 1; axis >= 0; axis-- {
			if index[axis]++; index[axis] < shape[axis] {
				break
			}
			index[axis] = 0
		}
	}
	return out
}

// oracle returns what a job with the flags makes of in, with [1:, ::-1] as its index, and the type
// of its numbers.
func oracle(in tensor, flags map[string]string, raw bool) (tensor, slice1.DataType) {
	list := func(name string, none float64, i int) float64 {
		words := strings.Split(flags[name], ",")
		if flags[name] == "" {
			return none
		}
		var x float64
		fmt.Sscan(words[min(i, len(words)-1)], &x)
		return x
	}
	if flags["orient"] == "6" && !raw {
		in = in.permuted([]int{in.shape[1], in.shape[0], 3}, func(i []int) []int { return []int{in.shape[0] - 1 - i[1], i[0], i[2]} })
	}
	in = in.permuted([]int{in.shape[0] - 1, in.shape[1], 3}, func(i []int) []int { return []int{i[0] + 1, in.shape[1] - 1 - i[1], i[2]} })
	to := slice1.Uint8
	converts := flags["scale"]+flags["bias"]+flags["mean"]+flags["std"]+flags["dequantize"] != ""
	if strings.Contains(flags["to"], "f4") || converts && !strings.Contains(flags["to"], "u1") {
		to = slice1.Float32
	}
	for i := range in.data {
		c, x := i%3, float32(in.data[i])
		scale, bias := float32(list("scale", 1, c)), float32(list("bias", 0, c))
		if flags["mean"]+flags["std"] != "" {
			std := float64(float32(list("std", 1, c)))
			scale, bias = float32(1/(255*std)), float32(-float64(float32(list("mean", 0, c)))/std)
		}
		switch x = float32(x*scale) + bias; {
		case flags["quantize"] != "":
			x = float32(math.RoundToEven(in.data[i]/2)) + 130
		case flags["dequantize"] != "":
			x = float32(in.data[i]-3) * .5
		}
		if in.data[i] = float64(x); to == slice1.Uint8 {
			in.data[i] = min(max(math.RoundToEven(float64(x)), 0), 255)
		}
	}
	if flags["axes"] != "" {
		order := map[string][]int{"1,0,2": {1, 0, 2}, "-1,0,1": {2, 0, 1}}[flags["axes"]]
		in = in.permuted([]int{in.shape[order[0]], in.shape[order[1]], in.shape[order[2]]}, func(i []int) []int {
			from := make([]int, 3)
			for k, axis := range order {
				from[axis] = i[k]
			}
			return from
		})
	}
	return in, to
}

// encoded returns the elements of t, as numbers of a type.
func (t tensor) encoded(to slice1.DataType) (b []byte) {
	for _, x := range t.data {
		if to == slice1.Uint8 {
			b = append(b, byte(x))
		} else {
			b = binary.NativeEndian.AppendUint32(b, math.Float32bits(float32(x)))
		}
	}
	return b
}

// refused reports whether the table of clashes refuses the flags.
func refused(flags map[string]string) bool {
	given := maps.Collect(maps.All(flags))
	if strings.HasPrefix(flags["device"], "gpu") {
		given["device=gpu"] = ""
	}
	if strings.Contains(flags["to"], "u1") || strings.Contains(flags["to"], "f4") {
		given["to=TYPE"] = ""
	}
	any := func(names string) bool {
		return slices.ContainsFunc(strings.Fields(names), func(name string) bool { _, ok := given[name]; return ok })
	}
	return slices.ContainsFunc(clashes, func(c struct{ flags, against, needs, says string }) bool {
		return any(c.flags) && (any(c.against) || c.needs != "" && !any(c.needs) || c.against == "*" && len(flags) > 1)
	})
}

// Two flags either do what each of them says, like the oracle, or are refused by the table.
func TestPairsOfFlagsWorkOrAreRefused(t *testing.T) {
	declared := 0
	code, help, _ := newDir(t).run("-h")
	require.Equal(t, exitOK, code)
	require.True(t, strings.HasPrefix(help, usage))
	for line := range strings.Lines(help) {
		if name, ok := strings.CutPrefix(line, "  -"); ok {
			require.Contains(t, values, strings.Fields(name)[0])
			declared++
		}
	}
	require.Len(t, values, declared)
	r := rand.New(rand.NewPCG(1, 2))
	d := newDir(t)
	m := &image.RGBA{Pix: noise(r, 4*48), Stride: 32, Rect: image.Rect(0, 0, 8, 6)}
	pixels, frame := tensor{shape: []int{6, 8, 3}}, tensor{shape: []int{6, 8, 3}}
	for i := range m.Pix {
		if i%4 == 3 {
			m.Pix[i] = 255
		} else {
			pixels.data = append(pixels.data, float64(m.Pix[i]))
		}
	}
	d.write("in.png", encodePNG(t, m))
	d.write("in.raw", pixels.encoded(slice1.Uint8))
	d.write("skip.raw", append(noise(r, 5), pixels.encoded(slice1.Uint8)...))
	nv12 := noise(r, 72)
	d.write("in.nv12", nv12)
	d.write("skip.nv12", append(noise(r, 5), nv12...))
	f, err := imageslice.NV12(nv12, 8, 6, 0)
	require.NoError(t, err)
	f.Matrix = imageslice.BT709
	require.NoError(t, imageslice.ToRGBA(m, f, f.Rect))
	for i, x := range m.Pix {
		if i%4 < 3 {
			frame.data = append(frame.data, float64(x))
		}
	}
	text, err := json.Marshal(crop(t, slice1.Uint8, "[1:, ::-1]", 6, 8, 3))
	require.NoError(t, err)
	d.write("job.json", text)

	names := slices.Sorted(maps.Keys(values))
	ran, refusals := 0, 0
	for i, a := range names {
		for _, b := range names[i:] {
			for k := range max(len(values[a]), 1) * max(len(values[b]), 1) {
				flags := map[string]string{}
				set := func(name string, k int) {
					if flags[name] = ""; values[name] != nil {
						flags[name] = values[name][k%len(values[name])]
					}
				}
				set(a, k)
				set(b, k/max(len(values[a]), 1))
				need := func(name, other string, k int) {
					if _, ok := flags[name]; ok && flags[other] == "" {
						set(other, k)
					}
				}
				need("shape", "raw", 0)
				need("skip", "raw", 0)
				need("json", "explain", 0)
				if flags["scale"]+flags["bias"]+flags["mean"]+flags["std"] == "" {
					need("channel", "scale", k)
				}
				if _, ok := flags["quality"]; ok && flags["scale"]+flags["bias"]+flags["mean"]+flags["std"]+flags["dequantize"] != "" && flags["to"] == "" {
					flags["to"] = "u1"
				}
				d.pair(flags, pixels, frame, &ran, &refusals)
			}
		}
	}
	require.Greater(t, ran, 500)
	require.Greater(t, refusals, 100)
	t.Logf("%d pairs ran, %d were refused", ran, refusals)
}

// pair runs a command with the flags, and requires that it is refused or does what the oracle does.
func (d dir) pair(flags map[string]string, pixels, frame tensor, ran, refusals *int) {
	d.Helper()
	raw, skip := flags["raw"] != "", flags["skip"] != ""
	if flags["desc"] != "" && flags["orient"] != "" {
		flags["orient"] = "none" // the job is for the picture as it is
	}
	in, of := "./in.png", pixels
	switch {
	case strings.HasPrefix(flags["raw"], "nv12"):
		in, of = "nv12", frame
		if flags["desc"] != "" {
			return // a job of frames is refused in words of its own
		}
		flags["shape"] = "6,8"
	case raw:
		in = "raw"
		if flags["shape"] == "" && flags["desc"] == "" {
			flags["shape"] = "6,8,3"
		}
	}
	if raw {
		in = map[bool]string{false: "./in.", true: "./skip."}[skip] + in
	}
	out, want := "./out.npy", tensor{}
	if _, ok := flags["quality"]; ok {
		if out = "./out.jpg"; strings.Contains(flags["to"], "raw") || flags["to"] == "npy" || flags["axes"] == "-1,0,1" || strings.Contains(flags["to"], "f4") {
			return // no JPEG is written
		}
	}
	if flags["quantize"] != "" && strings.Contains(flags["to"], "f4") {
		return // TestQuantize has that
	}
	if flags["channel"] == "0" {
		for _, list := range []string{"scale", "bias", "mean", "std"} {
			flags[list], _, _ = strings.Cut(flags[list], ",")
		}
	}
	args := []string{}
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		if v := flags[name]; v != "" && strings.HasPrefix(v, "./") {
			args = append(args, "-"+name, d.at(v[2:]))
		} else if v != "" {
			args = append(args, "-"+name, v)
		} else if values[name] == nil {
			args = append(args, "-"+name)
		} else {
			delete(flags, name)
		}
	}
	line := fmt.Sprint(args)
	_, explain := flags["explain"]
	_, kernels := flags["kernels"]
	_, version := flags["version"]
	if !kernels && !version {
		if flags["desc"] == "" {
			args = append(args, "[1:, ::-1]")
		}
		args = append(args, in, out)
	}
	for _, name := range []string{"out.npy", "out.npy.job", "out.jpg"} {
		_ = os.Remove(d.at(name))
	}
	if slices.Contains(args, "-force") {
		d.write(out[2:], []byte("old"))
	}
	code, stdout, stderr := d.run(args...)
	if refused(flags) {
		require.Equal(d, exitUsage, code, line)
		require.Regexp(d, `^slice1: -\S+ (does not go with|is for) -?[^\n]*\n$`, stderr, line)
		*refusals++
		return
	}
	if strings.HasPrefix(flags["device"], "gpu") && code == exitError {
		return // no such device
	}
	require.Equal(d, exitOK, code, "%s: %s", line, stderr)
	*ran++
	_, verbose := flags["v"]
	require.Equal(d, verbose && !explain, strings.Contains(stderr, "kernel "), line)
	want, to := oracle(of, flags, raw)
	switch _, asJSON := flags["json"]; {
	case kernels || version:
		require.NotEmpty(d, stdout, line)
	case asJSON:
		var saved savedJob
		require.NoError(d, json.Unmarshal([]byte(stdout), &saved), line)
		require.Equal(d, want.shape, saved.Shape, line)
	case explain:
		require.Contains(d, stdout, fmt.Sprintf("output  %v %v\n", to, brackets(want.shape)), line)
	case out == "./out.jpg":
		m := image.NewRGBA(image.Rect(0, 0, want.shape[1], want.shape[0]))
		for i := range len(want.data) / 3 {
			p := want.data[3*i:]
			m.Set(i%want.shape[1], i/want.shape[1], color.RGBA{byte(p[0]), byte(p[1]), byte(p[2]), 255})
		}
		var b bytes.Buffer
		require.NoError(d, jpeg.Encode(&b, m, &jpeg.Options{Quality: 70}))
		require.Equal(d, b.Bytes(), d.read("out.jpg"), line)
	case strings.HasPrefix(flags["to"], "raw"):
		require.Equal(d, want.encoded(to), d.read("out.npy"), line)
	default:
		require.Equal(d, npyFile(npy.Header{Type: to, BigEndian: nativeBig && to.Size() > 1, Shape: want.shape}, want.encoded(to)), d.read("out.npy"), line)
	}
}
