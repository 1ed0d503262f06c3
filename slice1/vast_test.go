package slice1_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// vast returns valid descriptors of up to 2^62 bytes of output, which no memory holds.
func vast(rng *rand.Rand) (all []*slice1.Desc) {
	add := func(d *slice1.Desc) {
		if d.Validate() == nil {
			all = append(all, d)
		}
	}
	cube := func(t slice1.DataType, n int, strides ...int) *slice1.Desc {
		d := slice1.Whole(t, slices.Repeat([]int{n}, len(strides))...)
		d.Input.Strides = strides
		return d
	}
	primes := []int{1, 2, 3, 5, 7, 11, 13, 17}
	for _, n := range []int{16, 17, 31, 100, 128, 191, 200, 215} { // extents that blocks divide, and others
		add(cube(slice1.Uint8, n, primes...))
	}
	mirrored := cube(slice1.Uint8, 200, primes...)
	mirrored.WindowStrides = slices.Repeat([]int{-1}, 8)
	mirrored.Output.Sizes = []int{199, 200, 198, 3, 200, 197, 1, 200}
	add(mirrored)
	scattered := cube(slice1.Uint8, 30, primes...)
	scattered.Output.Strides = slices.Clone(primes)
	for i := range scattered.Output.Strides {
		scattered.Output.Strides[i] = int(min(math.Pow(31, float64(i)), math.MaxInt32))
	}
	add(scattered)
	for _, t := range widths {
		add(cube(t, 100, 7, 5, 3, 1, 0, 2, 4, 6))
		add(cube(t, 1<<15, 1, 1, 1))
		add(slice1.Whole(t, math.MaxInt/2/t.Size()))
		add(cube(t, math.MaxInt/2/t.Size(), 0))
		for _, axes := range [][]int{{2, 1, 0}, {1, 2, 0}, {0, 2, 1}} {
			if d, err := slice1.Whole(t, 1<<18, 1<<20, 1<<18).Permute(axes...); err == nil {
				add(d)
			}
		}
	}
	for len(all) < 70 {
		t := slice1.DataType(1 + rng.IntN(11))
		rank, room := 1+rng.IntN(8), math.MaxInt/2/t.Size()
		d := &slice1.Desc{Input: slice1.TensorDesc{DataType: t}, Output: slice1.TensorDesc{DataType: t}}
		for i := range rank {
			most := min(room, 1+int(math.Pow(float64(room), 1/float64(rank-i))))
			n := max(1, most-rng.IntN(most/8+1))
			room /= n
			d.Input.Sizes = append(d.Input.Sizes, n)
			randomWindow(rng, d, n)
			d.Input.Strides = append(d.Input.Strides, []int{0, 1, 2, 3, 64, 4096, 1 + rng.IntN(1<<12)}[rng.IntN(7)])
		}
		add(d)
		if packed := *d; rank > 1 {
			packed.Input.Strides = nil
			if d, err := packed.Permute(rng.Perm(rank)...); err == nil {
				add(d)
			}
		}
	}
	return all
}

