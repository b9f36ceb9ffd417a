package main

import (
	"errors"
	"image/color"
	"math"
	"math/rand/v2"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

var (
	red  = color.NRGBA{0xd6, 0x45, 0x50, 0x90}
	blue = color.NRGBA{0x2b, 0x6c, 0xb0, 0x90}
	ink  = color.NRGBA{0x30, 0x30, 0x30, 0xff}
	pale = color.NRGBA{0xea, 0xea, 0xea, 0xff}
)

// plotFit draws the probability of a malignant tumour against the score that
// the model gives it, and the cases at what they turned out to be, spread a
// little so that each can be seen.
func plotFit(file string, w []float64, c cases) error {
	var benign, malignant, wrong plotter.XYs
	rng := rand.New(rand.NewPCG(1, 2))
	for i, row := range c.x {
		p := plotter.XY{X: dot(w, row), Y: c.y[i] + 0.12*rng.Float64() - 0.06}
		if c.y[i] == 1 {
			malignant = append(malignant, p)
		} else {
			benign = append(benign, p)
		}
		if (p.X > 0) != (c.y[i] == 1) {
			wrong = append(wrong, p)
		}
	}

	plot.DefaultFont.Variant = "Sans"
	p := plot.New()
	p.Title.Text = "Breast Cancer Wisconsin: the cases held out"
	p.Title.TextStyle.Font.Size = 13
	p.Title.Padding = 10
	p.X.Label.Text = "score w·x"
	p.Y.Label.Text = "probability of a malignant tumour"
	p.X.Tick.Marker = plot.ConstantTicks{{Value: -20, Label: "-20"}, {Value: 0, Label: "0"}, {Value: 20, Label: "20"}, {Value: 40, Label: "40"}}
	p.Y.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: 0.5, Label: "0.5"}, {Value: 1, Label: "1"}}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs = 12, -30
	p.Legend.Padding = 3

	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = pale, pale
	curve := plotter.NewFunction(func(score float64) float64 { return 1 / (1 + math.Exp(-score)) })
	curve.Samples = 400
	curve.Color, curve.Width = ink, 1.5
	p.Add(grid, curve)
	p.Legend.Add("model", curve)

	for _, group := range []struct {
		name   string
		points plotter.XYs
		style  draw.GlyphStyle
	}{
		{"malignant", malignant, draw.GlyphStyle{Color: red, Radius: 2.8, Shape: draw.CircleGlyph{}}},
		{"benign", benign, draw.GlyphStyle{Color: blue, Radius: 2.8, Shape: draw.CircleGlyph{}}},
		{"on the wrong side", wrong, draw.GlyphStyle{Color: ink, Radius: 5, Shape: draw.RingGlyph{}}},
	} {
		if len(group.points) == 0 {
			continue
		}
		s, err := plotter.NewScatter(group.points)
		if err != nil {
			return err
		}
		s.GlyphStyle = group.style
		p.Add(s)
		p.Legend.Add(group.name, s)
	}
	p.X.Min, p.X.Max = -20, max(p.X.Max, 40)
	p.Y.Min, p.Y.Max = -0.1, 1.1
	return savePNG(p, file)
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
