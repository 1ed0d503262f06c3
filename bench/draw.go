package main

import (
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const roofName = "roofline (memcpy)"

// names returns the contenders that some of the rows have, in the order of allContenders.
func names(rows []*row) (present []string) {
	for _, name := range allContenders() {
		if slices.ContainsFunc(rows, func(r *row) bool { return r.find(name) != nil }) {
			present = append(present, name)
		}
	}
	return present
}

// style returns the number of the style a contender has in all figures.
func style(name string) int { return slices.Index(allContenders(), name) }

// points returns a contender's throughput in the rows that have it, or the roofline's if name is
// "". x returns where a row lies on the axis.
func points(rows []*row, name string, x func(*row) float64) (xys plotter.XYs) {
	for _, r := range rows {
		ns := r.roof
		if name != "" {
			c := r.find(name)
			if c == nil {
				continue
			}
			ns = c.ns
		}
		xys = append(xys, plotter.XY{X: x(r), Y: r.rate(median(ns))})
	}
	return xys
}

// addLines draws a line for each contender of `order` that the rows have, and their roofline. If
// `legend` is true, the legend names them. addLines returns all values drawn.
func addLines(p *plot.Plot, rows []*row, order []string, x func(*row) float64, legend bool) (values []float64, err error) {
	label := func(name string) string {
		if !legend {
			return ""
		}
		return name
	}
	roof := points(rows, "", x)
	if err := addRoof(p, label(roofName), roof); err != nil {
		return nil, err
	}
	for _, xy := range roof {
		values = append(values, xy.Y)
	}
	for _, name := range order {
		xys := points(rows, name, x)
		if len(xys) == 0 {
			continue
		}
		if err := addLine(p, style(name), label(name), xys); err != nil {
			return nil, err
		}
		for _, xy := range xys {
			values = append(values, xy.Y)
		}
	}
	return values, nil
}

// strideOf returns the stride of a row that one of the works named stride measured.
func strideOf(r *row) float64 { return float64(r.desc.WindowStrides[0]) }

func drawStrides(p *plot.Plot, rows []*row) error {
	var backward, forward []*row
	for _, r := range rows {
		if strideOf(r) < 0 {
			backward = append(backward, r)
		} else {
			forward = append(forward, r)
		}
	}
	order := names(rows)
	values, err := addLines(p, backward, order, strideOf, true)
	if err != nil {
		return err
	}
	more, err := addLines(p, forward, order, strideOf, false)
	if err != nil {
		return err
	}
	logThroughput(p, append(values, more...))
	p.X.Label.Text = "stride, elements"
	var ticks []plot.Tick
	for by := -16; by <= 16; by++ {
		if by != 0 && (by%2 == 0 || by == 1 || by == -1) {
			ticks = append(ticks, plot.Tick{Value: float64(by), Label: strconv.Itoa(by)})
		}
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Min, p.X.Max = -16.5, 16.5
	return nil
}

func drawSizes(p *plot.Plot, rows []*row) error {
	x := func(r *row) float64 { return float64(r.size.bytes) }
	values, err := addLines(p, rows, names(rows), x, true)
	if err != nil {
		return err
	}
	logThroughput(p, values)
	p.X.Label.Text = "output, bytes"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, powers{}
	return nil
}

func drawScaling(p *plot.Plot, rows []*row) error {
	most := 1
	for i, r := range rows {
		var xys plotter.XYs
		for k, n := range r.parallel {
			xys = append(xys, plotter.XY{X: float64(n), Y: r.rate(median(r.results[k].ns))})
			most = max(most, n)
		}
		if err := addLine(p, i, r.work.name, xys); err != nil {
			return err
		}
	}
	p.X.Label.Text, p.Y.Label.Text = "goroutines (WithParallelism)", "GB/s of output"
	var ticks []plot.Tick
	for _, n := range parallelism(most) {
		ticks = append(ticks, plot.Tick{Value: float64(n), Label: strconv.Itoa(n)})
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Min, p.X.Max = 0.8, float64(most)+0.2
	p.Y.Min = 0
	p.Y.Max *= 1.1
	return nil
}

// drawKernels draws a group of bars for each row, one bar for each contender,
// and a dash at the row's roofline.
func drawKernels(p *plot.Plot, rows []*row) error {
	order := names(rows)
	group := 0.84 // width of a group; the distance of two groups is 1
	bar := group / float64(len(order))
	var values []float64
	for i, name := range order {
		var b bars
		b.color, b.width = palette[style(name)%len(palette)], bar
		for k, r := range rows {
			if c := r.find(name); c != nil {
				v := r.rate(median(c.ns))
				b.xys = append(b.xys, plotter.XY{X: float64(k) - group/2 + (float64(i)+0.5)*bar, Y: v})
				values = append(values, v)
			}
		}
		p.Add(&b)
		p.Legend.Add(name, &b)
	}
	for k, r := range rows {
		v := r.rate(median(r.roof))
		label := ""
		if k == 0 {
			label = roofName
		}
		if err := addRoof(p, label, plotter.XYs{{X: float64(k) - group/2, Y: v}, {X: float64(k) + group/2, Y: v}}); err != nil {
			return err
		}
		values = append(values, v)
	}
	logThroughput(p, values)
	var ticks []plot.Tick
	for k, r := range rows {
		ticks = append(ticks, plot.Tick{Value: float64(k), Label: r.work.name})
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Tick.Label.Rotation = 0.7
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YTop
	p.X.Min, p.X.Max = -0.6, float64(len(rows))-0.4
	return nil
}

// bars are columns around the x of each point. They reach from the lower end of the axis, which
// on a logarithmic axis is not 0, to y.
type bars struct {
	xys   plotter.XYs
	width float64 // in units of x
	color color.Color
}

func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, xy := range b.xys {
		l, r := x(xy.X-b.width/2), x(xy.X+b.width/2)
		c.FillPolygon(b.color, []vg.Point{{X: l, Y: c.Min.Y}, {X: r, Y: c.Min.Y}, {X: r, Y: y(xy.Y)}, {X: l, Y: y(xy.Y)}})
	}
}

// Thumbnail draws the bars' entry in the legend.
func (b *bars) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(b.color, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
}
