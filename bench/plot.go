package main

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// palette holds colours that the colour-blind can tell apart, most of them Okabe and Ito's.
var palette = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xe6, 0x9f, 0x00, 0xff}, color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x56, 0xb4, 0xe9, 0xff},
	color.RGBA{0xb0, 0xa0, 0x20, 0xff}, color.RGBA{0x80, 0x80, 0x80, 0xff},
}

var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{},
	draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{},
}

func newPlot(title string) *plot.Plot {
	sans := font.Font{Typeface: "Liberation", Variant: "Sans"}
	plot.DefaultFont, plotter.DefaultFont = sans, sans
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font.Size = 12
	p.Title.Padding = 8
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size = 11, 10
		a.Label.Padding = 4
	}
	p.Legend.TextStyle.Font.Size = 10
	p.Legend.ThumbnailWidth = 0.35 * vg.Inch
	p.Legend.Padding = 3
	p.Legend.Top, p.Legend.Left = true, true
	p.BackgroundColor = color.White
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{0xd8}, color.Gray{0xd8}
	p.Add(grid)
	return p
}

// logThroughput makes the y axis one of GB/s of output, logarithmic, with room for the values.
func logThroughput(p *plot.Plot, values []float64) {
	lo, hi := math.Inf(1), 0.0
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	p.Y.Label.Text = "GB/s of output"
	p.Y.Scale = plot.LogScale{}
	p.Y.Tick.Marker = decades{}
	p.Y.Min, p.Y.Max = lo/1.15, hi*1.15
}

// decades puts ticks at 1 to 9 times each power of ten, and labels those at 1, 2 and 5 times it.
type decades struct{}

func (decades) Ticks(lo, hi float64) (ticks []plot.Tick) {
	for e := math.Floor(math.Log10(lo)); e <= math.Log10(hi); e++ {
		for m := 1.0; m < 10; m++ {
			t := plot.Tick{Value: m * math.Pow(10, e)}
			if m == 1 || m == 2 || m == 5 {
				t.Label = strconv.FormatFloat(t.Value, 'g', 3, 64)
			}
			if t.Value >= lo && t.Value <= hi {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

// powers puts ticks at the powers of four, labelled as bytes.
type powers struct{}

func (powers) Ticks(lo, hi float64) (ticks []plot.Tick) {
	for v := 1.0; v <= hi; v *= 4 {
		if v >= lo {
			ticks = append(ticks, plot.Tick{Value: v, Label: byteLabel(int(v))})
		}
	}
	return ticks
}

func byteLabel(n int) string {
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		if one := 1 << (30 - 10*i); n >= one {
			return fmt.Sprintf("%d %s", n/one, unit)
		}
	}
	return fmt.Sprintf("%d B", n)
}

// addLine adds a line with markers in the i-th style. The legend has it under name, unless that
// is "".
func addLine(p *plot.Plot, i int, name string, xys plotter.XYs) error {
	l, s, err := plotter.NewLinePoints(xys)
	if err != nil {
		return err
	}
	l.Color, s.Color = palette[i%len(palette)], palette[i%len(palette)]
	l.Width = 1.5
	s.Shape, s.Radius = glyphs[i%len(glyphs)], 3
	p.Add(l, s)
	if name != "" {
		p.Legend.Add(name, l, s)
	}
	return nil
}

// addRoof adds a dashed line for the roofline. The legend has it under name, unless that is "".
func addRoof(p *plot.Plot, name string, xys plotter.XYs) error {
	l, err := plotter.NewLine(xys)
	if err != nil {
		return err
	}
	l.Width, l.Dashes = 1.5, []vg.Length{5, 3}
	p.Add(l)
	if name != "" {
		p.Legend.Add(name, l)
	}
	return nil
}

// save writes a plot to the file name, in the format that the name's extension says. The legend
// is to the right of the data and hides none of them.
func save(p *plot.Plot, width vg.Length, name string) error {
	c, err := draw.NewFormattedCanvas(width, 5.5*vg.Inch, strings.TrimPrefix(filepath.Ext(name), "."))
	if err != nil {
		return err
	}
	whole := draw.New(c)
	whole.SetColor(color.White)
	whole.Fill(whole.Rectangle.Path())
	legend := p.Legend
	defer func() { p.Legend = legend }()
	p.Legend = plot.NewLegend()
	const margin = 8
	aside := legend.Rectangle(whole).Size().X
	p.Draw(draw.Crop(whole, margin, -aside-3*margin, margin, -margin))
	legend.Draw(draw.Crop(whole, whole.Rectangle.Size().X-aside-2*margin, -margin, 0, -5*margin))

	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if _, err := c.WriteTo(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
