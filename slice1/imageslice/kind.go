package imageslice

import (
	"errors"
	"image"
	"image/color"
	"reflect"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/rows"
)

// kind says what the pictures of a type are, of Pixels those of an order. Nothing else of this
// package asks for the type of a picture.
type kind struct {
	name     string          // of the type, in errors
	sample   slice1.DataType // of whole pixels
	channels int             // of a pixel in memory; 0 if luma and chroma lie apart
	colours  axis            // R, G and B, or the only channel, of pixels in memory or of rows that are made
	alpha    int             // its place in a pixel, 0 in a plane of its own, or -1
	opaque   int             // the place of what becomes 255 where colours are written, or -1
	makes    rows.Maker      // of the rows of R, G and B

	drawn   bool // whether Draw writes it
	resized bool // whether Resize makes it of its own type
	whole   bool // whether Resize then resamples all channels
	becomes bool // whether Resize makes an opaque *image.RGBA of it

	multiplied bool // whether its colours are multiplied by alpha
}

// orders has what Pixels of each order are, by the letters of a pixel's bytes. A byte that means
// nothing is X.
var orders = [...]kind{RGB: order("RGB"), BGR: order("BGR"), BGRA: order("BGRA"), ARGB: order("ARGB"), ABGR: order("ABGR"), BGRX: order("BGRX")}

func order(letters string) kind {
	index := func(letters, chars string) int { return strings.IndexAny(letters, chars) }
	red := index(letters, "R")
	return kind{name: "*imageslice.Pixels", sample: slice1.Uint8, channels: len(letters), colours: axis{red, index(letters, "G") - red, 3},
		alpha: index(letters, "A"), opaque: index(letters, "AX"), drawn: true, resized: true, becomes: true}
}

// The kinds of the other types.
var (
	grayKind     = kind{name: "*image.Gray", sample: slice1.Uint8, channels: 1, colours: upTo(1), alpha: -1, opaque: -1, drawn: true, resized: true}
	alphaKind    = kind{name: "*image.Alpha", sample: slice1.Uint8, channels: 1, colours: upTo(1), alpha: -1, opaque: -1}
	rgbaKind     = kind{name: "*image.RGBA", sample: slice1.Uint8, channels: 4, colours: upTo(3), alpha: 3, opaque: 3, drawn: true, resized: true, whole: true, multiplied: true}
	nrgbaKind    = kind{name: "*image.NRGBA", sample: slice1.Uint8, channels: 4, colours: upTo(3), alpha: 3, opaque: 3, drawn: true, resized: true}
	cmykKind     = kind{name: "*image.CMYK", sample: slice1.Uint8, channels: 4, colours: upTo(3), alpha: -1, opaque: -1, makes: rows.OfInks, becomes: true}
	palettedKind = kind{name: "*image.Paletted", sample: slice1.Uint8, channels: 1, colours: upTo(3), alpha: -1, opaque: -1, makes: rows.OfIndices, becomes: true}
	gray16Kind   = kind{name: "*image.Gray16", sample: slice1.Uint16, channels: 1, colours: upTo(1), alpha: -1, opaque: -1, drawn: true}
	alpha16Kind  = kind{name: "*image.Alpha16", sample: slice1.Uint16, channels: 1, colours: upTo(1), alpha: -1, opaque: -1}
	rgba64Kind   = kind{name: "*image.RGBA64", sample: slice1.Uint16, channels: 4, colours: upTo(3), alpha: 3, opaque: 3, drawn: true, becomes: true, multiplied: true}
	nrgba64Kind  = kind{name: "*image.NRGBA64", sample: slice1.Uint16, channels: 4, colours: upTo(3), alpha: 3, opaque: 3, drawn: true, becomes: true}
	ycbcrKind    = kind{name: "*image.YCbCr", colours: upTo(3), alpha: -1, opaque: -1, makes: rows.OfLuma, becomes: true}
	nycbcraKind  = kind{name: "*image.NYCbCrA", colours: upTo(3), alpha: 0, opaque: -1, makes: rows.OfLuma, becomes: true}
	frameKind    = kind{name: "*imageslice.Frame", colours: upTo(3), alpha: -1, opaque: -1, makes: rows.OfLuma, becomes: true}
)

