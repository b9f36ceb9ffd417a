package bench

// Rosenbrock is the extended Rosenbrock function, the sum over neighbours of
//
//	100 (x[i+1] - x[i]²)² + (1 - x[i])².
//
//quabla:grad wrt=x
func Rosenbrock(x []float64) float64 {
	var sum float64
	for i := range len(x) - 1 {
		a := x[i+1] - x[i]*x[i]
		b := 1 - x[i]
		sum += 100*a*a + b*b
	}
	return sum
}

// rosenbrockHand is RosenbrockGrad by hand. What the pair x[i-1], x[i] adds to
// dx[i] waits in a variable for what x[i], x[i+1] adds, so that each element
// is read once and written once.
func rosenbrockHand(dx, x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	dx = dx[:len(x)]
	var sum, da float64
	xi := x[0]
	for i, next := range x[1:] {
		a := next - xi*xi
		b := 1 - xi
		sum += 100*a*a + b*b
		dx[i] = da - 400*a*xi - 2*b
		da = 200 * a
		xi = next
	}
	dx[len(dx)-1] = da
	return sum
}
