package derivtest

import (
	"fmt"
	"go/types"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/internal/leaves"
)

// A level is a function: the one that a directive stands above, or a verb applied
// to another level.
type level struct {
	name string // for messages
	expr *analyze.Expr
	of   *level // nil for the function itself
	add  bool   // it adds to its destinations

	native *native      // the compiled function, or nil
	interp *interpreted // or nil

	layouts map[*point]*layout
}

// run is the way to call the function that is preferred: it is fast if there is
// a compiled one.
func (l *level) run() caller {
	switch {
	case l.native != nil:
		return l.native
	case l.interp != nil:
		return l.interp
	}
	return nil
}

func (l *level) sig() *analyze.Derived { return l.expr.Sig }

// mode names what the level is: "grad", "jvp with 4 lanes".
func (l *level) mode() string {
	if n := l.sig().Lanes; l.expr.Verb == analyze.JVP && n > 1 {
		return fmt.Sprintf("jvp with %d lanes", n)
	}
	return string(l.expr.Verb)
}

// Seeds are what a call is given besides the arguments of the function that a
// verb is applied to.
type seeds struct {
	dirs [][]float64 // for each lane, a direction over the floats that are differentiated by
	bars []float64   // cotangents, over the floats of the outputs
	fill float64     // what destinations hold before

	// earlier are the arguments of an earlier call, whose destinations are used
	// again.
	earlier []reflect.Value
}

// A layout says which floats a verb differentiates at a point, and by which.
type layout struct {
	base *outcome // of the function that the verb is applied to

	wrt   map[int]span // of parameters
	x     []float64
	names []string

	outs     map[analyze.Output]span
	y        []float64
	outNames []string
}

// A span is a range of indices.
type span struct{ from, to int }

func (s span) of(xs []float64) []float64 { return xs[s.from:s.to] }

// slot returns the output o of an outcome.
func (out *outcome) slot(o analyze.Output) slot {
	if o.Param {
		return out.params[o.Index]
	}
	return out.results[o.Index]
}

// layout returns the layout of a verb at a point.
func (l *level) layout(p *point) (*layout, error) {
	if lay := l.layouts[p]; lay != nil {
		return lay, nil
	}
	lay := &layout{wrt: map[int]span{}, outs: map[analyze.Output]span{}}
	args, err := l.of.inputs(p, nil)
	if err != nil {
		return nil, err
	}
	for _, i := range l.sig().Wrt {
		from := len(lay.x)
		lay.x = append(lay.x, leaves.Of(args[i])...)
		lay.wrt[i] = span{from, len(lay.x)}
		lay.names = append(lay.names, leaves.Names(l.of.sig().All()[i].Name, args[i])...)
		if leaves.Shared(args[i]) {
			return nil, &unableError{fmt.Sprintf("parts of %s share memory", l.of.sig().All()[i].Name)}
		}
	}
	if lay.base, err = l.of.outcome(p, args); err != nil {
		return nil, err
	}
	for _, o := range l.sig().Of {
		s := lay.base.slot(o)
		from := len(lay.y)
		lay.y = append(lay.y, s.xs...)
		lay.outs[o] = span{from, len(lay.y)}
		for _, n := range s.names() {
			lay.outNames = append(lay.outNames, named(n, l.of.outName(o)))
		}
	}
	if l.layouts == nil {
		l.layouts = map[*point]*layout{}
	}
	l.layouts[p] = lay
	return lay, nil
}

// named puts the name of a variable into the name of one of its parts, which
// package leaves has given without.
func named(part, name string) string {
	if len(part) >= 3 && (part[:3] == "Re " || part[:3] == "Im ") {
		return part[:3] + name + part[3:]
	}
	return name + part
}

func (l *level) outName(o analyze.Output) string {
	if o.Param {
		return l.sig().All()[o.Index].Name
	}
	return l.sig().Results[o.Index].Name
}

// outcome returns what the level does at a point; for the function itself it is
// known already.
func (l *level) outcome(p *point, args []reflect.Value) (*outcome, error) {
	if l.of == nil {
		return p.base, nil
	}
	if l.run() == nil {
		return nil, &unableError{l.name + " cannot be called"}
	}
	return l.run().call(args)
}

// inputs returns arguments of a level at a point, new ones. Without seeds they are
// some that depend on the level only.
func (l *level) inputs(p *point, s *seeds) ([]reflect.Value, error) {
	if l.of == nil {
		return p.fresh(), nil
	}
	if l.batches() {
		return l.batch(p, s)
	}
	inner, err := l.of.inputs(p, nil)
	if err != nil {
		return nil, err
	}
	lay, err := l.layout(p)
	if err != nil {
		return nil, err
	}
	if s == nil {
		s = l.someSeeds(lay, 1)
	}
	all := l.sig().All()
	args := make([]reflect.Value, len(all))
	for i, sl := range all {
		switch {
		case sl.Role == analyze.Primal:
			args[i] = inner[sl.Of]
		case s.earlier != nil && (sl.Role == analyze.Adjoint && !sl.InOut || sl.Role == analyze.Product || sl.Role == analyze.Matrix):
			args[i] = s.earlier[i]
		default:
			if args[i], err = l.seed(p, lay, sl, s, inner); err != nil {
				return nil, err
			}
		}
	}
	return args, nil
}

