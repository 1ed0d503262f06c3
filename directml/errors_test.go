package directml

import (
	"math"
	"testing"

	"github.com/seed2e45c115/dml/directml/internal/translate"
	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/testdata/sentencetest"
)

// The text of each error that this package makes names its place and its numbers.
func TestErrorsSayWhatIsWrong(t *testing.T) {
	_, none := new(Device).NewBuffer(0)
	_, vast := new(Device).NewBuffer(math.MaxInt64 - 2)
	b := &Buffer{size: 100}
	slice := func(offset, size int64) error {
		_, err := b.Slice(offset, size)
		return err
	}
	p := offDevice(t, slice1.Whole(slice1.Uint16, 3))
	one, two := &Buffer{size: 6}, &Buffer{size: 6}
	end := &part{Part: translate.Part{Ends: [3]translate.Region{{Src: 0, Dst: 0, Size: 2}}}}
	rows := []sentencetest.Row{
		sentencetest.Place(none, "size is 0, must be at least 1", slice1.ErrSize, "size", -1, 0, 1),
		sentencetest.Place(vast, "size is 9223372036854775805, must be at most 9223372036854775804", slice1.ErrOverflow, "size", -1, math.MaxInt64-2, math.MaxInt64-3),
		sentencetest.Place(slice(0, -5), "size is -5, must be at least 1", slice1.ErrSize, "size", -1, -5, 1),
		sentencetest.Place(slice(8, 4), "offset is 8, must be a multiple of 16 and at least 0", slice1.ErrAlign, "offset", -1, 8, 16),
		sentencetest.Place(slice(16, 85), "buffer has 100 bytes, the slice ends at byte 101", slice1.ErrBuffer, "buffer", -1, 100, 101),
		sentencetest.Place(b.Upload(make([]byte, 107)), "src has 107 bytes, the buffer has 100", slice1.ErrBuffer, "src", -1, 107, 100),
		sentencetest.Place(b.Download(make([]byte, 107)), "dst has 107 bytes, the buffer has 100", slice1.ErrBuffer, "dst", -1, 107, 100),
		sentencetest.Place(p.Dispatch(one, one), "dst and src are one buffer or parts of one, and Dispatch writes 6 bytes of it", slice1.ErrOverlap, "dst", -1, 6, 0),
		sentencetest.Plain(p.Dispatch(one, &Buffer{size: 6, device: &Device{}}), "src is a buffer of another device", ErrForeign),
		sentencetest.Plain(p.Dispatch(&Buffer{size: 6, device: &Device{}}, two), "dst is a buffer of another device", ErrForeign),
		sentencetest.Plain((*Device)(nil).Wait(t.Context()), "closed", ErrClosed),
		sentencetest.Plain(end.compare([]byte{1, 2}, []byte{1, 3}), "the adapter gave a wrong element at byte 0 of the output, without an error of its driver", nil),
	}
	sentencetest.Check(t, "directml", rows)
	texts := append(sentencetest.Texts(rows), ErrRemoved.Error()) // which an adapter gives
	if _, err := Open(); err != nil {
		texts = append(texts, err.Error())
	}
	sentencetest.CheckPlaces(t, ".", []string{"Refused", "Said", "Errorf", "New"}, texts)
}
