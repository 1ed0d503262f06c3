package slice1

import (
	"fmt"
	"strconv"
	"strings"
)

// MarshalJSON leaves out Strides if it is nil, and TotalSize and BaseAlign if they are 0. An
// unknown DataType is ErrDataType.
func (t TensorDesc) MarshalJSON() ([]byte, error) {
	name, err := t.DataType.MarshalText()
	if err != nil {
		return nil, err
	}
	list := func(l []int) string { return strings.ReplaceAll(fmt.Sprint(l), " ", ",") }
	text := fmt.Appendf(nil, `{"DataType":%q,"Sizes":%s`, name, list(t.Sizes))
	if t.Strides != nil {
		text = fmt.Appendf(text, `,"Strides":%s`, list(t.Strides))
	}
	if t.TotalSize != 0 {
		text = fmt.Appendf(text, `,"TotalSize":%d`, t.TotalSize)
	}
	if t.BaseAlign != 0 {
		text = fmt.Appendf(text, `,"BaseAlign":%d`, t.BaseAlign)
	}
	return append(text, '}'), nil
}

// String returns a line of text for people, with offset+size/stride for the window of each axis. d
// may be nil or invalid.
//
//	float32 [4 4] window 0+4/-2,1+3/2 to [2 2] strides [8 1]
func (d *Desc) String() string {
	if d == nil {
		return "nil descriptor"
	}
	windows := make([]string, 0, len(d.WindowOffsets))
	for i := range min(len(d.WindowOffsets), len(d.WindowSizes), len(d.WindowStrides)) {
		windows = append(windows, fmt.Sprintf("%d+%d/%d", d.WindowOffsets[i], d.WindowSizes[i], d.WindowStrides[i]))
	}
	return fmt.Sprintf("%v %s window %s to %s", d.Input.DataType, d.Input.extents(), strings.Join(windows, ","), d.Output.extents())
}

// extents returns the extents as text, with the memory strides unless they are nil.
func (t *TensorDesc) extents() string {
	if t.Strides == nil {
		return fmt.Sprint(t.Sizes)
	}
	return fmt.Sprint(t.Sizes, " strides ", t.Strides)
}

// plural returns a number with its noun, like "2 bytes".
func plural(n int64, noun string) string {
	switch {
	case n == 1:
	case noun == "axis":
		noun = "axes"
	case strings.HasSuffix(noun, "y"):
		noun = noun[:len(noun)-1] + "ies"
	default:
		noun += "s"
	}
	return strconv.FormatInt(n, 10) + " " + noun
}
