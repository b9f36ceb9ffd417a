package probe

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
)

// A Checker checks the derived functions of one case in one world.
type Checker struct {
	World World
	Way   Way
	Plan  *CasePlan
	Emit  func(Event)

	// MaxCalls limits the calls of one function at one point.
	MaxCalls int
	// Parallel makes several goroutines call the first derivatives at once.
	Parallel bool
	// Doing is told what goes on.
	Doing func(mode string)

	failed  map[string]int // failures by mode, to report a few of each
	checked map[string]int
	truths  map[int]*truth // by point: the choices that earlier modes made hold for batches
	bits    map[string]*digest
}

// A digest stands for the bits of the numbers that a mode gave.
type digest struct {
	n   int
	sum uint64
}

func (d *digest) add(x float64) {
	b := math.Float64bits(x)
	if x != x {
		b = math.Float64bits(math.NaN()) // the payload is left to the machine
	}
	d.n++
	d.sum = (d.sum ^ b) * 0x100000001b3
}

func (d *digest) String() string { return fmt.Sprintf("%d numbers with digest %016x", d.n, d.sum) }

// Run checks everything.
func (c *Checker) Run() {
	c.failed, c.checked, c.truths, c.bits = map[string]int{}, map[string]int{}, map[int]*truth{}, map[string]*digest{}
	for g := range c.Plan.Groups {
		for _, i := range c.Plan.Groups[g].Points {
			c.point(i, g)
		}
		for _, f := range c.Plan.Funcs {
			if f.Group == g && f.Batch != nil {
				c.doing(f.Mode)
				c.batch(f, g)
			}
		}
	}
	for _, f := range c.Plan.Funcs {
		if n := c.checked[f.Mode]; n > 0 {
			c.Emit(Event{Kind: Checked, Way: c.Way, Mode: f.Mode, Text: fmt.Sprint(n), Bits: c.digest(f.Mode).String()})
			delete(c.checked, f.Mode)
		}
	}
}

const maxFails = 4 // reports for one mode

func (c *Checker) fail(mode, format string, args ...any) {
	if c.failed[mode]++; c.failed[mode] <= maxFails {
		c.Emit(Event{Kind: Fail, Way: c.Way, Mode: mode, Text: oneLine(fmt.Sprintf(format, args...))})
	}
}

func (c *Checker) unchecked(mode, why string) {
	c.Emit(Event{Kind: Unchecked, Way: c.Way, Mode: mode, Text: oneLine(why)})
}

func (c *Checker) doing(mode string) {
	if c.Doing != nil {
		c.Doing(mode)
	}
}

// problem reports an error of a call; it reports whether that was one.
func (c *Checker) problem(mode, where string, err error) bool {
	var un *UncheckedError
	switch {
	case err == nil:
		return false
	case errors.As(err, &un):
		c.unchecked(mode, un.Why)
	default:
		c.fail(mode, "%s: %v", where, err)
	}
	return true
}

func (c *Checker) digest(mode string) *digest {
	if c.bits[mode] == nil {
		c.bits[mode] = new(digest)
	}
	return c.bits[mode]
}

// point checks all functions at a point.
func (c *Checker) point(i, g int) {
	pt := c.Plan.Case.Points[i]
	group := &c.Plan.Groups[g]
	c.doing("primal")
	s, err := newSite(c.World, c.Plan, i, group)
	var pan *PanicError
	if errors.As(err, &pan) && pt.Panics {
		c.checked["primal"]++
		s := bare(c.World, c.Plan, i, group)
		for _, f := range c.Plan.Funcs {
			if f.Group == g && f.Batch == nil {
				c.panics(s, f, pan)
			}
		}
		return
	}
	if c.problem("primal", pt.Name, err) {
		return
	}
	if pt.Panics {
		c.fail("primal", "%s: does not panic", pt.Name)
		return
	}
	c.checked["primal"] += s.values
	c.truths[i] = s.truth
	for _, x := range s.extra {
		c.fail("primal", "%s", x)
	}
	for _, order := range []int{1, 2, 3, 4, 5, 6} {
		for _, f := range c.Plan.Funcs {
			if f.Group == g && f.Order() == order && f.Batch == nil {
				c.doing(f.Mode)
				c.function(s, f)
			}
		}
	}
}