// types has a kind of each type.
var types = [...]*kind{&grayKind, &alphaKind, &rgbaKind, &nrgbaKind, &cmykKind, &palettedKind, &gray16Kind, &alpha16Kind, &rgba64Kind, &nrgba64Kind, &ycbcrKind, &nycbcraKind, &frameKind, &orders[0]}

// list returns the names of the types that some kinds have, for errors.
func list(suits func(k *kind) bool) string {
	var names []string
	for _, k := range types {
		if suits(k) {
			names = append(names, k.name)
		}
	}
	final := len(names) - 1
	return strings.Join(names[:final], ", ") + " and " + names[final]
}

// fields are those of the types with one slice of pixels. *image.Paletted also has a palette, and
// Pixels an order.
type fields struct {
	Pix    []uint8
	Stride int
	Rect   image.Rectangle
}

// picture is a picture whose fields nobody has checked.
type picture struct {
	*kind
	fields                // of whole pixels, or of alpha in a plane of its own
	palette color.Palette // of *image.Paletted
	frame   Frame         // of luma and chroma
}

// describe sets p, which must be zero, to what m is. The error is errors.ErrUnsupported for a
// picture that is nil or of another type or order.
func (p *picture) describe(m image.Image) error {
	if isNil(m) {
		return refused(errors.ErrUnsupported, "the picture is nil (%T); what returned it may have returned an error, too", m)
	}
	switch m := m.(type) {
	case *image.Gray:
		p.kind, p.fields = &grayKind, fields(*m)
	case *image.Alpha:
		p.kind, p.fields = &alphaKind, fields(*m)
	case *image.RGBA:
		p.kind, p.fields = &rgbaKind, fields(*m)
	case *image.NRGBA:
		p.kind, p.fields = &nrgbaKind, fields(*m)
	case *image.CMYK:
		p.kind, p.fields = &cmykKind, fields(*m)
	case *image.Paletted:
		p.kind, p.fields, p.palette = &palettedKind, fields{m.Pix, m.Stride, m.Rect}, m.Palette
	case *image.Gray16:
		p.kind, p.fields = &gray16Kind, fields(*m)
	case *image.Alpha16:
		p.kind, p.fields = &alpha16Kind, fields(*m)
	case *image.RGBA64:
		p.kind, p.fields = &rgba64Kind, fields(*m)
	case *image.NRGBA64:
		p.kind, p.fields = &nrgba64Kind, fields(*m)
	case *image.YCbCr:
		p.kind, p.frame = &ycbcrKind, frameOf(m)
	case *Frame:
		p.kind, p.frame = &frameKind, *m
	case *Pixels:
		if m.Order < 0 || int(m.Order) >= len(orders) {
			return refused(errors.ErrUnsupported, "Order is %d, must be 0 to %d", m.Order, len(orders)-1)
		}
		p.kind, p.fields = &orders[m.Order], fields{m.Pix, m.Stride, m.Rect}
	case *image.NYCbCrA: // that of golang.org/x/image/webp alone
		p.kind, p.frame, p.fields = &nycbcraKind, *LibWebP(&m.YCbCr), fields{m.A, m.AStride, m.Rect}
	default:
		return refused(errors.ErrUnsupported, "%T is no picture of a single slice of pixels; image/draw draws it into one that is", m)
	}
	return nil
}

// isNil reports whether m is nil or a nil pointer.
func isNil(m image.Image) bool {
	return m == nil || reflect.ValueOf(m).Kind() == reflect.Pointer && reflect.ValueOf(m).IsNil()
}