// Every public method and function returns for descriptors of any size: none visits one block or
// one element after another. Runs with short buffers fail at once.
func TestVastSlicesAreNotWalked(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 1))
	called := map[string]int{}
	vast, inBlocks, most := vast(rng), 0, int64(0)
	for i, d := range vast {
		to := converted[rng.IntN(len(converted))]
		c, err := slice1.NewPlan(d, slice1.WithNumbers(to, slice1.Affine{}))
		if err != nil {
			require.True(t, errors.Is(err, slice1.ErrOverflow) || errors.Is(err, slice1.ErrDataType), "%v: %v", err, d)
		}
		for _, candidate := range c.Candidates() {
			require.Positive(t, candidate.Cost, "%s of %v to %v", candidate.Name, d, to)
		}
		p := newPlan(t, d, []slice1.Option{{}, slice1.WithKernel("go"), slice1.WithStreaming(1), slice1.WithParallelism(1)}[i%4])
		most = max(most, p.DstSize())
		plans, candidates := []*slice1.Plan{p}, p.Candidates()
		for _, c := range candidates {
			require.Positive(t, c.Cost, "%s of %v", c.Name, d)
			if strings.HasSuffix(c.Name, "in blocks") && len(plans) < 3 {
				plans = append(plans, newPlan(t, d, slice1.WithCandidate(c.Name)))
				inBlocks++
			}
		}
		for _, p := range plans {
			require.Regexp(t, ` [1-9]\d* parts? on [1-9]\d* goroutines?\n`, p.String())
			callMethods(t, d, p, called)
		}
		for name, call := range functions(d, to) {
			called[name]++
			if err := call(); runs.MatchString(name) {
				require.Error(t, err, "%s: %v", name, d)
			}
		}
		window := slice1.Window{Offsets: d.WindowOffsets, Sizes: d.WindowSizes, Strides: d.WindowStrides, Out: d.Output.Sizes}
		level, option := slice1.FeatureLevel6_4, slice1.WithStreaming(0)
		for _, v := range []any{
			d, &d.Input, &d.Output, &d.Input.DataType, &d.Axes()[0], &slice1.Shard{Desc: d}, &window, c, &candidates[0], &level, &option,
			&slice1.Affine{}, &slice1.KernelInfo{}, slice1.BufferError("dst", d.Input.DataType, 1, p.DstSize()), &slice1.IndexError{Expr: "1"},
		} {
			callMethods(t, d, v, called)
		}
	}
	for _, name := range exported(t) {
		assert.Positive(t, called[name], name)
	}
	assert.Greater(t, inBlocks, len(vast)/4)
	t.Logf("%d descriptors of up to %d bytes, %d types, methods and functions", len(vast), most, len(called))
}

// runs matches the names of functions and methods that take buffers for a whole slice.
var runs = regexp.MustCompile(`^(Plan\.)?(Run|Check|Copy)`)

// callMethods calls all methods of what a pointer points to, a part of d or made from it.
func callMethods(t *testing.T, d *slice1.Desc, pointer any, called map[string]int) {
	value := reflect.ValueOf(pointer)
	of := value.Type()
	called[of.Elem().Name()]++
	for m := range value.NumMethod() {
		method := value.Method(m)
		name := of.Elem().Name() + "." + of.Method(m).Name
		results := method.Call(arguments(name, method.Type(), d))
		called[name]++
		if runs.MatchString(name) {
			want := slice1.ErrBuffer
			if value.IsNil() {
				want = slice1.ErrPlan
			}
			require.ErrorIs(t, results[0].Interface().(error), want, "%s: %v", name, d)
		}
	}
}

// arguments returns arguments of a method of d or of a part of it. Buffers are nil.
func arguments(name string, f reflect.Type, d *slice1.Desc) (in []reflect.Value) {
	for i := range f.NumIn() {
		switch at := f.In(i); {
		case f.IsVariadic() && i == f.NumIn()-1:
			numbers := d.WindowOffsets // of RunAt and its kind
			switch name {
			case "Desc.Permute":
				numbers = []int{7, 6, 5, 4, 3, 2, 1, 0}[8-len(d.Input.Sizes):]
			case "Window.Step":
				numbers = d.WindowStrides
			}
			for _, n := range numbers {
				in = append(in, reflect.ValueOf(n))
			}
		case at == reflect.TypeFor[context.Context]():
			in = append(in, reflect.ValueOf(context.Background()))
		case at == reflect.TypeFor[slice1.TensorDesc]():
			in = append(in, reflect.ValueOf(d.Input))
		case at == reflect.TypeFor[slice1.FeatureLevel]():
			in = append(in, reflect.ValueOf(slice1.FeatureLevel6_4))
		case at.Kind() == reflect.Int, at.Kind() == reflect.Int64: // of Split and of Axis.Window
			in = append(in, reflect.ValueOf(7).Convert(at))
		default:
			in = append(in, reflect.Zero(at))
		}
	}
	return in
}

