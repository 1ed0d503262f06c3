// Package rows makes rows of R, G and B of pictures of 8 bits a sample: of luma and chroma, of
// inks, of a palette's indices, and of pictures of another size. An engine's Source is a [Colours]
// or a [Resampler].
//
// Resampling gives bit by bit what Pillow or OpenCV gives. For example, Pillow's bilinear filter
// makes two samples of four. Each sample of the result is as wide as two samples of the source, and
// the filter reaches one such width to both sides:
//
//	source    10      20      30      40
//	weights   3/7     3/7     1/7              10*3/7 + 20*3/7 + 30*1/7 = 17.1, so 17
//	                  1/7     3/7     3/7      32.9, so 33
//
// Columns are resampled first, then rows, unless [NewPlan] is asked for the other order. Between
// the two, Pillow's filters round to 8 bits, and Linear keeps 16. An axis that does not change is
// left out. Rows whose columns are resampled are kept in a ring until no row of the result takes
// them.
package rows
