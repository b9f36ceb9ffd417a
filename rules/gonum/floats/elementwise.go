package floats

// Elementwise functions: what they store is what a loop stores, bit for bit.

const (
	differ    = "floats: slice lengths do not match"
	differDst = "floats: destination slice length does not match input"
)

//quabla:rule for=gonum.org/v1/gonum/floats.Add as=add
func add(dst, s []float64) {
	if len(dst) != len(s) {
		panic(differDst)
	}
	for i, v := range s {
		dst[i] += v
	}
}

//quabla:rule for=gonum.org/v1/gonum/floats.AddTo as=addTo
func addTo(dst, s, t []float64) []float64 {
	if len(s) != len(t) {
		panic(differ)
	}
	if len(dst) != len(s) {
		panic(differDst)
	}
	for i, v := range s {
		dst[i] = v + t[i]
	}
	return dst
}

//quabla:rule for=gonum.org/v1/gonum/floats.AddConst as=addConst
func addConst(c float64, dst []float64) {
	for i := range dst {
		dst[i] += c
	}
}

//quabla:rule for=gonum.org/v1/gonum/floats.AddScaled as=addScaled
func addScaled(dst []float64, alpha float64, s []float64) {
	if len(dst) != len(s) {
		panic(differ)
	}
	for i, v := range s {
		dst[i] += alpha * v
	}
}

//quabla:rule for=gonum.org/v1/gonum/floats.AddScaledTo as=addScaledTo
func addScaledTo(dst, y []float64, alpha float64, s []float64) []float64 {
	if len(s) != len(y) {
		panic(differ)
	}
	if len(dst) != len(y) {
		panic(differDst)
	}
	for i, v := range s {
		dst[i] = alpha*v + y[i]
	}
	return dst
}

//quabla:rule for=gonum.org/v1/gonum/floats.Sub as=sub
func sub(dst, s []float64) {
	if len(dst) != len(s) {
		panic(differ)
	}
	for i, v := range s {
		dst[i] -= v
	}
}

//quabla:rule for=gonum.org/v1/gonum/floats.SubTo as=subTo
func subTo(dst, s, t []float64) []float64 {
	if len(s) != len(t) {
		panic(differ)
	}
	if len(dst) != len(s) {
		panic(differDst)
	}
	for i, v := range s {
		dst[i] = v - t[i]
	}
	return dst
}

//quabla:rule for=gonum.org/v1/gonum/floats.Scale as=scale
func scale(c float64, dst []float64) {
	for i := range dst {
		dst[i] *= c
	}
}

//quabla:rule for=gonum.org/v1/gonum/floats.ScaleTo as=scaleTo
func scaleTo(dst []float64, c float64, s []float64) []float64 {
	if len(dst) != len(s) {
		panic(differDst)
	}
	for i, v := range s {
		dst[i] = c * v
	}
	return dst
}

//quabla:rule for=gonum.org/v1/gonum/floats.Div as=div
func div(dst, s []float64) {
	if len(dst) != len(s) {
		panic(differ)
	}
	for i, v := range s {
		dst[i] /= v
	}
}

//quabla:rule for=gonum.org/v1/gonum/floats.DivTo as=divTo
func divTo(dst, s, t []float64) []float64 {
	if len(s) != len(t) {
		panic(differ)
	}
	if len(dst) != len(s) {
		panic(differDst)
	}
	for i, v := range s {
		dst[i] = v / t[i]
	}
	return dst
}
