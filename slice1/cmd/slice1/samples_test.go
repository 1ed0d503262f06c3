package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// sampled is an input of the oracle: numbers of a type, of which the largest is white in a picture.
type sampled struct {
	name    string
	flags   []string // of -raw
	typ     slice1.DataType
	largest float64
	picture bool
	shape   []int
	samples []float64
}

// inputsOfEveryKind writes pictures and arrays that go from black to white, and returns them.
func (d dir) inputsOfEveryKind() (all []sampled) {
	add := func(name string, file []byte, typ slice1.DataType, largest float64, shape []int, samples []float64, flags ...string) {
		d.write(name, file)
		all = append(all, sampled{name, flags, typ, largest, len(flags) == 0 && !strings.HasSuffix(name, ".npy"), shape, samples})
	}
	ramp := func(typ slice1.DataType, n int) (x []float64, little, big []byte) {
		for i := range n {
			v := float64(i)
			switch x = append(x, v); typ {
			case slice1.Uint8:
				little, big = append(little, byte(i)), append(big, byte(i))
			case slice1.Uint16:
				little, big = binary.LittleEndian.AppendUint16(little, uint16(i)), binary.BigEndian.AppendUint16(big, uint16(i))
			default:
				x[i] = float64(float32(v) / float32(n-1))
				little = binary.LittleEndian.AppendUint32(little, math.Float32bits(float32(x[i])))
			}
		}
		return x, little, big
	}
	bytes8, little8, _ := ramp(slice1.Uint8, 256)
	words, little16, big16 := ramp(slice1.Uint16, 1<<16)
	floats, little32, _ := ramp(slice1.Float32, 256)
	grey := image.NewGray(image.Rect(0, 0, 16, 16))
	copy(grey.Pix, little8)
	add("8.png", encodePNG(d.T, grey), slice1.Uint8, 255, []int{16, 16, 1}, bytes8)
	wide := image.NewGray16(image.Rect(0, 0, 256, 256))
	copy(wide.Pix, big16)
	add("16.png", encodePNG(d.T, wide), slice1.Uint16, 65535, []int{256, 256, 1}, words)
	var b bytes.Buffer
	require.NoError(d, jpeg.Encode(&b, grey, nil))
	m, err := jpeg.Decode(bytes.NewReader(b.Bytes()))
	require.NoError(d, err)
	stored := []float64{}
	for _, v := range m.(*image.Gray).Pix {
		stored = append(stored, float64(v))
	}
	add("in.jpg", bytes.Clone(b.Bytes()), slice1.Uint8, 255, []int{16, 16, 1}, stored)
	palette, three := color.Palette{}, []float64{}
	for i := range 256 {
		palette, three = append(palette, color.Gray{byte(i)}), append(three, float64(i), float64(i), float64(i))
	}
	b.Reset()
	require.NoError(d, gif.Encode(&b, &image.Paletted{Pix: little8, Stride: 16, Rect: grey.Rect, Palette: palette}, nil))
	add("in.gif", b.Bytes(), slice1.Uint8, 255, []int{16, 16, 3}, three)
	for _, size := range [][2]int{{1, 2}, {1, 3}, {4, 4}, {1, 101}, {15, 17}, {16, 16}, {1, 257}, {7, 143}, {64, 64}, {255, 257}, {256, 256}} {
		n := size[0] * size[1]
		typ := slice1.Uint8
		if n > 256 {
			typ = slice1.Uint16
		}
		x, _, file := ramp(typ, n)
		add(fmt.Sprintf("%d.pgm", n-1), append(fmt.Appendf(nil, "P5 %d %d %d\n", size[1], size[0], n-1), file...), typ, float64(n-1), []int{size[0], size[1], 1}, x)
	}
	add("u1.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{16, 16, 1}}, little8), slice1.Uint8, 255, []int{16, 16, 1}, bytes8)
	add("u2.npy", npyFile(npy.Header{Type: slice1.Uint16, Shape: []int{256, 256, 1}}, little16), slice1.Uint16, 65535, []int{256, 256, 1}, words)
	add("f4.npy", npyFile(npy.Header{Type: slice1.Float32, Shape: []int{16, 16, 1}}, little32), slice1.Float32, 1, []int{16, 16, 1}, floats)
	add("u1.raw", little8, slice1.Uint8, 255, []int{16, 16, 1}, bytes8, "-raw", "u1", "-shape", "16,16,1")
	add("u2.raw", little16, slice1.Uint16, 65535, []int{256, 256, 1}, words, "-raw", "<u2", "-shape", "256,256,1")
	add("f4.raw", little32, slice1.Float32, 1, []int{16, 16, 1}, floats, "-raw", "<f4", "-shape", "16,16,1")
	luma := append(bytes.Clone(little8), bytes.Repeat([]byte{128}, 128)...)
	add("nv12.raw", luma, slice1.Uint8, 255, []int{16, 16, 3}, three, "-raw", "nv12,bt601,full", "-shape", "16,16")
	return all
}

// results returns what the command makes of a sample with a type as -to, in a file of an ending:
// the number, the type of the elements and the largest sample of a picture. says is part of the
// note, or of the error if the samples do not fit.
func (in sampled) result(to string, ending string) (f func(x float64) float64, typ slice1.DataType, white float64, says string, ok bool) {
	typ = map[string]slice1.DataType{"": in.typ, "u1": slice1.Uint8, "u2": slice1.Uint16, "i1": slice1.Int8, "f4": slice1.Float32}[to]
	limits := map[slice1.DataType][2]float64{slice1.Uint8: {0, 255}, slice1.Uint16: {0, 65535}, slice1.Int8: {-128, 127}}[typ]
	pictured := ending != "npy" && ending != "raw"
	white = limits[1]
	switch {
	case pictured && (typ == slice1.Int8 || typ == slice1.Float32 || typ == slice1.Uint16 && ending == "jpg"):
		return nil, typ, white, " holds uint8", false
	case pictured && in.typ == slice1.Float32:
		return nil, typ, white, "-scale 1 of numbers from 0 to ", false
	case pictured && in.picture && ending == "pnm" && typ == in.typ:
		return func(x float64) float64 { return x }, typ, in.largest, "", true
	case pictured && in.picture:
		if in.largest != white {
			says = fmt.Sprintf("samples are scaled, so that %.0f becomes %.0f; -to %s -scale 1 keeps numbers, as masks need it", in.largest, white, map[slice1.DataType]string{slice1.Uint8: "u1", slice1.Uint16: "u2"}[typ])
		}
		return func(x float64) float64 { return math.Floor(x*white/in.largest + .5) }, typ, white, says, true
	case typ == slice1.Float32:
		f = func(x float64) float64 { return x }
	default:
		f = func(x float64) float64 { return min(max(math.RoundToEven(x), limits[0]), limits[1]) }
	}
	frames := strings.HasPrefix(in.name, "nv12")
	switch {
	case typ != slice1.Float32 && in.typ != slice1.Float32 && in.largest > white && (pictured || in.picture || frames):
		says = fmt.Sprintf("numbers above %.0f become %.0[1]f; ", white)
	case pictured && in.typ == slice1.Uint8 && typ == slice1.Uint16:
		says = "nearly black"
	case in.picture && in.largest != 255 && in.largest != 65535:
		says = fmt.Sprintf("samples of up to %.0f, not scaled", in.largest)
	}
	return f, typ, white, says, true
}

// samplesOf returns the numbers in an output of the command, of a type, and the largest sample that
// its header names if it is a PNM. Raw elements have the order of the input's bytes, which is
// little-endian here, unless -to makes them.
func (d dir) samplesOf(name string, typ slice1.DataType, to string) (samples []float64, white float64) {
	file, order := d.read(name), binary.ByteOrder(binary.NativeEndian)
	switch {
	case strings.HasSuffix(name, ".raw") && to == "":
		order = binary.LittleEndian
	case strings.HasSuffix(name, ".npy"):
		h, data := d.array(name)
		require.Equal(d, typ, h.Type, name)
		if file = data; !h.BigEndian {
			order = binary.LittleEndian
		}
	case strings.HasSuffix(name, ".pnm"):
		var width, height int
		var kind rune
		_, err := fmt.Sscanf(string(file[:min(len(file), 40)]), "P%c\n%d %d\n%f\n", &kind, &width, &height, &white)
		require.NoError(d, err)
		file = file[len(file)-width*height*typ.Size()*map[rune]int{'5': 1, '6': 3}[kind]:]
		order = binary.BigEndian
	case !strings.HasSuffix(name, ".raw"):
		_, file = pictureSamples(d.T, typ, file)
		order = binary.LittleEndian
	}
	for element := range slices.Chunk(file, typ.Size()) {
		switch typ {
		case slice1.Uint8:
			samples = append(samples, float64(element[0]))
		case slice1.Int8:
			samples = append(samples, float64(int8(element[0])))
		case slice1.Uint16:
			samples = append(samples, float64(order.Uint16(element)))
		default:
			samples = append(samples, float64(math.Float32frombits(order.Uint32(element))))
		}
	}
	return samples, white
}

var advised = regexp.MustCompile(`(-to \w+)?( ?-scale [\d.e-]+)?( ?-bias -?\d+)?( makes| leaves)`)

// Every kind of input becomes every kind of output, with and without -to, as the oracle says: from
// picture to picture samples are scaled, and else numbers stay as they are. What is lost is said.
// Flags that a sentence advises make samples from black to white, and none that is lost.
func TestSamplesOfEveryPairOfFormats(t *testing.T) {
	d := newDir(t)
	right, refusals, notes, followed := 0, 0, 0, 0
	for _, in := range d.inputsOfEveryKind() {
		for _, to := range []string{"", "u1", "u2", "i1", "f4"} {
			for _, ending := range []string{"png", "jpg", "pnm", "npy", "raw"} {
				f, typ, white, says, ok := in.result(to, ending)
				out := "./out." + ending
				args := slices.Concat([]string{"-force"}, in.flags)
				if to != "" {
					args = append(args, "-to", to)
				}
				code, _, stderr := d.run(append(args, "[...]", "./"+in.name, out)...)
				line := fmt.Sprintf("%s -to %q .%s: %s", in.name, to, ending, stderr)
				require.Contains(t, stderr, says, line)
				require.Equal(t, says == "", stderr == "", line)
				require.LessOrEqual(t, strings.Count(stderr, "\n"), 1, line)
				switch require.Equal(t, ok, code == exitOK, line); {
				case ok:
					got, header := d.samplesOf("out."+ending, typ, to)
					require.Len(t, got, len(in.samples), line)
					for i, x := range in.samples {
						near := 0.
						if ending == "jpg" {
							near = 40 // a ramp of rows of 16 has edges, which a JPEG blurs
						}
						if math.Abs(f(x)-got[i]) > near {
							require.Equal(t, f(x), got[i], "%s: sample %v", line, x)
						}
					}
					if ending == "pnm" {
						require.Equal(t, white, header, line)
					}
					right++
				default:
					refusals++
				}
				if says != "" && ok {
					notes++
				}
				if advice := advised.FindStringSubmatch(stderr); advice != nil {
					flags := append([]string{"-force"}, in.flags...)
					if advice[1] == "" && to != "" {
						flags = append(flags, "-to", to)
					}
					flags = append(flags, strings.Fields(advice[1]+advice[2]+advice[3])...)
					code, _, stderr := d.run(append(flags, "[...]", "./"+in.name, out)...)
					require.Equal(t, exitOK, code, "%s%s", line, stderr)
					if strings.Contains(strings.Join(flags, " "), "-to u1") {
						typ = slice1.Uint8
					}
					got, header := d.samplesOf("out."+ending, typ, "made")
					least, most := slices.Min(got), slices.Max(got)
					want := map[slice1.DataType][2]float64{slice1.Uint8: {0, 255}, slice1.Uint16: {0, 65535}, slice1.Int8: {-128, 127}}[typ]
					if ending == "pnm" { // which says what is white
						want[1] = header
					}
					require.InDelta(t, want[0], least, 40, line)
					require.InDelta(t, want[1], most, 40, line)
					ends := 0
					for _, x := range got {
						if x == least || x == most {
							ends++
						}
					}
					if len(got) > 16 {
						require.Less(t, ends, len(got)/8, "%s %v", line, flags)
					}
					followed++
				}
			}
		}
	}
	require.Greater(t, right, 350)
	require.Greater(t, refusals, 100)
	require.Greater(t, followed, 100)
	t.Logf("%d right, %d with a note, %d refused; what %d sentences advise was done", right, notes, refusals, followed)
}

// Colours and alpha are scaled as package imageslice scales them, whatever the slice and the order
// of axes, and in saved jobs.
func TestColoursAreScaledAsByImageslice(t *testing.T) {
	d := newDir(t)
	r := rand.New(rand.NewPCG(7, 8))
	m := image.NewNRGBA64(image.Rect(0, 0, 9, 7))
	opaque := image.NewRGBA64(m.Rect)
	for y := range 7 {
		for x := range 9 {
			m.SetNRGBA64(x, y, color.NRGBA64{uint16(r.Uint32()), uint16(r.Uint32()), uint16(r.Uint32()), uint16(r.Uint32())})
			opaque.SetRGBA64(x, y, color.RGBA64{uint16(r.Uint32()), uint16(r.Uint32()), uint16(r.Uint32()), 0xffff})
		}
	}
	d.write("alpha.png", encodePNG(t, m))
	d.write("rgb.png", encodePNG(t, opaque))
	note := "samples are scaled, so that 65535 becomes 255; -to u1 -scale 1 keeps numbers, as masks need it"
	for _, name := range []string{"alpha", "rgb"} {
		d.saveJob("job.json", "[1:6, ::-1]", "./"+name+".png")
		for _, flags := range [][]string{{"[1:6, ::-1]"}, {"-desc", d.at("job.json")}, {"-axes", "1,0,2", "[1:6, ::-1]"}, {"-orient", "6", "[1:6, ::-1]"}, {"[1:6, ::-1, 1]"}} {
			flags = append([]string{"-force"}, flags...)
			in := "./" + name + ".png"
			d.works(slices.Concat(flags, []string{in, "./wide.npy"})...)
			h, wide := d.array("wide.npy")
			want := []byte{}
			for pair := range slices.Chunk(wide, 2) {
				v := binary.LittleEndian.Uint16(pair)
				want = append(want, byte((uint32(v)*2+257)/(2*257)))
			}
			code, _, stderr := d.run(slices.Concat(flags, []string{"-to", "u1", in, "./narrow.png"})...)
			require.Equal(t, exitOK, code, stderr)
			assertOneLine(t, note, stderr)
			shape, got := pictureSamples(t, slice1.Uint8, d.read("narrow.png"))
			require.Equal(t, append(h.Shape, 1)[:3], shape)
			require.Equal(t, want, got, flags)
			d.works(slices.Concat(flags, []string{"-q", "-to", "png,u1", in, "./quiet"})...)
			require.Equal(t, d.read("narrow.png"), d.read("quiet"))
		}
	}
	want := make([]uint8, 3*5*9)
	require.NoError(t, imageslice.Convert(want, opaque, image.Rect(0, 1, 9, 6), imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.HWC, StepX: -1}))
	d.works("-q", "-to", "u1", "[1:6, ::-1]", "./rgb.png", "./rgb.ppm")
	got := d.read("rgb.ppm")
	require.Equal(t, want, got[len(got)-len(want):])

	// Wider again, and as numbers; an explanation that names OUT knows its samples.
	d.works("-q", "-force", "-to", "u2", "[...]", "./rgb.ppm", "./wide.png")
	_, back := pictureSamples(t, slice1.Uint16, d.read("wide.png"))
	for i, v := range want {
		require.Equal(t, 257*uint16(v), binary.LittleEndian.Uint16(back[2*i:]))
	}
	code, stdout, stderr := d.run("-explain", "-to", "u1", "[1:6]", "./rgb.png", "./new.png")
	require.Equal(t, exitOK, code)
	assertOneLine(t, note, stderr)
	require.Contains(t, stdout, "input   uint8 [7, 9, 3]")
	require.NoFileExists(t, d.at("new.png"))
}
