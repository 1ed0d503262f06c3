package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestBarOfEveryLength(t *testing.T) {
	for _, row := range []struct {
		made, all int64
		want      string
	}{
		{0, 10, "0.0 B of 10.0 B [>-----------------------------] 0.0 B/s ?"},
		{1 << 20, 3 << 20, "1.0 MiB of 3.0 MiB [==========>-------------------] 256.0 KiB/s 8s"},
		{5 << 30, 5 << 30, "5.0 GiB of 5.0 GiB [=============================>] 1.2 GiB/s 0s"},
		{1, 1 << 62, "1.0 B of 4194304.0 TiB [>-----------------------------] 0.2 B/s "},
	} {
		m := &meter{all: row.all}
		m.add(row.made)
		assert.Contains(t, m.line(4*time.Second), row.want)
	}
}
