package lift

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// callAs calls the function that stands for fn. Where that calls fn itself, for its
// value, it is a plain call.
func (fr *frame) callAs(e ast.Node, fn *types.Func, r *RuleSource, targs []types.Type, args []val) []val {
	src := fr.l.Env.Source(r.As)
	if src == nil || src.Decl.Body == nil {
		fr.refuse(e, "", "the body of the rule %s of %s cannot be read", r.As.FullName(), fn.FullName())
	}
	if tps := r.As.Signature().TypeParams(); tps.Len() == 2 && len(targs) == 0 && fn.Signature().TypeParams().Len() == 0 {
		// sort.Slice takes its slice as any; the rule takes a slice.
		x := boxed(args[0].v)
		if x == nil || !isSlice(x.Type) {
			fr.refuse(e, "", "cannot differentiate the call of %s: the type of its argument is not known", fn.FullName())
		}
		args = append([]val{{v: x}}, args[1:]...)
		targs = []types.Type{x.Type, ssair.ElemType(x.Type)}
	} else if want, got := fr.l.plainSignature(fn), fr.l.plainSignature(r.As); want != got {
		pos, end := r.At(r.As)
		fr.l.refuse(Refusal{Pos: pos, End: end, Message: fmt.Sprintf("the rule %s of %s is %s; it must be %s", r.As.Name(), fn.Name(), got, want)})
		fr.root.failed = true
		panic(refusal{})
	}
	fr.l.bare[fn], fr.l.plain[fn] = true, true
	defer func() {
		delete(fr.l.bare, fn)
		delete(fr.l.plain, fn)
	}()
	return fr.callFunc(e, r.As, targs, args)
}

// plainSignature spells the signature of fn with its receiver as the first parameter
// and without names.
func (l *Lifter) plainSignature(fn *types.Func) string {
	w := layoutOf(fn)
	for _, fields := range [][]field{w.params, w.results} {
		for i := range fields {
			fields[i].name, fields[i].typ = "", l.locals.typ(fields[i].typ)
		}
	}
	return w.String()
}
