package lift

import (
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// sort lifts the sorting of a slice of floats as what it does to derivatives: a
// permutation, which is found first and then carried out.
func (fr *frame) sort(args []val) ([]val, bool) {
	x := args[0].v
	if len(args) != 1 || x == nil {
		return nil, false
	}
	s, ok := x.Type.Underlying().(*types.Slice)
	argsort := fr.l.Env.Runtime("Argsort")
	if !ok || !ssair.IsFloat(s.Elem()) || argsort == nil {
		return nil, false
	}
	b := fr.b
	elem := []ssair.Step{ssair.Elem}
	o := b.Op(ssair.Opaque, []*ssair.Value{x}, types.NewSlice(ssair.Int))
	o.Obj = argsort
	perm := o.Result()
	perm.Var = &ssair.Var{Name: "perm"}
	old := b.MakeSlice(x.Type, b.Len(x), nil)
	old.Var = &ssair.Var{Name: "unsorted"}
	b.Op(ssair.Copy, []*ssair.Value{old, x}, ssair.Int)
	b.Each(b.Len(x), "i", func(i *ssair.Value) {
		b.Store(x, elem, b.Load(old, elem, b.Load(perm, elem, i)), i)
	})
	return []val{}, true
}
