//go:build !unix && !windows

package main

import (
	"errors"
	"os"
)

func mapFile(*os.File, int64) (data []byte, unmap func() error, err error) {
	return nil, nil, errors.ErrUnsupported
}

func adviseSequential([]byte) {}

func adviseRandom([]byte) {}

func releasePages([]byte) {}
