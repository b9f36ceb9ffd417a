package main

import (
	"errors"
	"image/color"
	"math"
	"os"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

var (
	orange = color.NRGBA{0xdd, 0x7a, 0x1e, 0xff}
	blue   = color.NRGBA{0x2b, 0x6c, 0xb0, 0xff}
	pale   = color.NRGBA{0xea, 0xea, 0xea, 0xff}
)

// plotFit draws the pelts of each year and the fitted numbers between them.
func plotFit(file string, theta []float64, pelts [][2]float64) error {
	hares, lynxes := make(plotter.XYs, len(pelts)), make(plotter.XYs, len(pelts))
	for i, p := range pelts {
		hares[i] = plotter.XY{X: float64(firstYear + i), Y: p[0]}
		lynxes[i] = plotter.XY{X: float64(firstYear + i), Y: p[1]}
	}
	var hareCurve, lynxCurve plotter.XYs
	r := rates{math.Exp(theta[0]), math.Exp(theta[1]), math.Exp(theta[2]), math.Exp(theta[3])}
	s := state{math.Exp(theta[4]), math.Exp(theta[5])}
	for i := range steps*(len(pelts)-1) + 1 {
		t := firstYear + float64(i)/steps
		hareCurve = append(hareCurve, plotter.XY{X: t, Y: s.hare})
		lynxCurve = append(lynxCurve, plotter.XY{X: t, Y: s.lynx})
		s = r.step(s, 1.0/steps)
	}

	plot.DefaultFont.Variant = "Sans"
	p := plot.New()
	p.Title.Text = "Pelts of the Hudson's Bay Company, and the Lotka-Volterra equations"
	p.Title.TextStyle.Font.Size = 13
	p.Title.Padding = 10
	p.Y.Label.Text = "thousands of pelts"
	p.X.Tick.Marker, p.Y.Tick.Marker = every(5), every(20)
	p.Legend.Top = true
	p.Legend.XOffs, p.Legend.YOffs = -8, -4
	p.Legend.Padding = 3
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = pale, pale
	p.Add(grid)
	for _, animal := range []struct {
		name         string
		color        color.Color
		pelts, curve plotter.XYs
	}{
		{"hare", orange, hares, hareCurve},
		{"lynx", blue, lynxes, lynxCurve},
	} {
		curve, err := plotter.NewLine(animal.curve)
		if err != nil {
			return err
		}
		curve.Color, curve.Width = animal.color, 1.5
		dots, err := plotter.NewScatter(animal.pelts)
		if err != nil {
			return err
		}
		dots.GlyphStyle = draw.GlyphStyle{Color: animal.color, Radius: 3.2, Shape: draw.CircleGlyph{}}
		p.Add(curve, dots)
		p.Legend.Add(animal.name, curve, dots)
	}
	p.X.Max += 0.3
	p.Y.Min, p.Y.Max = 0, max(p.Y.Max, 85)
	return savePNG(p, file)
}

// every marks the multiples of step.
type every int

func (step every) Ticks(first, last float64) []plot.Tick {
	var ticks []plot.Tick
	for v := int(math.Ceil(first / float64(step))); float64(v*int(step)) <= last; v++ {
		ticks = append(ticks, plot.Tick{Value: float64(v * int(step)), Label: strconv.Itoa(v * int(step))})
	}
	return ticks
}

func savePNG(p *plot.Plot, file string) error {
	canvas := vgimg.NewWith(vgimg.UseWH(7*vg.Inch, 4.2*vg.Inch), vgimg.UseDPI(160))
	p.Draw(draw.Crop(draw.New(canvas), 10, -14, 8, -8))
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	_, err = vgimg.PngCanvas{Canvas: canvas}.WriteTo(f)
	return errors.Join(err, f.Close())
}