// someSeeds returns seeds without zeros; turn tells different ones apart.
func (l *level) someSeeds(lay *layout, turn uint64) *seeds {
	rng := rand.New(rand.NewPCG(turn, uint64(len(lay.x)<<16+len(lay.y))))
	s := &seeds{fill: garbage}
	for range max(1, l.sig().Lanes) {
		s.dirs = append(s.dirs, scaled(random(rng, len(lay.x)), lay.x))
	}
	s.bars = random(rng, len(lay.y))
	if l.unit() {
		s.bars = []float64{1}
	}
	return s
}

// adjointSeeds returns seeds with which destinations end as derivatives.
func (l *level) adjointSeeds(lay *layout, turn uint64) *seeds {
	s := l.someSeeds(lay, turn)
	if l.add {
		s.fill = 0
	}
	return s
}

// garbage fills destinations before a call.
const garbage = 777.25

// unit reports whether the only output has the cotangent 1.
func (l *level) unit() bool { return l.expr.Verb == analyze.Grad || l.second() }

// second reports whether the verb is one of second order.
func (l *level) second() bool { return l.expr.Verb == analyze.HVP || l.expr.Verb == analyze.Hessian }

// random returns n numbers that are neither small nor large.
func random(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 0.5 + float64(rng.IntN(1024))/1024
		if rng.IntN(2) == 0 {
			v[i] = -v[i]
		}
	}
	return v
}

// scaled multiplies directions with the sizes of what they change.
func scaled(v, x []float64) []float64 {
	for i := range v {
		v[i] *= size(x[i])
	}
	return v
}

// seed returns the argument for a parameter that the verb has added.
func (l *level) seed(p *point, lay *layout, sl analyze.Slot, s *seeds, inner []reflect.Value) (reflect.Value, error) {
	if sl.Role == analyze.Matrix {
		m := &matrix{rows: len(lay.y), cols: len(lay.x), fill: s.fill}
		if l.second() {
			m.rows = m.cols
		}
		return reflect.ValueOf(m), nil
	}
	if sl.Role == analyze.PullbackFunc || sl.Role == analyze.Workspace {
		return reflect.Value{}, fmt.Errorf("a parameter %s", sl.Role)
	}
	base, err := l.like(p, sl, inner)
	if err != nil {
		return base, err
	}
	n := len(leaves.Of(base))
	constant := func(x float64) []float64 {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = x
		}
		return xs
	}
	isWrt := !sl.OfResult && slices.Contains(l.sig().Wrt, sl.Of)
	out := analyze.Output{Param: !sl.OfResult, Index: sl.Of}
	xs := constant(s.fill)
	switch sl.Role {
	case analyze.Tangent, analyze.Direction:
		lanes := make([][]float64, max(1, l.sig().Lanes))
		for k := range lanes {
			lanes[k] = xs
			if isWrt {
				lanes[k] = lay.wrt[sl.Of].of(s.dirs[k])
			}
		}
		if l.sig().Lanes > 1 && sl.Role == analyze.Tangent {
			return spread(base, lanes, l.argType(sl))
		}
		xs = lanes[0]
	case analyze.Cotangent:
		xs = lay.outs[out].of(s.bars)
	case analyze.Adjoint:
		if sl.InOut {
			xs = lay.outs[out].of(s.bars)
		}
	}
	if len(xs) != n {
		return base, &unableError{fmt.Sprintf("the shape of %s changes", l.of.outName(out))}
	}
	v := leaves.Set(base, xs)
	if pointed(sl.Type) && !pointed(l.belongs(sl).Type) {
		ptr := reflect.New(v.Type())
		ptr.Elem().Set(v)
		return ptr, nil
	}
	return v, nil
}

// elemType returns the type of the elements of a slice.
func elemType(t types.Type) types.Type { return t.Underlying().(*types.Slice).Elem() }

