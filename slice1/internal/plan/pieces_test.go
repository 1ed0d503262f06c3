package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// Cut cuts each nest into the number of parts, and into the shapes, that the table has.
func TestCutsAreTheseParts(t *testing.T) {
	for _, c := range []struct {
		nest   string
		limit  int64
		count  int64
		shapes []string
	}{
		{"1 100:2:1", 1000, 1, []string{"1 100:2:1"}},
		{"1 1500:2:1", 1000, 1, []string{"1 1500:2:1"}},             // half as large again as the limit: whole
		{"1 1501:2:1", 1000, 2, []string{"1 768:2:1", "1 733:2:1"}}, // a multiple of 64 iterations
		{"1 2048:2:1", 1000, 2, []string{"1 1024:2:1"}},
		{"4 9:900:400 100:4:4", 1000, 5, []string{"4 2:900:400 100:4:4", "4 1:900:400 100:4:4"}},
		{"4 3:9000:4000 1000:4:4", 1000, 12, []string{"4 256:4:4", "4 232:4:4"}}, // the innermost loop is cut, at multiples of 64
		{"1 3:9000:4000 1000:4:1", 1000, 3, []string{"1 1000:4:1"}},              // a row has as many bytes as the limit: none is cut
		{"1 7:100:30 5:9:5 2:1:1", 4, 21, []string{"1 2:9:5 2:1:1", "1 1:9:5 2:1:1"}},
		{"1 7:100:20 3:9:5 2:1:1", 4, 14, []string{"1 2:9:5 2:1:1", "1 1:9:5 2:1:1"}},
		// Transposed views: a part has whole lines of the source, and whole rows of the
		// destination.
		{"1 100:1:100 100:100:1", 1000, 2, []string{"1 100:1:100 64:100:1", "1 100:1:100 36:100:1"}},
		{"1 15:1:100 100:100:1", 1000, 1, []string{"1 15:1:100 100:100:1"}},
		{"1 100:-1:100 100:100:1", 1000, 2, []string{"1 100:-1:100 64:100:1", "1 100:-1:100 36:100:1"}},
		{"4 100:16:400 100:400:4", 1000, 35, []string{"4 20:16:400 16:400:4", "4 20:16:400 4:400:4"}},
		{"1 3:90000:20000 100:1:100 100:100:1", 1000, 6, []string{"1 100:1:100 64:100:1", "1 100:1:100 36:100:1"}},
		{"1 100:1:300 3:50:100 100:1000:1", 1000, 6, []string{"1 100:1:300 64:1000:1", "1 100:1:300 36:1000:1"}},
		// A part has at least four lines of the source, and then fewer elements of the rows.
		{"1 64:1:16000 16000:64:1", 64000, 16, []string{"1 64:1:16000 1024:64:1", "1 64:1:16000 640:64:1"}},
		// Loops in another order in the source: a part has stretches of several iterations on both
		// sides.
		{"8 16:8:32768 16:128:2048 16:2048:128 16:32768:8", 32768, 16, []string{"8 16:8:32768 4:128:2048 4:2048:128 16:32768:8"}},
		{"1 64:1:262144 64:64:4096 64:4096:64 64:262144:1", 65536, 256, []string{"1 64:1:262144 4:64:4096 4:4096:64 64:262144:1"}},
		{"2 30:60:3000 50:1800:60 30:2:2", 6000, 25, []string{"2 30:60:3000 2:1800:60 30:2:2"}},
		{"4 8:10000:4000 10:40:400 10:400:40 10:4:4", 2000, 24, []string{"4 10:40:400 4:400:40 10:4:4", "4 10:40:400 2:400:40 10:4:4"}},
		{"1 3:1:300000 300000:3:1", 1000, 938, []string{"1 3:1:300000 320:3:1", "1 3:1:300000 160:3:1"}},
		{"1 1000:1:3 3:1000:1", 1000, 3, []string{"1 384:1:3 3:1000:1", "1 232:1:3 3:1000:1"}},
		{"2 7:2:2002 11:14:182 13:154:14 7:2002:2", 2000, 9, []string{"2 7:2:2002 4:14:182 5:154:14 7:2002:2", "2 7:2:2002 3:14:182 5:154:14 7:2002:2", "2 7:2:2002 4:14:182 3:154:14 7:2002:2", "2 7:2:2002 3:14:182 3:154:14 7:2002:2"}},
		// A loop that does not move the source is the last to grow in the order of the source.
		{"4 20:0:20000 50:80:400 25:4000:16 4:4:4", 1000, 1040, []string{"4 4:80:400 8:4000:16 4:4:4", "4 2:80:400 8:4000:16 4:4:4", "4 4:80:400 1:4000:16 4:4:4", "4 2:80:400 1:4000:16 4:4:4"}},
	} {
		n := parseNest(c.nest)
		p := cut(&n, c.limit, false, Cutting{})
		assert.Equal(t, c.count, p.Count, c.nest)
		var shapes []string
		for s := range p.NumShapes {
			shapes = append(shapes, textOf(&p.Shapes[s]))
		}
		assert.Equal(t, c.shapes, shapes, c.nest)
	}
}

