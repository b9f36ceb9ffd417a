package pass

import (
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
)

// Aliases holds what the references of one function may point to. It is a
// points-to analysis that ignores the order of statements (Andersen 1994, section 4).
// It tells apart the fields of a struct that an op allocates, but not those inside of
// these, and not those of other roots.
type Aliases struct {
	f        *ssair.Func
	pts      map[*ssair.Value]RootSet
	contents map[*Root]RootSet
	fields   map[place]RootSet // what is stored in a field
	loose    map[*Root]RootSet // what is stored in a struct, it is not known in which field
	Roots    []*Root
	byParam  map[*ssair.Value]*Root
	byOp     map[*ssair.Op]*Root
	byError  map[*ssair.Op]*Root
	byObj    map[types.Object]*Root
	grown    map[*Root]int        // how often the memory of a root came to hold more
	growth   int                  // the sum of these
	linking  map[*ssair.Func]bool // see links
	holds    map[[2]*Root]bool    // what memory can hold references to what
	changed  bool
	lasting  map[*ssair.Op]RootSet
}

// FindAliases analyses f.
func FindAliases(f *ssair.Func) *Aliases {
	a := &Aliases{
		f: f, pts: map[*ssair.Value]RootSet{}, contents: map[*Root]RootSet{}, fields: map[place]RootSet{}, loose: map[*Root]RootSet{},
		byParam: map[*ssair.Value]*Root{}, byOp: map[*ssair.Op]*Root{}, byError: map[*ssair.Op]*Root{}, byObj: map[types.Object]*Root{}, holds: map[[2]*Root]bool{},
		linking: map[*ssair.Func]bool{}, grown: map[*Root]int{},
	}
	for _, p := range f.Params {
		if !ssair.HoldsRef(p.Type) {
			continue
		}
		r := a.root(&Root{Param: p})
		a.byParam[p] = r
		deep := a.root(&Root{Param: p, Deep: true})
		a.contents[r] = RootSet{deep: true}
		a.contents[deep] = RootSet{deep: true}
		a.pts[p] = RootSet{r: true}
	}
	var ops []*ssair.Op
	f.Body.Walk(func(o *ssair.Op) bool {
		if movesRefs(o) {
			ops = append(ops, o)
		}
		return true
	})
	seen := map[*ssair.Op]int{} // the stamp when the op was last looked at, and 1
	for {
		a.changed = false
		for _, o := range ops {
			if s := a.stamp(o) + 1; seen[o] != s {
				seen[o] = s
				a.op(o)
			}
		}
		if !a.changed && !a.boxNils(ops) {
			break
		}
	}
	return a
}

// stamp returns a number that grows with what op depends on for o.
func (a *Aliases) stamp(o *ssair.Op) int {
	n := 0
	for _, v := range o.Args {
		n += len(a.pts[v])
	}
	for _, r := range o.Regions {
		if t := r.Term(); t != nil {
			for _, v := range t.Args {
				n += len(a.pts[v])
			}
		}
	}
	switch o.Kind {
	case ssair.Load, ssair.MapGet, ssair.Append, ssair.AppendSlice, ssair.Copy, ssair.TypeAssert:
		for _, v := range o.Args {
			for r := range a.pts[v] {
				n += a.grown[r]
			}
		}
	case ssair.Call, ssair.Opaque, ssair.JVP, ssair.Grad, ssair.MakeClosure:
		n += a.growth
	}
	return n
}

// boxNils gives a box to interfaces that hold nothing but nil references: their types
// matter where they lie beside others. It reports whether there are new ones.
func (a *Aliases) boxNils(ops []*ssair.Op) bool {
	found := false
	for _, o := range ops {
		if o.Kind == ssair.MakeIface && len(a.pts[o.Result()]) == 0 {
			a.add(o.Result(), RootSet{a.site(o): true})
			found = true
		}
	}
	return found
}

// movesRefs reports whether o may make references or pass them on; arithmetic, which
// most of a function is, does not.
func movesRefs(o *ssair.Op) bool {
	switch {
	case o.Kind == ssair.Store || o.Kind == ssair.Accum:
		return ssair.HoldsRef(o.Stored().Type)
	case o.Kind.IsPure() || o.Kind == ssair.Load:
		return slices.ContainsFunc(o.Results, func(v *ssair.Value) bool { return ssair.HoldsRef(v.Type) })
	}
	return true
}

