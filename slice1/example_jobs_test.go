package slice1_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"

	"github.com/seed2e45c115/dml/slice1"
)

// sliced is slice1.Slice for valid index text.
func sliced[T slice1.Element](src []T, shape []int, index string) ([]T, []int) {
	dst, out, err := slice1.Slice(src, shape, index)
	if err != nil {
		log.Fatal(err)
	}
	return dst, out
}

// picture has 3 rows of 4 pixels of one byte.
var picture = []byte("abcd" + "efgh" + "ijkl")

// The last two rows, without the first and the last column.
func ExampleSlice_crop() {
	printRows(sliced(picture, []int{3, 4}, "[1:3, 1:-1]"))
	// Output:
	// fg
	// jk
}

func ExampleSlice_flip() {
	printRows(sliced(picture, []int{3, 4}, "[::-1, ::-1]"))
	// Output:
	// lkji
	// hgfe
	// dcba
}

func ExampleSlice_everySecondPixel() {
	printRows(sliced(picture, []int{3, 4}, "[::2, ::2]"))
	// Output:
	// ac
	// ik
}

// One channel of a batch in NHWC layout: two pictures of 1 x 2 pixels of 3
// channels.
func ExampleSlice_channel() {
	batch := []float32{
		0.1, 0.2, 0.3, 0.4, 0.5, 0.6,
		1.1, 1.2, 1.3, 1.4, 1.5, 1.6,
	}
	green, shape := sliced(batch, []int{2, 1, 2, 3}, "[..., 1]")
	fmt.Println(green, shape)
	// Output: [0.2 0.5 1.2 1.5] [2 1 2]
}

// The pixels have a type that the program defines, an array. A slice of structs, like color.RGBA,
// is taken as bytes: unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), 4*len(s)).
func ExampleSlice() {
	type pixel [4]uint8
	row := []pixel{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}}
	mirrored, shape, err := slice1.Slice(row, []int{1, 3}, "[:, ::-1]")
	fmt.Println(mirrored, shape, err)
	none, shape, err := slice1.Slice(row, []int{1, 3}, "[:, 3:]")
	fmt.Println(none, shape, err)
	// Output:
	// [[0 0 255 255] [0 255 0 255] [255 0 0 255]] [1 3] <nil>
	// [] [1 0] <nil>
}

// RGB to BGR: the channels of each pixel backwards.
func ExampleSlice_swapChannels() {
	pixels, _ := sliced([]byte("RGBrgb"), []int{1, 2, 3}, "[..., ::-1]")
	fmt.Printf("%s\n", pixels)
	// Output: BGRbgr
}

// The samples of stereo sound alternate; each channel is every second sample.
func ExampleSlice_deinterleaveAudio() {
	stereo := []int16{10, -1, 20, -2, 30, -3}
	left, _ := sliced(stereo, []int{3, 2}, "[:, 0]")
	right, _ := sliced(stereo, []int{3, 2}, "[:, 1]")
	fmt.Println(left, right)
	// Output: [10 20 30] [-1 -2 -3]
}

// In Fortran order, memory strides make the first axis contiguous. The slice copies the array into
// C order, where the last axis is contiguous.
func ExampleTensorDesc_fortranOrder() {
	columns := []float64{11, 21, 12, 22, 13, 23} // of the matrix 11 12 13 / 21 22 23
	rows := make([]float64, 6)
	err := slice1.Copy(rows, columns, &slice1.Desc{
		Input:         slice1.TensorDesc{DataType: slice1.Float64, Sizes: []int{2, 3}, Strides: []int{1, 2}},
		Output:        slice1.TensorDesc{DataType: slice1.Float64, Sizes: []int{2, 3}},
		WindowOffsets: []int{0, 0}, WindowSizes: []int{2, 3}, WindowStrides: []int{1, 1},
	})
	fmt.Println(rows, err)
	// Output: [11 12 13 21 22 23] <nil>
}

