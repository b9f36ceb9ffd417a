package pass

import "github.com/quabla/quabla/ssair"

// Inline replaces the call o by the body of its callee, which must end in a
// return.
func Inline(o *ssair.Op) {
	r := o.Parent
	b := ssair.NewBuilder(r)
	b.Before = o
	m := ssair.ValueMap{}
	for i, p := range o.Callee.Params {
		m[p] = o.Args[i]
	}
	repl := map[*ssair.Value]*ssair.Value{}
	for _, x := range o.Callee.Body.Ops {
		if x.Kind == ssair.Return {
			for k, v := range x.Args {
				w := m.Get(v)
				if w.Var == nil && w.Def != nil && !isConstant(w) {
					w.Var = o.Results[k].Var
				}
				repl[o.Results[k]] = w
			}
			break
		}
		b.CloneOp(x, m)
		if x.Kind == ssair.Unreachable {
			// Nothing behind it runs.
			i := indexOfOp(r.Ops, o)
			r.Ops = r.Ops[:i]
			return
		}
	}
	o.Remove()
	r.Func.Body.ReplaceAll(repl)
}

func isConstant(v *ssair.Value) bool { return v.Def.Kind == ssair.Const || v.Def.Kind == ssair.Zero }

func indexOfOp(ops []*ssair.Op, o *ssair.Op) int {
	for i, x := range ops {
		if x == o {
			return i
		}
	}
	return -1
}