// functions has a call of each public function, by name, with what d describes and short buffers.
func functions(d *slice1.Desc, to slice1.DataType) map[string]func() error {
	shape := d.Input.Sizes
	starts, ends := make([]int64, len(shape)), slices.Repeat([]int64{math.MaxInt64}, len(shape))
	window := slice1.Window{Offsets: d.WindowOffsets, Sizes: d.WindowSizes, Strides: d.WindowStrides, Out: d.Output.Sizes}
	plan := func(opts ...slice1.Option) (*slice1.Plan, error) { return slice1.NewPlan(d, opts...) }
	with := func(o slice1.Option) error { _, err := plan(o); return err }
	return map[string]func() error{
		"NewPlan": func() error { _, err := plan(); return err },
		"Compose": func() error {
			_, err := slice1.Compose(d, slice1.Whole(d.Input.DataType, d.Output.Sizes...))
			return err
		},
		"Copy":      func() error { return slice1.Copy([]uint8{0}, []uint8(nil), d) },
		"CopyBytes": func() error { return slice1.CopyBytes(nil, []byte{0}, d) },
		"Run":       func() error { p, _ := plan(); return slice1.Run(p, []uint8{0}, []uint8(nil)) },
		"RunAt":     func() error { p, _ := plan(); return slice1.RunAt(p, []uint8{0}, []uint8(nil), d.WindowOffsets...) },
		"Slice":     func() error { _, _, err := slice1.Slice([]uint8{0}, shape, "..."); return err },
		"Assign":    func() error { return slice1.Assign([]uint8{0}, shape, "...", []uint8{0}) },
		"Part": func() error {
			slice1.Part([]uint8{0}, slice1.Shard{Desc: d, Offset: math.MaxInt64})
			return slice1.ErrBuffer
		},
		"Crop":            func() error { _, err := slice1.Crop(shape, d.WindowOffsets, d.WindowSizes); return err },
		"FromONNX":        func() error { _, err := slice1.FromONNX(shape, starts, ends, nil, nil); return err },
		"ParseIndex":      func() error { _, _, err := slice1.ParseIndex("...,::-1", shape); return err },
		"NewDesc":         func() error { return slice1.NewDesc(d.Input.DataType, shape, window).Validate() },
		"Whole":           func() error { return slice1.Whole(d.Input.DataType, shape...).Validate() },
		"BufferError":     func() error { return slice1.BufferError("src", d.Input.DataType, 0, math.MaxInt64) },
		"WithKernel":      func() error { return with(slice1.WithKernel("go")) },
		"WithParallelism": func() error { return with(slice1.WithParallelism(math.MaxInt)) },
		"WithStreaming":   func() error { return with(slice1.WithStreaming(math.MaxInt64)) },
		"WithCandidate":   func() error { return with(slice1.WithCandidate("none")) },
		"WithMeasure":     func() error { return with(slice1.WithMeasure(math.MaxInt64)) },
		"WithLearning":    func() error { return with(slice1.WithLearning(false)) },
		"WithNumbers":     func() error { return with(slice1.WithNumbers(to, slice1.Affine{})) },
		"Quantize":        func() error { return with(slice1.WithNumbers(slice1.Int8, slice1.Quantize([]float32{2}, []int32{1}))) },
		"Dequantize":      func() error { return with(slice1.WithNumbers(to, slice1.Dequantize([]float32{2}, []int32{1}))) },
		"WithByteOrder":   func() error { return with(slice1.WithByteOrder(nil)) },
	}
}

// exported returns the names of the package's public types that are not interfaces, and of its
// public functions that take any argument.
func exported(t *testing.T) (names []string) {
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), entry.Name(), nil, 0)
		require.NoError(t, err)
		ast.FilterFile(file, ast.IsExported)
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil && len(decl.Type.Params.List) > 0 && decl.Name.Name != "Bytes" {
					names = append(names, decl.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok {
						if _, ok := spec.Type.(*ast.InterfaceType); !ok {
							names = append(names, spec.Name.Name)
						}
					}
				}
			}
		}
	}
	return names
}

// A conversion whose output has 2^62 bytes runs on all goroutines, although as many elements of its
// input's type would have 2^64 bytes.
func TestVastConversionsRunOnGoroutines(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	d := slice1.Whole(slice1.Float32, 1<<30, 1<<30, 4)
	d.Input.Strides = []int{0, 0, 0}
	c, err := slice1.NewPlan(d, slice1.WithNumbers(slice1.Uint8, slice1.Affine{}))
	require.NoError(t, err)
	require.Equal(t, int64(1)<<62, c.DstSize())
	require.Contains(t, c.String(), fmt.Sprintf("parts on %d goroutine", runtime.GOMAXPROCS(0))) // 1 on wasm
}