func (a *Aliases) root(r *Root) *Root {
	a.Roots = append(a.Roots, r)
	return r
}

// Pts returns what the reference v may point to; for an aggregate, what the
// references in it may point to.
func (a *Aliases) Pts(v *ssair.Value) RootSet { return a.pts[v] }

// Contents returns what the references in the memory of r may point to.
func (a *Aliases) Contents(r *Root) RootSet { return a.contents[r] }

// Site returns the root that o allocates, or nil.
func (a *Aliases) Site(o *ssair.Op) *Root { return a.byOp[o] }

// ParamRoot returns the root of a parameter, or nil.
func (a *Aliases) ParamRoot(p *ssair.Value) *Root { return a.byParam[p] }

// Reach returns the roots in s and all that can be reached through them.
func (a *Aliases) Reach(s RootSet) RootSet {
	out := RootSet{}
	var visit func(r *Root)
	visit = func(r *Root) {
		if out[r] {
			return
		}
		out[r] = true
		for c := range a.contents[r] {
			visit(c)
		}
	}
	for r := range s {
		visit(r)
	}
	return out
}

// Lasting returns the memory that trips of the loop o may share with one another or
// with what is around the loop: all but what a trip makes for itself.
func (a *Aliases) Lasting(o *ssair.Op) RootSet {
	if s, ok := a.lasting[o]; ok {
		return s
	}
	s := RootSet{}
	for _, r := range a.Roots {
		if r.Alloc == nil || !slices.ContainsFunc(o.Regions, func(in *ssair.Region) bool { return in.Contains(r.Alloc.Parent) }) {
			s[r] = true
		}
	}
	for _, v := range o.Results { // what is carried
		s.addAll(a.pts[v])
	}
	s = a.Reach(s)
	if a.lasting == nil {
		a.lasting = map[*ssair.Op]RootSet{}
	}
	a.lasting[o] = s
	return s
}

func (a *Aliases) add(v *ssair.Value, s RootSet) {
	if v == nil || len(s) == 0 || !ssair.HoldsRef(v.Type) {
		return
	}
	if a.pts[v] == nil {
		a.pts[v] = RootSet{}
	}
	if a.pts[v].addAll(s) {
		a.changed = true
	}
}

func (a *Aliases) fill(s, what RootSet) {
	if len(what) == 0 {
		return
	}
	for r := range s {
		if r.holdsRefs() {
			a.hold(r, what)
			if r.isStruct() && include(a.loose, r, what) {
				a.grows(r)
			}
		}
	}
}

// hold lets references in the memory of r point to what.
func (a *Aliases) hold(r *Root, what RootSet) {
	if include(a.contents, r, what) {
		a.grows(r)
	}
}

// grows takes note that the memory of r may hold more than before.
func (a *Aliases) grows(r *Root) {
	a.grown[r]++
	a.growth++
	a.changed = true
}

// include adds s to the set of key and reports whether that grew.
func include[K comparable](m map[K]RootSet, key K, s RootSet) bool {
	if m[key] == nil {
		m[key] = RootSet{}
	}
	return m[key].addAll(s)
}

func (a *Aliases) site(o *ssair.Op) *Root {
	r := a.byOp[o]
	if r == nil {
		r = a.root(&Root{Alloc: o})
		a.byOp[o] = r
		a.changed = true
	}
	return r
}

// addError gives the result r of the call o, if it is an error, memory of its own,
// which holds what. So it can be told from what the callee stores elsewhere.
func (a *Aliases) addError(o *ssair.Op, r *ssair.Value, what RootSet) {
	if !ssair.IsErrorType(r.Type) {
		return
	}
	root := a.byError[o]
	if root == nil {
		root = a.root(&Root{Alloc: o, Error: true})
		a.byError[o] = root
		a.changed = true
	}
	a.add(r, RootSet{root: true})
	a.fill(RootSet{root: true}, what)
}

func (a *Aliases) held(s RootSet) RootSet {
	out := RootSet{}
	for r := range s {
		out.addAll(a.contents[r])
	}
	return out
}

