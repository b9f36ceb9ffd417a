package probe

import (
	"fmt"
	"sync"
)

// parallel calls a function from several goroutines and compares what they get.
func (c *Checker) parallel(s *site, f *Func, seeds []Seeds) {
	const goroutines, calls = 4, 4
	once := func() ([]reading, error) {
		args, err := s.arguments(f, seeds, nil)
		if err != nil {
			return nil, err
		}
		results, err := c.World.Call(f.Name, args)
		if err != nil {
			return nil, err
		}
		return s.read(f, seeds, args, results), nil
	}
	type outcome struct {
		list []reading
		err  error
	}
	var wg sync.WaitGroup
	got := make(chan outcome, goroutines*calls)
	for range goroutines {
		wg.Go(func() {
			for range calls {
				list, err := once()
				got <- outcome{list, err}
			}
		})
	}
	wg.Wait()
	close(got)
	for o := range got {
		if !c.problem(f.Mode, s.pt.Name+", in parallel", o.err) {
			c.compare(s, f, inParallel, o.list)
		}
	}
}

// matrix checks a Jacobian or Hessian.
func (c *Checker) matrix(s *site, f *Func) {
	outs := s.covered(f)
	rows := len(outs)
	if f.Order() == 2 {
		rows = s.n
	}
	for _, o := range outs {
		if !s.knows(o, f.Order()) {
			return
		}
	}
	if rows == 0 || s.n == 0 {
		return // a matrix cannot be empty
	}
	args, err := s.arguments(f, []Seeds{{}}, nil)
	if c.problem(f.Mode, s.pt.Name, err) {
		return
	}
	at := 0
	var get func(i, j int) float64
	for i := range f.Params {
		if f.Params[i].top() == Matrix {
			at = i
			if args[i], get, err = c.World.Matrix(f.Name, i, rows, s.n, garbage); c.problem(f.Mode, s.pt.Name, err) {
				return
			}
		}
	}
	results, err := c.World.Call(f.Name, args)
	if c.problem(f.Mode, s.pt.Name, err) {
		return
	}
	list := s.read(f, []Seeds{{}}, args, results)
	for i := range rows {
		for j := range s.n {
			r := reading{slot: f.Params[at].Name, order: f.Order(), got: get(i, j)}
			if f.Order() == 2 {
				r.want = s.truth.contract(oneHot(s.m, outs[0]), [][]float64{oneHot(s.n, i), oneHot(s.n, j)})
			} else {
				r.want = s.truth.contract(oneHot(s.m, outs[i]), [][]float64{oneHot(s.n, j)})
			}
			r.entry = fmt.Sprintf("entry %d,%d", i, j)
			if r.want.pure {
				r.entry = s.entryName(r.want)
			}
			list = append(list, r)
		}
	}
	c.compare(s, f, "", list)
}

// pullback calls what a pullback returns several times, with different cotangents
// and with equal ones.
func (c *Checker) pullback(s *site, f *Func) {
	args, err := s.arguments(f, []Seeds{{}}, nil)
	if c.problem(f.Mode, s.pt.Name, err) {
		return
	}
	results, err := c.World.Call(f.Name, args)
	if c.problem(f.Mode, s.pt.Name, err) {
		return
	}
	c.compare(s, f, "", s.read(f, []Seeds{{}}, args, results))
	at := -1
	for i := range f.Results {
		if f.Results[i].top() == Pullback {
			at = i
		}
	}
	seeds := c.seeds(s, f.Inner)
	if len(seeds) > 0 {
		seeds = append(seeds, seeds[0])
	}
	for _, sd := range seeds {
		in, err := s.arguments(f.Inner, sd, nil)
		if c.problem(f.Mode, s.pt.Name, err) {
			return
		}
		out, err := c.World.CallValue(results[at], in)
		if c.problem(f.Mode, s.pt.Name+", calling the pullback", err) {
			return
		}
		c.compare(s, f, "", s.read(f.Inner, sd, in, out))
	}
}