func pointed(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// belongs returns the slot that a slot of this level is about, one level down.
func (l *level) belongs(sl analyze.Slot) analyze.Slot {
	if sl.OfResult {
		return l.of.sig().Results[sl.Of]
	}
	return l.of.sig().All()[sl.Of]
}

// like returns a value with zeros in the shape of what a slot is about.
func (l *level) like(p *point, sl analyze.Slot, inner []reflect.Value) (reflect.Value, error) {
	if !sl.OfResult {
		return leaves.ZeroLike(inner[sl.Of])[0], nil
	}
	v, err := l.of.likeResult(p, sl.Of)
	if err != nil {
		return v, err
	}
	return leaves.ZeroLike(v)[0], nil
}

// likeResult returns a value in the shape of a result.
func (l *level) likeResult(p *point, i int) (reflect.Value, error) {
	if l.of == nil {
		if v := p.base.results[i].value; v.IsValid() {
			return v, nil
		}
		return reflect.Value{}, &unableError{fmt.Sprintf("the shape of result %d of %s is not known", i, l.name)}
	}
	sl := l.sig().Results[i]
	if sl.OfResult {
		v, err := l.of.likeResult(p, sl.Of)
		if err == nil && sl.Role == analyze.Tangent && l.sig().Lanes > 1 {
			return spread(leaves.ZeroLike(v)[0], zeros(l.sig().Lanes, len(leaves.Of(v))), nil)
		}
		return v, err
	}
	inner, err := l.of.inputs(p, nil)
	if err != nil {
		return reflect.Value{}, err
	}
	return inner[sl.Of], nil
}

func zeros(lanes, n int) [][]float64 {
	list := make([][]float64, lanes)
	for i := range list {
		list[i] = make([]float64, n)
	}
	return list
}

// argType returns the type of the compiled function for a parameter, or nil if
// there is no such function.
func (l *level) argType(sl analyze.Slot) reflect.Type {
	if l.native == nil {
		return nil
	}
	i := slices.IndexFunc(l.sig().All(), func(s analyze.Slot) bool {
		return s.Role == sl.Role && s.Of == sl.Of && s.OfResult == sl.OfResult
	})
	return l.native.f.Type().In(i)
}

// spread returns a value in the shape of v with lanes for each float, of type t if
// that is not nil.
func spread(v reflect.Value, lanes [][]float64, t reflect.Type) (reflect.Value, error) {
	if t == nil {
		ok := false
		if t, ok = leaves.LaneType(v.Type(), len(lanes)); !ok {
			return v, &unableError{fmt.Sprintf("lanes for %s", v.Type())}
		}
	}
	out := reflect.New(t).Elem()
	at := 0
	err := leaves.Spread(out, v, func() []float64 {
		xs := make([]float64, len(lanes))
		for k, l := range lanes {
			xs[k] = l[at]
		}
		at++
		return xs
	})
	return out, err
}

// tangents returns the tangents of the outputs that a call has computed, lane by
// lane.
func (l *level) tangents(lay *layout, out *outcome) ([][]float64, error) {
	n := max(1, l.sig().Lanes)
	lanes := make([][]float64, n)
	for k := range lanes {
		lanes[k] = make([]float64, len(lay.y))
	}
	for _, o := range l.sig().Of {
		s, ok := find(l.sig().All(), l.sig().Results, out, analyze.Tangent, o)
		if !ok {
			return nil, fmt.Errorf("no tangent of %s", l.of.outName(o))
		}
		at := lay.outs[o]
		if len(s.xs) != n*(at.to-at.from) {
			return nil, fmt.Errorf("the tangent of %s has %d numbers, want %d", l.of.outName(o), len(s.xs), n*(at.to-at.from))
		}
		order := leaves.LaneOrder(s.names(), n)
		for j := range at.to - at.from {
			for k := range n {
				place := j
				if n > 1 {
					place = order[j*n+k]
				}
				lanes[k][at.from+j] = s.xs[place]
			}
		}
	}
	return lanes, nil
}

// adjoints returns the derivatives by all floats that a call has computed.
func (l *level) adjoints(lay *layout, out *outcome) ([]float64, error) {
	return l.adjointsIn(lay, l.sig().All(), l.sig().Results, out)
}

func (l *level) adjointsIn(lay *layout, params, results []analyze.Slot, out *outcome) ([]float64, error) {
	role := analyze.Adjoint
	if l.expr.Verb == analyze.HVP {
		role = analyze.Product
	}
	xs := make([]float64, len(lay.x))
	for _, i := range l.sig().Wrt {
		s, ok := find(params, results, out, role, analyze.Output{Param: true, Index: i})
		at := lay.wrt[i]
		if !ok || len(s.xs) != at.to-at.from {
			return nil, fmt.Errorf("the derivative by %s has %d numbers, want %d", l.of.sig().All()[i].Name, len(s.xs), at.to-at.from)
		}
		copy(at.of(xs), s.xs)
	}
	return xs, nil
}

// find returns the slot of an outcome that has a role and belongs to an output or
// a parameter.
func find(params, results []analyze.Slot, out *outcome, role analyze.Role, o analyze.Output) (slot, bool) {
	for i, sl := range params {
		if sl.Role == role && sl.Of == o.Index && sl.OfResult == !o.Param {
			return out.params[i], true
		}
	}
	for i, sl := range results {
		if sl.Role == role && sl.Of == o.Index && sl.OfResult == !o.Param {
			return out.results[i], true
		}
	}
	return slot{}, false
}
