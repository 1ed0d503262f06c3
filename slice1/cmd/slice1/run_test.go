package main

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The result does not depend on the number of goroutines, on the kernel, or on whether it is
// written to a file or to a stream.
func TestEveryWayToWriteGivesTheSame(t *testing.T) {
	const rows, columns = 1100, 3000 // more than three bands
	d := newDir(t)
	data := make([]byte, 4+rows*columns)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	d.write("in.raw", data[:rows*columns])
	for _, index := range []string{"[:, ::-1]", "[5:1000]", "[::-1]", "[:, 1:2999]"} {
		flags := [][]string{{"-j", "1"}, {"-j", "3"}, {}, {"-kernel", "go"}}
		for i, f := range flags {
			args := append(append([]string{"-force"}, f...), "-raw", "u1", "-shape", "-1,3000", index, "./in.raw")
			d.works(append(args, "./out.raw")...)
			code, stdout, stderr := d.run(append(append([]string{"-to", "raw"}, args[1:]...), "-")...)
			require.Equal(t, exitOK, code, stderr)
			require.Equal(t, d.read("out.raw"), []byte(stdout), "%s %v", index, f)
			if i == 0 {
				d.write("first.raw", []byte(stdout))
			}
			require.Equal(t, d.read("first.raw"), []byte(stdout), "%s %v", index, f)
		}
	}
}

func TestWriteErrorsEndAllBands(t *testing.T) {
	d := newDir(t)
	d.write("in.raw", make([]byte, 8<<20))
	j := job{index: "[::-1]", in: d.at("in.raw"), raw: "u1", shape: "8,-1", workers: 3}
	s, err := j.load()
	require.NoError(t, err)
	defer s.in.Close()
	f, err := os.Open(d.at("in.raw"))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	assert.ErrorIs(t, j.run(s, sink{w: f, file: f}), os.ErrClosed)
}