// panics checks that a derived function panics as the entry function does.
func (c *Checker) panics(s *site, f *Func, want *PanicError) {
	if f.HasMatrix() {
		return
	}
	args, err := c.World.Args(s.index)
	if err != nil {
		c.problem(f.Mode, s.pt.Name, err)
		return
	}
	for _, i := range s.group.Active {
		n := len(c.World.Leaves(args[i]))
		s.leaves[i] = span{s.n, s.n + n}
		s.n += n
	}
	seeds := make([]Seeds, max(1, f.Lanes))
	for k := range seeds {
		for range f.Levels {
			seeds[k].Dirs = append(seeds[k].Dirs, c.random(s, f, s.n))
		}
	}
	args, err = s.arguments(f, seeds, nil)
	s.n = 0
	var un *UncheckedError
	if errors.As(err, &un) {
		return
	}
	if c.problem(f.Mode, s.pt.Name, err) {
		return
	}
	c.doing(f.Mode)
	_, err = c.World.Call(f.Name, args)
	var pan *PanicError
	switch {
	case errors.As(err, &pan):
		c.checked[f.Mode]++
		if pan.Text != want.Text {
			c.fail(f.Mode, "%s: panics with %q, want %q", s.pt.Name, pan.Text, want.Text)
		}
	case err == nil:
		c.fail(f.Mode, "%s: does not panic, want %q", s.pt.Name, want.Text)
	default:
		c.problem(f.Mode, s.pt.Name, err)
	}
}

// random returns a vector without zeros that depends on the case, the point and
// the function only.
func (c *Checker) random(s *site, f *Func, n int) []float64 {
	h := fnv.New64a()
	fmt.Fprint(h, c.Plan.Case.ID, s.index, f.Name)
	rng := rand.New(rand.NewPCG(h.Sum64(), uint64(n)))
	v := make([]float64, n)
	for i := range v {
		v[i] = 0.5 + math.Floor(rng.Float64()*256)/256
		if rng.IntN(2) == 0 {
			v[i] = -v[i]
		}
	}
	return v
}

// function checks one function at one point.
func (c *Checker) function(s *site, f *Func) {
	if f.HasMatrix() {
		c.matrix(s, f)
		return
	}
	if f.Inner != nil {
		c.pullback(s, f)
		return
	}
	seeds := c.seeds(s, f)
	for k, sd := range seeds {
		if !c.call(s, f, sd, k == 0) {
			return
		}
	}
	if c.Parallel && f.Order() == 1 && len(seeds) > 0 && !c.Plan.Races {
		c.parallel(s, f, seeds[len(seeds)-1])
	}
}

// call makes one call and compares; with again it makes a second one with the same
// destinations. It reports false if the function cannot be called.
func (c *Checker) call(s *site, f *Func, seeds []Seeds, again bool) bool {
	args, err := s.arguments(f, seeds, nil)
	if c.problem(f.Mode, s.pt.Name, err) {
		return false
	}
	results, err := c.World.Call(f.Name, args)
	if c.problem(f.Mode, s.pt.Name, err) {
		return false
	}
	c.compare(s, f, "", s.read(f, seeds, args, results))
	if again {
		args, err = s.arguments(f, seeds, args)
		if c.problem(f.Mode, s.pt.Name, err) {
			return false
		}
		results, err = c.World.Call(f.Name, args)
		if c.problem(f.Mode, s.pt.Name+", second call", err) {
			return false
		}
		c.compare(s, f, "second call: ", s.read(f, seeds, args, results))
	}
	return true
}

// inParallel introduces what calls at the same time gave.
const inParallel = "in parallel: "

