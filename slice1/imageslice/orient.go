package imageslice

import (
	"errors"
	"fmt"
	"image"
)

// Orient returns a new picture of m's type that is m as a viewer shows it whose EXIF data
// has this orientation:
//
//	1  as it is            5  transposed
//	2  mirrored            6  rotated by 90 degrees, clockwise
//	3  rotated by 180      7  transposed and rotated by 180
//	4  upside down         8  rotated by 90 degrees, anticlockwise
//
// Another orientation is [errors.ErrUnsupported]. The new picture's bounds start at 0, 0.
// With an error the picture is what Slice returns with one.
func Orient[M image.Image](m M, orientation int) (M, error) {
	s, err := oriented(orientation)
	if err != nil {
		return nothing[M](), err
	}
	return result(m, s)
}

// OrientInto is Orient into an existing picture, with the rules of Copy.
func OrientInto(dst, src image.Image, orientation int) error {
	s, err := oriented(orientation)
	if err != nil {
		return err
	}
	return write(dst, src, s)
}

// oriented returns the slicing that turns a picture of this orientation as a viewer shows it.
func oriented(orientation int) (slicing, error) {
	s := slicing{whole: true, dx: 1, dy: 1}
	switch orientation {
	case 2, 3, 7, 8:
		s.dx = -1
	case 1, 4, 5, 6:
	default:
		return s, fmt.Errorf("imageslice: orientation %d is not 1 to 8: %w", orientation, errors.ErrUnsupported)
	}
	if orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7 {
		s.dy = -1
	}
	s.transposed = orientation >= 5
	return s, nil
}
