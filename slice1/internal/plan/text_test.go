package plan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// textOf returns a nest as text: the width, then extent:source:destination of each loop, the
// outermost first. It leaves out the offsets.
func textOf(n *nest.Nest) string {
	s := strconv.Itoa(int(n.Width))
	for _, d := range n.Dims[:n.Rank] {
		s += " " + loopText(program.Dim(d))
	}
	return s
}

func loopText(d program.Dim) string { return fmt.Sprintf("%d:%d:%d", d.Extent, d.Src, d.Dst) }

// parseNest returns the nest of a text as textOf writes it, with offsets of 0. It panics if the
// text is another.
func parseNest(s string) nest.Nest {
	words := strings.Fields(s)
	width, err := strconv.Atoi(words[0])
	dims := []nest.Dim{}
	for _, word := range words[1:] {
		var d nest.Dim
		if err == nil {
			_, err = fmt.Sscanf(word, "%d:%d:%d", &d.Extent, &d.Src, &d.Dst)
		}
		dims = append(dims, d)
	}
	if err != nil {
		panic(err)
	}
	return nestOf(int32(width), dims...)
}