// compare judges what was read.
func (c *Checker) compare(s *site, f *Func, when string, list []reading) {
	for _, r := range list {
		if r.entry == "" {
			c.checked[f.Mode]++
			if r.stateA != r.stateB {
				c.fail(f.Mode, "%s: %s%s ends as %s, want %s", s.pt.Name, when, r.slot, r.stateA, r.stateB)
			}
			continue
		}
		if s.pt.Within != nil && when != inParallel {
			c.digest(f.Mode).add(r.got)
		}
		if !r.want.ok {
			continue
		}
		c.checked[f.Mode]++
		if !s.truth.accepts(r.got, r.want, r.order) {
			c.fail(f.Mode, "%s: %s%s (in %s) %s", s.pt.Name, when, r.entry, r.slot, differs(r.got, r.want.x))
		}
	}
}

// seeds returns the seeds of the calls of a function: unit vectors in all
// combinations as far as there are not too many, so that a wrong entry shows, and
// one with all entries set. Each element holds the seeds of all lanes.
func (c *Checker) seeds(s *site, f *Func) [][]Seeds {
	outs := s.covered(f)
	first := f.firstReverse()
	known := slices.DeleteFunc(slices.Clone(outs), func(o int) bool { return !s.knows(o, f.Order()) })
	if len(known) == 0 && s.pt.Within != nil && f.Order() == 1 {
		known = outs // for the values, which every function returns
	}
	if len(known) == 0 {
		return nil
	}
	// choices for each level: unit vectors
	counts := make([]int, len(f.Levels))
	total := 1
	for l, level := range f.Levels {
		switch {
		case l == first && level.Unit:
			counts[l] = 1
		case l == first:
			counts[l] = len(known)
		case level.Reverse && level.Unit:
			counts[l] = 1
		default:
			counts[l] = s.n
		}
		total *= counts[l]
	}
	make1 := func(pick func(l int) []float64) Seeds {
		var sd Seeds
		for l := range f.Levels {
			if l == first {
				sd.W = pick(l)
				sd.Dirs = append(sd.Dirs, nil)
			} else {
				sd.Dirs = append(sd.Dirs, pick(l))
			}
		}
		return sd
	}
	unit := func(l, i int) []float64 {
		if l == first {
			return oneHot(s.m, known[i])
		}
		return oneHot(s.n, i)
	}
	var list []Seeds
	if total > 0 && total <= c.MaxCalls && f.Order() <= 4 && !(first < 0 && f.Order() == 1 && !s.pt.Finite() && s.pt.Within == nil) {
		idx := make([]int, len(counts))
		for {
			list = append(list, make1(func(l int) []float64 { return unit(l, idx[l]) }))
			l := 0
			for ; l < len(idx); l++ {
				if idx[l]++; idx[l] < counts[l] {
					break
				}
				idx[l] = 0
			}
			if l == len(idx) {
				break
			}
		}
	}
	dense := func(turn int) Seeds {
		v := c.random(s, f, s.m+len(f.Levels)*s.n+turn*s.n)
		return make1(func(l int) []float64 {
			switch {
			case counts[l] == 1 && f.Levels[l].Unit:
				return unit(l, 0)
			case l == first:
				w := make([]float64, s.m)
				for _, o := range known {
					w[o] = v[o]
				}
				return w
			}
			at := s.m + l*s.n + turn*s.n
			return v[at : at+s.n]
		})
	}
	list = append(list, dense(0))
	return inLanes(list, f.Lanes, dense)
}

// inLanes distributes seeds over lanes.
func inLanes(list []Seeds, lanes int, fill func(turn int) Seeds) [][]Seeds {
	var calls [][]Seeds
	if lanes <= 1 {
		for _, sd := range list {
			calls = append(calls, []Seeds{sd})
		}
		return calls
	}
	for turn := 1; len(list)%lanes != 0; turn++ {
		list = append(list, fill(turn))
	}
	for c := range slices.Chunk(list, lanes) {
		calls = append(calls, c)
	}
	return calls
}

// knows reports whether derivatives of an order of an output are stated.
func (s *site) knows(out, order int) bool {
	switch order {
	case 1:
		return s.truth.d1[out] != nil
	case 2:
		return s.truth.d2[out] != nil
	}
	return slices.ContainsFunc(s.pt.High, func(h High) bool { return len(h.By) == order && s.pt.Outs[out] == h.Out })
}
