//go:build !windows || !(amd64 || arm64)

package directml

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
)

var errUnsupported = fmt.Errorf("directml: needs Windows on amd64 or arm64, this is %s/%s: %w", runtime.GOOS, runtime.GOARCH, errors.ErrUnsupported)

func adapters(config) ([]Adapter, error) { return nil, errUnsupported }
func open(config) (*Device, error)       { return nil, errUnsupported }

type gpu struct{}

func (*gpu) newPlan(*slice1.Desc) (*Plan, error) { return nil, errUnsupported }
func (*gpu) newBuffer(int64) (*Buffer, error)    { return nil, errUnsupported }
func (*gpu) wait(context.Context) error          { return errUnsupported }
func (*gpu) messages() []string                  { return nil }
func (*gpu) native() Native                      { return Native{} }
func (*gpu) shrink()                             {}
func (*gpu) close() error                        { return nil }

type program struct{}

type compiled struct{}

func (*program) sliceParts(context.Context, []byte, []byte) error { return errUnsupported }
func (*program) dispatch(*Buffer, *Buffer) error                  { return errUnsupported }
func (*program) close() error                                     { return nil }

type memory struct{}

func (*memory) upload([]byte) error                    { return errUnsupported }
func (*memory) download(context.Context, []byte) error { return errUnsupported }
func (*memory) close() error                           { return nil }
func (*memory) native() unsafe.Pointer                 { return nil }
func (*memory) slice(int64, int64) (*Buffer, error)    { return nil, ErrClosed }
