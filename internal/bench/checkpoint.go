package bench

import "math"

// A recurrence and the heat equation, each with a full tape, with blocks of trips
// that are replayed, and with a fixed number of snapshots.

// Recurrence is a loop with one number as its state.
//
//quabla:grad wrt=x,w
func Recurrence(x, w float64, n int) float64 {
	for range n {
		x = math.Tanh(w*x + 0.1)
	}
	return x
}

// RecurrenceBlocks is [Recurrence] in blocks.
//
//quabla:grad wrt=x,w
func RecurrenceBlocks(x, w float64, n int) float64 {
	//quabla:checkpoint
	for range n {
		x = math.Tanh(w*x + 0.1)
	}
	return x
}

// RecurrenceWhile is [Recurrence] in blocks, without a known number of trips.
//
//quabla:grad wrt=x,w
func RecurrenceWhile(x, w float64, n int) float64 {
	k := 0
	//quabla:checkpoint
	for k < n && x < 2 {
		x = math.Tanh(w*x + 0.1)
		k++
	}
	return x
}

// RecurrenceBinomial is [Recurrence] with twenty snapshots.
//
//quabla:grad wrt=x,w
func RecurrenceBinomial(x, w float64, n int) float64 {
	//quabla:checkpoint snapshots=20
	for range n {
		x = math.Tanh(w*x + 0.1)
	}
	return x
}

// heat makes a step of the heat equation on a ring, with a loss, from u to next.
func heat(next, u []float64, c float64) {
	n := len(u)
	next[0] = u[0] + c*(u[1]-2*u[0]+u[n-1]) - 0.01*u[0]*u[0]*u[0]
	for i := 1; i < n-1; i++ {
		next[i] = u[i] + c*(u[i+1]-2*u[i]+u[i-1]) - 0.01*u[i]*u[i]*u[i]
	}
	next[n-1] = u[n-1] + c*(u[0]-2*u[n-1]+u[n-2]) - 0.01*u[n-1]*u[n-1]*u[n-1]
}

// energy is the sum of the squares of u.
func energy(u []float64) float64 {
	s := 0.0
	for _, v := range u {
		s += v * v
	}
	return s
}

// Heat returns the energy after some steps.
//
//quabla:grad wrt=u,c
func Heat(u []float64, c float64, steps int) float64 {
	u = append([]float64(nil), u...)
	next := make([]float64, len(u))
	for range steps {
		heat(next, u, c)
		u, next = next, u
	}
	return energy(u)
}

// HeatBlocks is [Heat] in blocks.
//
//quabla:grad wrt=u,c
func HeatBlocks(u []float64, c float64, steps int) float64 {
	u = append([]float64(nil), u...)
	next := make([]float64, len(u))
	//quabla:checkpoint
	for range steps {
		heat(next, u, c)
		u, next = next, u
	}
	return energy(u)
}

// HeatBinomial is [Heat] with a hundred snapshots.
//
//quabla:grad wrt=u,c
func HeatBinomial(u []float64, c float64, steps int) float64 {
	u = append([]float64(nil), u...)
	next := make([]float64, len(u))
	//quabla:checkpoint snapshots=100
	for range steps {
		heat(next, u, c)
		u, next = next, u
	}
	return energy(u)
}
