package rows

import "github.com/seed2e45c115/dml/slice1/internal/program"

// Formula says how R, G and B follow from luma and chroma.
type Formula struct{ coefficients program.Colours }

// Formulas has the formulas of BT.601, BT.709 and BT.2020, each for limited and for full range.
// They are real numbers times 65536, rounded, and Offset includes half of 65536, so that the result
// is rounded. Kr and Kb are the shares of red and of blue in luma, and Kg = 1 - Kr - Kb. In limited
// range l = 255/219 and s = 255/224:
//
//	R = l*(Y-16)                           + s*2*(1-Kr)*(Cr-128)
//	G = l*(Y-16) - s*2*(1-Kb)*Kb/Kg*(Cb-128) - s*2*(1-Kr)*Kr/Kg*(Cr-128)
//	B = l*(Y-16) + s*2*(1-Kb)*(Cb-128)
//
// In full range s = 1, and Y replaces l*(Y-16). Kr and Kb are .299 and .114 in BT.601, .2126 and
// .0722 in BT.709, .2627 and .0593 in BT.2020. BT.601 in full range is the formula of package
// image/color. It does not round the result, and a step of luma counts 257 units more.
var Formulas = [...][2]Formula{
	{
		{program.Colours{Luma: 10773, Offset: -1188177, RedCr: 104597, GreenCb: -25675, GreenCr: -53279, BlueCb: 132201}},
		{program.Colours{Luma: 257, RedCr: 91881, GreenCb: -22554, GreenCr: -46802, BlueCb: 116130}},
	},
	{
		{program.Colours{Luma: 10773, Offset: -1188177, RedCr: 117489, GreenCb: -13975, GreenCr: -34925, BlueCb: 138438}},
		{program.Colours{Offset: 32768, RedCr: 103206, GreenCb: -12276, GreenCr: -30679, BlueCb: 121609}},
	},
	{
		{program.Colours{Luma: 10773, Offset: -1188177, RedCr: 110014, GreenCb: -12277, GreenCr: -42626, BlueCb: 140363}},
		{program.Colours{Offset: 32768, RedCr: 96639, GreenCb: -10784, GreenCr: -37444, BlueCb: 123299}},
	},
}

// LibJPEG and LibWebP are the rules of libjpeg-turbo and of libwebp, with their interpolation of
// chroma. OpenCV is that of its cvtColor, for limited-range BT.601.
var (
	LibJPEG = Formula{program.Colours{Rule: program.LibJPEG}}
	LibWebP = Formula{program.Colours{Rule: program.LibWebP}}
	OpenCV  = Formula{program.Colours{Rule: program.OpenCV}}
)

// Swscale has FFmpeg's rules for BT.601 and BT.709, each for limited and for full range.
var Swscale = [...][2]Formula{
	{
		{program.Colours{Rule: program.Swscale, Luma: 9539, RedCr: 13075, GreenCb: -3209, GreenCr: -6660, BlueCb: 16525}},
		{program.Colours{Rule: program.Swscale, RedCr: 11485, GreenCb: -2819, GreenCr: -5850, BlueCb: 14516}},
	},
	{
		{program.Colours{Rule: program.Swscale, Luma: 9539, RedCr: 14686, GreenCb: -1747, GreenCr: -4366, BlueCb: 17305}},
		{program.Colours{Rule: program.Swscale, RedCr: 12901, GreenCb: -1535, GreenCr: -3835, BlueCb: 15201}},
	},
}

// RGB returns a pixel's R, G and B.
func (f *Formula) RGB(y, cb, cr uint8) (r, g, b uint8) { return f.coefficients.RGB(y, cb, cr) }