func (a *Aliases) op(o *ssair.Op) {
	switch o.Kind {
	case ssair.Alloc, ssair.MakeSlice, ssair.MakeMap, ssair.MapKeys:
		a.add(o.Result(), RootSet{a.site(o): true})
	case ssair.ZeroLike:
		s := RootSet{a.site(o): true}
		a.add(o.Result(), s)
		a.fill(s, s)
	case ssair.Global:
		r := a.byObj[o.Obj]
		if r == nil {
			r = a.root(&Root{Obj: o.Obj})
			a.byObj[o.Obj] = r
			deep := a.root(&Root{Obj: o.Obj, Deep: true})
			a.contents[r] = RootSet{deep: true}
			a.contents[deep] = RootSet{deep: true}
		}
		a.add(o.Result(), RootSet{r: true})
	case ssair.Append, ssair.AppendSlice:
		all := RootSet{a.site(o): true}
		if !empty(o.Args[0]) { // what has no capacity is not shared
			all.addAll(a.pts[o.Args[0]])
		}
		a.add(o.Result(), all)
		// The elements that were there, and the new ones.
		a.fill(all, a.held(a.pts[o.Args[0]]))
		for _, v := range o.Args[1:] {
			if o.Kind == ssair.AppendSlice {
				a.fill(all, a.held(a.pts[v]))
			} else {
				a.fill(all, a.pts[v])
			}
		}
	case ssair.MakeIface:
		if ssair.IsRef(o.Args[0].Type) {
			a.add(o.Result(), a.pts[o.Args[0]])
			break
		}
		// The interface points to a box that holds the value.
		s := RootSet{a.site(o): true}
		a.add(o.Result(), s)
		a.fill(s, a.pts[o.Args[0]])
	case ssair.TypeAssert:
		if ssair.IsRef(o.Result().Type) {
			a.add(o.Result(), a.pts[o.Args[0]])
		} else {
			a.add(o.Result(), a.held(a.pts[o.Args[0]]))
		}
	case ssair.Addr, ssair.Slice, ssair.Conv, ssair.Extract, ssair.Stop, ssair.Build, ssair.Bin, ssair.Apply:
		for _, v := range o.Args {
			if v != nil {
				for _, r := range o.Results {
					a.add(r, a.pts[v])
				}
			}
		}
	case ssair.Load:
		a.add(o.Result(), a.loaded(o))
	case ssair.Store, ssair.Accum:
		a.store(o)
	case ssair.MapGet:
		a.add(o.Results[0], a.held(a.pts[o.Args[0]]))
	case ssair.MapSet:
		a.fill(a.pts[o.Args[0]], a.pts[o.Args[1]])
		a.fill(a.pts[o.Args[0]], a.pts[o.Args[2]])
	case ssair.Copy:
		a.fill(a.pts[o.Args[0]], a.held(a.pts[o.Args[1]]))
	case ssair.If:
		for _, r := range o.Regions {
			if t := r.Term(); t != nil && t.Kind == ssair.Yield {
				for k, v := range t.Args {
					a.add(o.Results[k], a.pts[v])
				}
			}
		}
	case ssair.Loop:
		a.loop(o)
	case ssair.Call, ssair.Opaque, ssair.JVP, ssair.Grad, ssair.MakeClosure:
		if o.Reads() || o.Alters && ReadsOnly(o) { // what it returns is its own
			for _, r := range o.Results {
				if ssair.HoldsRef(r.Type) {
					a.add(r, RootSet{a.site(o): true})
					a.addError(o, r, nil)
				}
			}
			break
		}
		// The callee may store any argument into any other, unless it stores none,
		// and return any.
		s := RootSet{}
		for _, v := range o.Args {
			s.addAll(a.pts[v])
		}
		all := a.Reach(s)
		refs := false
		for _, r := range o.Results {
			refs = refs || ssair.HoldsRef(r.Type)
		}
		links := o.Kind == ssair.Opaque && storesRefs(o) || o.Kind == ssair.Call && a.links(o.Callee)
		if refs || links && len(all) > 0 {
			all[a.site(o)] = true
		}
		if links {
			if len(all) > 0 {
				a.site(o).Stored = true
			}
			a.mix(all)
		} else if refs && (o.Kind == ssair.Call || o.Kind == ssair.Opaque) {
			a.fill(RootSet{a.site(o): true}, all) // what is returned may hold arguments
		}
		for _, r := range o.Results {
			a.add(r, all)
			a.addError(o, r, all)
		}
	}
}