// One plan makes a batch of crops of 2 x 2 pixels from one picture. An offset that is too large is
// an error.
func ExamplePlan_RunAt() {
	plan, err := slice1.NewPlan(slice1.NewDesc(slice1.Uint8, []int{3, 4}, slice1.Window{
		Offsets: []int{0, 0}, Sizes: []int{2, 2}, Strides: []int{1, 1}, Out: []int{2, 2},
	}))
	if err != nil {
		log.Fatal(err)
	}
	corners := [][]int{{0, 0}, {1, 2}, {0, 1}}
	batch := make([]byte, 4*len(corners))
	for i, corner := range corners {
		if err := plan.RunAt(batch[4*i:], picture, corner...); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%s\n", batch)
	fmt.Println(plan.RunAt(batch, picture, 2, 0))
	// Output:
	// abefghklbcfg
	// slice1: offsets[0] is 2, must be at most 1: the window is empty or leaves the input
}

// Take every second element. Then take the second to the last of these five, backwards.
func ExampleCompose() {
	thin := slice1.NewDesc(slice1.Uint8, []int{10}, slice1.Window{
		Offsets: []int{0}, Sizes: []int{10}, Strides: []int{2}, Out: []int{5},
	})
	turned := slice1.NewDesc(slice1.Uint8, []int{5}, slice1.Window{
		Offsets: []int{1}, Sizes: []int{4}, Strides: []int{-1}, Out: []int{4},
	})
	both, err := slice1.Compose(thin, turned)
	if err != nil {
		log.Fatal(err)
	}
	dst := make([]byte, 4)
	fmt.Println(slice1.Copy(dst, []byte("0123456789"), both), string(dst))
	fmt.Println("offset", both.WindowOffsets, "size", both.WindowSizes, "stride", both.WindowStrides)
	// Output:
	// <nil> 8642
	// offset [2] size [7] stride [-2]
}

// A slice is split into two shards. Goroutines, processes or devices could run them at once.
func ExampleDesc_Split() {
	window, out, err := slice1.ParseIndex("[::2, ::-1]", []int{3, 4})
	if err != nil {
		log.Fatal(err)
	}
	shards, err := slice1.NewDesc(slice1.Uint8, []int{3, 4}, window).Split(2)
	if err != nil {
		log.Fatal(err)
	}
	dst := []byte("........")
	for _, s := range shards {
		if err := slice1.Copy(slice1.Part(dst, s), picture, s.Desc); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v from byte %d on: %s\n", s.Desc.Output.Sizes, s.Offset, dst)
	}
	fmt.Println(out)
	// Output:
	// [1 4] from byte 0 on: dcba....
	// [1 4] from byte 4 on: dcbalkji
	// [2 4]
}

// frames serves slices of a frame and keeps the plans that it made.
type frames struct {
	shape []int
	frame []byte

	mu    sync.Mutex
	plans map[string]*slice1.Plan
}

// plan returns the plan for index text that clients write. One slice can be written in many ways,
// so the descriptor's Key is the key of the cache. frames keeps at most 1000 plans.
func (f *frames) plan(index string) (*slice1.Plan, error) {
	window, _, err := slice1.ParseIndex(index, f.shape)
	if err != nil {
		return nil, err
	}
	desc := slice1.NewDesc(slice1.Uint8, f.shape, window)
	key := desc.Key()
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.plans[key]; p != nil {
		return p, nil
	}
	p, err := slice1.NewPlan(desc)
	if err != nil {
		return nil, err
	}
	if len(f.plans) >= 1000 {
		clear(f.plans)
	}
	f.plans[key] = p
	return p, nil
}

func (f *frames) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, err := f.plan(r.FormValue("index"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	dst := make([]byte, p.DstSize())
	if err := p.RunContext(r.Context(), dst, f.frame); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Write(dst)
}

// A service slices a frame by its clients' index text. Wrong text, and text that takes no elements,
// is the client's error.
func ExampleDesc_Key() {
	server := &frames{shape: []int{3, 4}, frame: picture, plans: map[string]*slice1.Plan{}}
	for _, index := range []string{"[1]", "[:, ::-3]", "[-2, ...]", "[7]"} {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest("GET", "/?index="+url.QueryEscape(index), nil))
		fmt.Println(w.Code, strings.TrimSpace(w.Body.String()))
	}
	fmt.Println(len(server.plans), "plans")
	// Output:
	// 200 efgh
	// 200 daheli
	// 200 efgh
	// 400 slice1: index "[7]": column 2: integer outside axis 0 of extent 3
	// 2 plans
}
