package imageslice

import "image"

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
	w, err := wholeWindow(m, orientation)
	if err != nil {
		return noPicture[M](), err
	}
	return result(m, w)
}

// OrientInto is Orient into an existing picture. It follows the rules of Copy.
func OrientInto(dst, src image.Image, orientation int) error {
	w, err := wholeWindow(src, orientation)
	if err != nil {
		return err
	}
	return write(dst, src, w)
}

// wholeWindow returns the window of all pixels of a picture with this orientation.
func wholeWindow(m image.Image, orientation int) (window, error) {
	t, err := oriented(orientation, 1)
	if err != nil || isNil(m) { // a nil picture is refused where it is opened
		return window{dx: 1, dy: 1, turn: t}, err
	}
	return window{t.upright(m.Bounds()), 1, 1, t}, nil
}
