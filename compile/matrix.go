package compile

import (
	"fmt"
	"go/constant"
	"go/types"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/deriv"
	"github.com/quabla/quabla/ssair"
)

// matrixForm says how the matrix parameter of sig, of a type of gonum/mat, is
// filled.
func (u *unit) matrixForm(sig *analyze.Derived) (deriv.MatrixForm, error) {
	var slot analyze.Slot
	for _, s := range sig.Params {
		if s.Role == analyze.Matrix {
			slot = s
		}
	}
	set := "Set"
	if sig.Verb == analyze.Hessian {
		set = "SetSym"
	}
	obj, _, _ := types.LookupFieldOrMethod(slot.Type, true, nil, set)
	method, ok := obj.(*types.Func)
	if !ok {
		return deriv.MatrixForm{}, fmt.Errorf("%s has no method %s", slot.Type, set)
	}
	resize := u.rt("Resize").(*types.Func)
	call := func(b *ssair.Builder, f *types.Func, args ...*ssair.Value) {
		o := b.Op(ssair.Opaque, args)
		o.Obj = f
	}
	return deriv.MatrixForm{
		Type: slot.Type,
		Resize: func(b *ssair.Builder, m, rows, cols *ssair.Value) {
			what := b.Const(constant.MakeString(fmt.Sprintf("%s.%s: %s", u.env.pkg.Types.Name(), u.req.Name, slot.Name)), ssair.String)
			call(b, resize, what, m, rows, cols)
		},
		Set: func(b *ssair.Builder, m, i, j, v *ssair.Value) { call(b, method, m, i, j, v) },
	}, nil
}
