package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
)

func TestRawLinesParseBack(t *testing.T) {
	r := &row{
		cell: cell{work: stride(-2), width: 4, size: sizeS}, bytes: 4096, roof: []float64{100, 50},
		results: []result{{name: "go", reps: 7, ns: []float64{200, 400}}, {name: "dml/parallel=2", reps: 1, ns: []float64{100, 50}}},
	}
	var b bytes.Buffer
	raw, err := newRawWriter(&b, "a processor", "none")
	require.NoError(t, err)
	require.NoError(t, raw.write(r))

	type measured struct {
		name               string
		iters              int
		ns, perSec, ofRoof float64
	}
	var got []measured
	reader := benchfmt.NewReader(&b, "bench.txt")
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.Result:
			m := measured{name: rec.Name.String(), iters: rec.Iters}
			sec, _ := rec.Value("sec/op")
			m.ns = round(sec*1e9, 100)
			m.perSec, _ = rec.Value("B/s")
			m.ofRoof, _ = rec.Value("roof")
			got = append(got, m)
			assert.Equal(t, "a processor", rec.GetConfig("cpu"))
			assert.Equal(t, compiler, rec.GetConfig("cc"))
		case *benchfmt.SyntaxError:
			assert.NoError(t, rec)
		}
	}
	require.NoError(t, reader.Err())
	assert.Equal(t, []measured{
		{"Slice/work=stride-2/width=4/size=S/kernel=go", 7, 200, 20.48e9, 0.5},
		{"Slice/work=stride-2/width=4/size=S/kernel=go", 7, 400, 10.24e9, 0.125},
		{"Slice/work=stride-2/width=4/size=S/kernel=dml/parallel=2", 1, 100, 40.96e9, 1},
		{"Slice/work=stride-2/width=4/size=S/kernel=dml/parallel=2", 1, 50, 81.92e9, 1},
	}, got)
	assert.Equal(t, 1, reader.Units().GetBetter("roof"))
}
