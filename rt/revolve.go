package rt

// Revolve returns after how many of the next steps a snapshot is taken, when the
// state is known, steps of them have to be undone from the last to the first, free
// snapshots may be taken, and each step is undone from the state before it. So the
// steps that are run again are as few as possible. Without free snapshots it is one
// less than steps: then the state is the one before the last step. It is at least 1.
//
// With c = free+1 known states and r runs of a step at most, β(c,r) = binomial(c+r, c)
// steps can be undone. Of steps between β(c,r-1) and β(c,r), the part in front of the
// new snapshot has r-1 further runs and at most β(c,r-1) steps, the part behind it
// c-1 states and at least β(c-1,r-1). (A. Griewank, Achieving logarithmic growth of
// temporal and spatial complexity in reverse automatic differentiation, 1992.)
func Revolve(steps, free int) int {
	if free <= 0 || steps <= 2 {
		return max(1, steps-1)
	}
	c, r := free+1, 0
	before, beta := 0, 1 // β(c,r-1) and β(c,r)
	for beta < steps {
		r++
		before, beta = beta, beta*(c+r)/r
	}
	// β(c-1,r-1) = β(c,r-1) - β(c,r-2)
	behind := before * c / (c + r - 1)
	return min(before, steps-behind)
}
