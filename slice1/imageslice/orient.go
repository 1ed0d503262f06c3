package imageslice

import (
	"errors"
	"fmt"
	"image"
)

// Orient returns a new picture of m's type. It shows m like a viewer does if m's EXIF data has this
// orientation:
//
//	1  as it is            5  transposed
//	2  mirrored            6  rotated by 90 degrees, clockwise
//	3  rotated by 180      7  transposed and rotated by 180
//	4  upside down         8  rotated by 90 degrees, anticlockwise
//
// Another orientation is [errors.ErrUnsupported]. The new picture's bounds start at 0, 0. With an
// error, Orient returns the same picture as Slice with an error.
func Orient[M image.Image](m M, orientation int) (M, error) {
	s, err := oriented(orientation)
	if err != nil {
		return nothing[M](), err
	}
	return result(m, s)
}

// OrientInto is Orient into an existing picture. It follows the rules of Copy.
func OrientInto(dst, src image.Image, orientation int) error {
	s, err := oriented(orientation)
	if err != nil {
		return err
	}
	return write(dst, src, s)
}

// turns has the slicing of each orientation.
var turns = [9]slicing{
	1: {whole: true, dx: 1, dy: 1},
	2: {whole: true, dx: -1, dy: 1},
	3: {whole: true, dx: -1, dy: -1},
	4: {whole: true, dx: 1, dy: -1},
	5: {whole: true, dx: 1, dy: 1, transposed: true},
	6: {whole: true, dx: 1, dy: -1, transposed: true},
	7: {whole: true, dx: -1, dy: -1, transposed: true},
	8: {whole: true, dx: -1, dy: 1, transposed: true},
}

// oriented returns the slicing that turns a picture with this orientation upright.
func oriented(orientation int) (slicing, error) {
	if orientation < 1 || orientation >= len(turns) {
		return slicing{}, fmt.Errorf("imageslice: orientation %d is not 1 to 8: %w", orientation, errors.ErrUnsupported)
	}
	return turns[orientation], nil
}
