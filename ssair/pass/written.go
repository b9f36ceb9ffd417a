package pass

import (
	"go/types"
	"slices"

	"github.com/quabla/quabla/ssair"
)

// Written returns the parameters of f, by index, that refer to memory which f
// or a function that it calls changes. Opaque calls are not looked into.
func Written(f *ssair.Func) map[int]bool {
	return written(f, func(*ssair.Op) bool { return true }, anyRoot)
}

// WrittenNumbers returns the parameters of f, by index, that refer to memory in which
// f or a function that it calls changes numbers or references to numbers.
func WrittenNumbers(f *ssair.Func) map[int]bool {
	return written(f, func(o *ssair.Op) bool { return stored(o) == nil || ssair.ReachesScalar(stored(o)) }, anyRoot)
}

// WrittenWhere returns the parameters of f, by index, that refer to memory which f or a
// function that it calls changes with ops that count.
func WrittenWhere(f *ssair.Func, counts func(*ssair.Op) bool) map[int]bool {
	return written(f, counts, anyRoot)
}

// Changed returns the parameters of f, by index, that refer to memory which f or a
// function that it calls changes in such a way that the load or map access r might
// read something else.
func Changed(f *ssair.Func, r *ssair.Op) map[int]bool {
	return written(f, func(o *ssair.Op) bool {
		_, isMap := o.Args[0].Type.Underlying().(*types.Map)
		return (isMap == (r.Kind == ssair.MapGet) || o.Kind == ssair.ClearAll) && Overlap(stored(o), r.Results[0].Type)
	}, anyRoot)
}

func anyRoot(*Root) bool { return true }

// StoredType returns the type of what o, an op that writes, writes, or nil for numbers of
// any type.
func StoredType(o *ssair.Op) types.Type { return stored(o) }

func stored(o *ssair.Op) types.Type {
	switch o.Kind {
	case ssair.Store, ssair.Accum:
		return o.Stored().Type
	case ssair.ClearAll:
		return nil // numbers of any type
	}
	return ssair.ElemType(o.Args[0].Type)
}

// Relinked returns the parameters of f, by index, through which f or a function
// that it calls changes references to numbers: a row of a matrix, a slice in a
// struct, the next node of a list. A struct of numbers with a reference to something else
// counts, too: where it is replaced as a whole, as in a map, no cotangent of its numbers
// follows.
func Relinked(f *ssair.Func) map[int]bool {
	return written(f, func(o *ssair.Op) bool {
		return o.Kind != ssair.ClearAll && ssair.HoldsRef(stored(o)) && ssair.ReachesScalar(stored(o))
	}, func(r *Root) bool {
		ts := r.Memory()
		return ts == nil || slices.ContainsFunc(ts, ssair.HoldsRef)
	})
}

// written returns the parameters whose memory, as far as root reports, an op that counts
// changes.
func written(f *ssair.Func, counts func(*ssair.Op) bool, root func(*Root) bool) map[int]bool {
	w := map[*ssair.Func]map[int]bool{}
	al := map[*ssair.Func]*Aliases{}
	var order []*ssair.Func
	var visit func(f *ssair.Func)
	visit = func(f *ssair.Func) {
		if w[f] != nil {
			return
		}
		w[f], al[f] = map[int]bool{}, FindAliases(f)
		f.Body.Walk(func(o *ssair.Op) bool {
			if o.Callee != nil {
				visit(o.Callee)
			}
			return true
		})
		order = append(order, f)
	}
	visit(f)
	for changed := true; changed; {
		changed = false
		for _, g := range order {
			mark := func(roots RootSet) {
				for r := range roots {
					for i, p := range g.Params {
						if r.Param == p && !w[g][i] && root(r) {
							w[g][i] = true
							changed = true
						}
					}
				}
			}
			g.Body.Walk(func(o *ssair.Op) bool {
				switch o.Kind {
				case ssair.Store, ssair.Accum:
					if counts(o) {
						mark(al[g].Pts(o.Base()))
					}
				case ssair.Append, ssair.AppendSlice:
					if counts(o) && !empty(o.Args[0]) {
						mark(al[g].Pts(o.Args[0]))
					}
				case ssair.Copy, ssair.Clear, ssair.MapSet, ssair.MapDelete:
					if counts(o) {
						mark(al[g].Pts(o.Args[0]))
					}
				case ssair.ClearAll:
					if counts(o) {
						mark(al[g].Reach(al[g].Pts(o.Args[0])))
					}
				case ssair.Call:
					for i := range w[o.Callee] {
						mark(al[g].Reach(al[g].Pts(o.Args[i])))
					}
				}
				return true
			})
		}
	}
	return w[f]
}
