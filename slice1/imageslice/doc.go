// Package imageslice makes a model's input of a photo or of a frame of a video, and a picture of a
// model's output. [Convert] turns the picture upright, cuts a window out, resizes it bit by bit as
// Pillow or OpenCV does, normalises its numbers and stores them in planes, in one pass. [Tensor]
// says how. [Tensor.ResizeCrop] has the sizes of torchvision, [Tensor.Letterbox] those of YOLO, and
// [Tensor.Source] the way back for boxes. [Draw] makes a picture of a model's output. [NV12] and
// the like make a picture of a video's frame, and [Pixels] is one of packed bytes.
//
//	clip := imageslice.Tensor{Channels: 3, Orientation: orientation, Filter: imageslice.Bicubic}
//	clip.Affine = imageslice.Normalize(mean, std)
//	upright := clip.Whole(m)
//	err := imageslice.Convert(tensor, m, upright, clip.ResizeCrop(upright, 224, 224))
//
// Photos of phones lie on their side, and their EXIF data says how: [Orientation] reads it. Some
// JPEGs are grey and have one channel: Channels: 3 repeats it. The example Readme is a service that
// does all this to what clients send.
//
// Other functions make pictures. [Resize] makes one of another size, and [ToRGBA] an *image.RGBA of
// luma and chroma or of packed pixels. [Slice] crops, mirrors and subsamples, without converting
// anything: a JPEG's picture stays luma and chroma. [Copy] does the same into an existing picture,
// and [Orient] and [OrientInto] do it for EXIF's eight orientations. [Fit] and [Center] return
// rectangles that lie within a picture. [View] returns a picture's memory and its layout, for other
// work of package slice1: one channel, another order of channels, a plan for many pictures.
//
// Pictures are the types of package image that keep whole pixels in one slice:
//
//	uint8,  1 channel   *image.Gray, *image.Alpha, *image.Paletted
//	uint8,  4 channels  *image.RGBA, *image.NRGBA, *image.CMYK
//	uint16, 1 channel   *image.Gray16, *image.Alpha16
//	uint16, 4 channels  *image.RGBA64, *image.NRGBA64
//
// [Pixels], with uint8 and 3 or 4 channels, are pictures, too. So are [Frame], a raw frame of a
// video, and the *image.YCbCr of JPEG files in all its ratios, except for View. Sub-images of all
// these are pictures. Convert, Resize and ToRGBA also take an *image.NYCbCrA, a lossy WebP with
// alpha: all that image.Decode returns of PNG, JPEG, GIF and WebP files. Package image/draw can
// draw any other picture into one of these. Slice, Copy and Orient move pixels unchanged: 16-bit
// samples stay big-endian and colours do not change.
//
// # Chroma
//
// In an *image.YCbCr or a Frame, several pixels may share a sample of chroma. These pixels are a
// cell: 2 x 2 pixels in 4:2:0. The result of a slice is again an *image.YCbCr or a Frame, and each
// pixel keeps its samples. Therefore the pixels of each cell of the result must share a sample. On
// each axis, a slice of more than one pixel must begin with the first pixel of a cell that its
// steps take: the left or top one or, if the axis is mirrored, the right or bottom one. Otherwise
// the error is slice1.ErrWindow. It names a rectangle nearby that begins so, or an empty one if
// there is none, and Fit returns that rectangle. If the last cell of a picture is cut off, a
// mirrored slice begins one cell before.
//
// Steps change the cells: every second pixel of 4:2:0 is 4:4:4. A step that neither divides the
// side of a cell nor is a multiple of it is slice1.ErrStride. In a transposed picture the sides of
// a cell change places: 4:2:2 becomes 4:4:0. Package image has no ratio for transposed 4:1:1 and
// 4:1:0, so transposing these is [errors.ErrUnsupported]. So is any slice of a picture with cells
// whose bounds begin left of or above 0.
//
// # Filters
//
// A model wants the filter with which it was trained. Tensor.Filter for the usual preprocessors:
//
//	torchvision's Resize of a PIL picture       Bilinear, its default; Bicubic and so on by name
//	CLIP, and most of transformers' resample=3  Bicubic
//	transformers' resample=2                    Bilinear
//	transformers' resample=1                    Lanczos
//	YOLO's letterbox, cv2.resize by default     Linear
//	cv2.resize with INTER_AREA                  Area, if no side grows
//
// Torchvision's Resize of tensors is another rule, and so is OpenCV's INTER_CUBIC: DIFFERENCES.md,
// in this package's folder, says for each library which call equals ours, and how far the rest is.
// Logits, depths and other planes of float32 are resized by [ResizePlane], before they are compared
// with a threshold.
//
// # Colours
//
// A model wants the samples with which it was trained, and libraries make different R, G and B of
// the same file. [Decoded] gives a picture the colours of the library that Python decodes its
// format with; call it after image.Decode. For other planes and frames, by what made the training
// data's samples:
//
//	Pillow, OpenCV's imread, torchvision.io of a JPEG    Decoded, or LibJPEG of libjpeg's planes
//	Pillow and OpenCV's imread of a lossy WebP           Decoded, or LibWebP
//	cv2.VideoCapture, PyAV, FFmpeg's default scaler      a Frame with Colours Swscale
//	OpenCV's cvtColor of NV12, NV21, I420 and YV12       a Frame with Colours OpenCV
//
// [ToFrame] is the way back: luma and chroma of a picture, for encoders.
//
// Of a PNG, and of a lossy WebP by Decoded, the samples are Python's. CLIP's samples are then those
// of torchvision 0.14 with Pillow 9.4, and the numbers that Normalize makes of them differ by at
// most 2.4e-7, or 4.8e-7 with ImageNet's means. Of a JPEG by Decoded, a few samples differ, since
// the inverse cosine transform of package image/jpeg rounds otherwise than libjpeg's. Two
// photographs, each of quality 75 and 95:
//
//	                 decoded: most, mean    CLIP's samples: most, mean    CLIP's numbers: most, mean
//	JPEG 4:4:4       3, 0.019 to 0.036      2, 0.023 to 0.052             0.030, 0.0003 to 0.0008
//	JPEG 4:2:0       3, 0.022 to 0.038      3, 0.027 to 0.051             0.044, 0.0004 to 0.0008
//	without Decoded  36, 0.38 to 0.84       11, 0.31 to 0.41              0.161, 0.0045 to 0.0059
//
// The last row is of 4:2:0. These are differences of samples from 0 to 255, and of numbers whose
// deviation is about 1, by testdata/resize/clip.py.
//
// Of colours of 16 bits, Tensor.Resize, Background and Channels: 1 take the high bytes, as Pillow
// does. Otherwise samples are v/257, and as Uint8 rounded, at most 1 off v>>8; Resize to the
// picture's own size has Pillow's. Grey of 16 bits becomes the same, where Pillow 9.4 cuts it off
// at 255. Files with four samples of YCCK have what package image/jpeg makes of them.
//
// Functions that return an error return the errors of View and of chroma. No function panics, and
// all check everything before they write anything. They write only to dst.
package imageslice