// For non-temporal stores, parts of a transposed view read on along as many lines of the source as
// lie in 32 pages, and follow each other there. Parts of rows that are not whole lines keep their
// shape.
func TestPartsForNonTemporalStores(t *testing.T) {
	for _, c := range []struct {
		nest  string
		count int64
		first string
		begin [4]int64 // where the first parts begin in the source
	}{
		{"4 1024:4:4096 1024:4096:4", 32, "4 1024:4:4096 32:4096:4", [4]int64{0, 32 * 4096, 64 * 4096, 96 * 4096}},
		{"4 1024:-4:4096 1024:-4096:4", 32, "4 1024:-4:4096 32:-4096:4", [4]int64{0, -32 * 4096, -64 * 4096, -96 * 4096}},
		{"4 4096:4:4096 1024:16384:4", 64, "4 2048:4:4096 32:16384:4", [4]int64{0, 8192, 32 * 16384, 32*16384 + 8192}},
		{"4 4096:4:192 48:16384:4", 3, "4 1376:4:192 48:16384:4", [4]int64{0, 5504, 11008}},
		{"4 1024:4:8192 2048:1024:4", 32, "4 512:4:8192 128:1024:4", [4]int64{0, 2048, 128 * 1024, 128*1024 + 2048}},
		{"1 2048:1:2048 2048:2048:1", 16, "1 2048:1:2048 128:2048:1", [4]int64{0, 128 * 2048, 256 * 2048, 384 * 2048}},
		{"4 1000:4:16400 4100:4000:4", 64, "4 64:4:16400 1040:4000:4", [4]int64{0, 256, 512, 768}},
	} {
		n := parseNest(c.nest)
		p := Cut(&n, Stores{Cached: true, NonTemporal: true}, Cutting{})
		assert.Equal(t, c.count, p.Count, c.nest)
		assert.Equal(t, c.first, textOf(&p.Shapes[0]), c.nest)
		for i, want := range c.begin {
			src, _, _ := p.Part(int64(i))
			assert.Equal(t, want, src, "part %d of %s", i, c.nest)
		}
	}
	short := parseNest("8 256:8:90112 1024:2048:88 11:2097152:8") // rows of less than two lines are not stored so
	assert.Equal(t, Cut(&short, Stores{Cached: true}, Cutting{}), Cut(&short, Stores{NonTemporal: true}, Cutting{}))
}

// Parts of four shapes begin at these offsets, and have as many bytes together as the nest.
func TestPartsOfFourShapes(t *testing.T) {
	n := parseNest("2 7:2:2002 11:14:182 13:154:14 7:2002:2")
	n.SrcOff, n.DstOff = 7, 9
	p := cut(&n, 2000, false, Cutting{})
	for i, want := range [][3]int64{{7, 9, 0}, {7 + 5*154, 9 + 5*14, 0}, {7 + 10*154, 9 + 10*14, 2}, {7 + 4*14, 9 + 4*182, 0}, {}, {}, {7 + 8*14, 9 + 8*182, 1}, {}, {7 + 8*14 + 10*154, 9 + 8*182 + 10*14, 3}} {
		if want[0] != 0 {
			src, dst, shape := p.Part(int64(i))
			assert.Equal(t, want, [3]int64{src, dst, int64(shape)}, i)
		}
	}
	assert.EqualValues(t, 9, p.Count)
	total := int64(0)
	for i := range p.Count {
		_, _, shape := p.Part(i)
		total += nest.Bytes(&p.Shapes[shape])
	}
	assert.Equal(t, nest.Bytes(&n), total)
}