// links reports whether f, or a function that it calls, stores references.
func (a *Aliases) links(f *ssair.Func) bool {
	found, done := a.linking[f]
	if done {
		return found
	}
	seen := map[*ssair.Func]bool{}
	var visit func(f *ssair.Func)
	visit = func(f *ssair.Func) {
		if seen[f] || found {
			return
		}
		seen[f] = true
		f.Body.Walk(func(o *ssair.Op) bool {
			switch o.Kind {
			case ssair.Store, ssair.Accum, ssair.Copy, ssair.Append, ssair.AppendSlice:
				// A variable of f itself links nothing to what f is given.
				found = found || ssair.HoldsRef(stored(o)) && (o.Args[0].Def == nil || o.Args[0].Def.Kind != ssair.Alloc)
			case ssair.Opaque:
				found = found || storesRefs(o)
			case ssair.MapSet, ssair.JVP, ssair.Grad, ssair.MakeClosure:
				found = true
			case ssair.Call:
				visit(o.Callee)
			}
			return !found
		})
	}
	visit(f)
	a.linking[f] = found
	return found
}

func (a *Aliases) loop(o *ssair.Op) {
	first := 0
	if o.Loop.Break {
		first = 1
	}
	for k, r := range o.Results {
		flow := []*ssair.Value{o.Args[k]}
		if t := o.BodyRegion().Term(); t != nil && t.Kind == ssair.Yield {
			flow = append(flow, t.Args[first+k])
		}
		if t := o.Post().Term(); t != nil && t.Kind == ssair.Yield {
			flow = append(flow, t.Args[k])
		}
		for _, v := range flow {
			for _, g := range o.Regions {
				a.add(g.Params[k], a.pts[v])
			}
			a.add(r, a.pts[v])
		}
	}
}

// MayAlias reports whether places of type t and u, reached from the references
// x and y, can be the same memory. Parameters of one space may share memory.
func (a *Aliases) MayAlias(x *ssair.Value, t types.Type, y *ssair.Value, u types.Type) bool {
	if !Overlap(t, u) {
		return false
	}
	px, py := a.pts[x], a.pts[y]
	if len(px) == 0 || len(py) == 0 {
		return false // nil references
	}
	return MayMeet(px, py)
}

// MayMeet reports whether memory of x and of y can be the same.
func MayMeet(x, y RootSet) bool {
	for r := range x {
		for s := range y {
			if rootsMeet(r, s) {
				return true
			}
		}
	}
	return false
}

// MayShare reports whether memory that can be reached from x may be memory that can be
// reached from y.
func (a *Aliases) MayShare(x, y *ssair.Value) bool {
	for r := range a.Reach(a.pts[x]) {
		for s := range a.Reach(a.pts[y]) {
			if rootsMeet(r, s) {
				return true
			}
		}
	}
	return false
}

func rootsMeet(r, s *Root) bool {
	if r == s {
		return true
	}
	// Memory of the caller: parameters of one space, and what they reach.
	if r.Param != nil && s.Param != nil {
		return r.Param.Space == s.Param.Space
	}
	outer := func(x *Root) bool {
		return x.Param != nil && x.Param.Space == 0 || x.Obj != nil || x.Alloc != nil && (x.Alloc.Kind == ssair.Call || x.Alloc.Kind == ssair.Opaque)
	}
	if r.Obj != nil && s.Obj != nil && !r.Deep && !s.Deep {
		return r.Obj == s.Obj
	}
	return outer(r) && outer(s)
}

// Overlap reports whether memory of type t can be part of memory of type u, or
// the other way round.
func Overlap(t, u types.Type) bool {
	if t == nil || u == nil {
		return true
	}
	return contains(t, u) || contains(u, t)
}

func contains(t, part types.Type) bool {
	if types.Identical(t, part) || types.Identical(t.Underlying(), part.Underlying()) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if contains(u.Field(i).Type(), part) {
				return true
			}
		}
	case *types.Array:
		return contains(u.Elem(), part)
	case *types.Interface:
		if _, ok := types.Unalias(t).(*types.TypeParam); ok {
			return true
		}
	}
	return false
}

// All returns every reference of the function with what it may point to.
func (a *Aliases) All() map[*ssair.Value]RootSet { return a.pts }
