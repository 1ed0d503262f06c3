package rows

import (
	"encoding/binary"
	"sync"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// Resampler is the source of a picture of another size. It makes rows from the picture's memory, or
// from rows of R, G and B that are made. The rows are those of the picture in memory, Pitch bytes
// apart. Several goroutines may make rows at once.
type Resampler struct {
	Plan      *Plan
	Pix       []uint8  // the picture's memory, or nil if Colours make rows
	Stride    int      // bytes from row to row of Pix
	Pixel     int      // bytes of a pixel in Pix: 1, 3 or 4
	Colours   *Colours // what makes rows otherwise
	Left, Top int      // the first column that the plan takes, and row 0 of its axis
	Rows      int      // of the result, or of each plane of it
	Apart     int      // rows of the source from one plane to the next
	Reversed  bool     // whether rows are made from the last one on
	Pitch     int      // bytes from a row that is made to the next

	mutex sync.Mutex
	idle  []*Worker // that make rows for one goroutine at a time
}

// workers have memory that later pictures use again.
var workers = sync.Pool{New: func() any { return new(Worker) }}

// Load implements Source.
func (r *Resampler) Load(rows [][]uint8, y, start, n int, memory []uint8) {
	y, start = y+r.Top, start+r.Left
	length := n * r.Plan.pixel
	if r.Colours != nil {
		r.Colours.store(memory, Layout{Pixel: r.Plan.pixel, Stride: length}, Window{Left: start, Width: n, Top: y, Step: 1, Count: len(rows)})
	}
	for k := range rows {
		if r.Colours == nil {
			pix := r.Pix[(y+k)*r.Stride+start*r.Pixel:][:n*r.Pixel]
			if r.Pixel == r.Plan.pixel {
				rows[k] = pix
				continue
			}
			r.Plan.unpack(memory[:length], pix)
		}
		rows[k], memory = memory[:length:length], memory[length:]
	}
}

// unpack makes pixels of four bytes, the last of which is any number, of pixels of three bytes:
// four at a time.
func (p *Plan) unpack(dst, src []uint8) {
	if p.inVectors() {
		vector.Unpack(dst, src)
		return
	}
	const three = 1<<24 - 1
	for ; len(src) >= 12; dst, src = dst[16:], src[12:] {
		v, w := binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[4:])
		binary.LittleEndian.PutUint64(dst, v&three|v>>24<<32)
		binary.LittleEndian.PutUint64(dst[8:], w>>16&three|w>>40<<32)
	}
	for ; len(src) > 0; dst, src = dst[4:], src[3:] {
		binary.LittleEndian.PutUint32(dst, uint32(src[0])|uint32(src[1])<<8|uint32(src[2])<<16)
	}
}

// Length returns how many bytes a row of the result has.
func (r *Resampler) Length() int {
	width, _ := r.Plan.Size()
	return width * r.Plan.pixel
}

// Make makes `count` rows from number `row` on.
//
// unsafe: dst has room for these rows.
func (r *Resampler) Make(dst unsafe.Pointer, row, count int64) {
	w := r.worker()
	for count > 0 { // in one plane
		plane, y := int(row)/r.Rows, int(row)%r.Rows
		n, stride := min(int(count), r.Rows-y), r.Pitch
		if top := plane * r.Apart; top != w.top {
			w.Open(r.Plan)
			w.top = top
		}
		if r.Reversed {
			y, stride = r.Rows-y-n, -stride
		}
		w.Resample(unsafe.Slice((*uint8)(dst), (n-1)*r.Pitch+r.Length()), stride, y, n, r)
		if row, count = row+int64(n), count-int64(n); count > 0 {
			dst = unsafe.Add(dst, n*r.Pitch)
		}
	}
	r.mutex.Lock()
	r.idle = append(r.idle, w)
	r.mutex.Unlock()
}

// worker returns an idle worker: the last one that has made rows, whose ring may have rows that the
// next ones take.
func (r *Resampler) worker() (w *Worker) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if n := len(r.idle); n > 0 {
		w, r.idle = r.idle[n-1], r.idle[:n-1]
		return w
	}
	w = workers.Get().(*Worker)
	w.Open(r.Plan)
	return w
}

// Close gives the workers' memory back.
func (r *Resampler) Close() {
	for _, w := range r.idle {
		w.Close()
		workers.Put(w)
	}
}
