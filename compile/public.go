package compile

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// shell turns the function of the unit into its public form: with checks, and
// with a work space if it needs memory.
func (u *unit) shell() {
	u.checks()
	pass.Tidy(u.fn)
	pass.Spell(u.fn)
	u.workspace()
}

// helperName returns the name of a helper function.
func (u *unit) helperName(f *ssair.Func) string {
	if n, ok := u.names[f]; ok {
		return n
	}
	n := strings.ReplaceAll(f.Name, ".", "")
	r := []rune(n)
	r[0] = unicode.ToLower(r[0])
	n = string(r)
	if !strings.HasPrefix(n, lower(u.req.Name)) {
		r[0] = unicode.ToUpper(r[0])
		n = lower(u.req.Name) + string(r)
	}
	// Functions that are derived in two ways get a number.
	base := n
	for k := 2; u.used[n]; k++ {
		n = fmt.Sprintf("%s%d", base, k)
	}
	u.used[n] = true
	u.names[f] = n
	return n
}

func (u *unit) helperDoc(f *ssair.Func) string {
	name := u.helperName(f)
	of := ""
	if f.Obj != nil {
		of = f.Obj.Name()
	}
	switch {
	case name == lower(u.req.Name)+"Back":
		return fmt.Sprintf("%s is the function that %s returns, with what it is bound to in front.", name, u.req.Name)
	case strings.HasSuffix(name, "Aug"):
		return fmt.Sprintf("%s runs %s and records what %s needs.", name, of, u.reverseOf(name))
	case strings.HasSuffix(name, "Pull"):
		return fmt.Sprintf("%s is the reverse sweep of one call of %s: it takes the adjoints of the\nresults and returns those of the arguments.", name, of)
	case strings.Contains(name, "JVP"):
		return fmt.Sprintf("%s is %s with tangents.", name, of)
	}
	return name + " is a helper of " + u.req.Name + "."
}

// reverseOf returns the name of the function that reads what the augmented primal
// aug records.
func (u *unit) reverseOf(aug string) string {
	if aug == lower(u.req.Name)+"Aug" {
		return lower(u.req.Name) + "Back"
	}
	return strings.TrimSuffix(aug, "Aug") + "Pull"
}

// doc writes the comment of the public function.
func (u *unit) doc() string {
	req, sig := u.req, u.req.Derived
	name := req.Name
	of := "[" + req.Func.Name() + "]"
	if sig.Recv != nil {
		of = "[" + recvName(sig.Recv.Type) + "." + req.Func.Name() + "]"
	}
	var s []string
	add := func(format string, args ...any) { s = append(s, fmt.Sprintf(format, args...)) }
	dests, bars, dots := slotNames(sig.All(), analyze.Adjoint, analyze.Product), slotNames(sig.All(), analyze.Cotangent), slotNames(sig.All(), analyze.Tangent)
	values := slotNames(sig.Results, analyze.Adjoint, analyze.Product)
	store := func(what string) string {
		parts := []string{}
		if len(dests) > 0 {
			verb := "overwriting what was there"
			if req.Add {
				verb = "adding to what was there"
			}
			parts = append(parts, fmt.Sprintf("stores %s in %s, %s", what, list(dests), verb))
		}
		if len(values) > 0 {
			parts = append(parts, fmt.Sprintf("returns %s as %s", what, list(values)))
		}
		return strings.Join(parts, ", and ")
	}
	wrt := u.wrtNames()
	switch req.Verb {
	case analyze.Grad:
		add("%s computes %s and its gradient with respect to %s: it returns the value and %s.", name, of, wrt, store("the derivatives"))
	case analyze.HVP:
		add("%s computes the product of the Hessian of %s with respect to %s and the direction %s: it returns the value and %s.",
			name, of, wrt, list(slotNames(sig.All(), analyze.Direction)), store("the product"))
	case analyze.VJP:
		add("%s computes %s and its vector-Jacobian product with respect to %s for the cotangents %s: it %s.", name, of, wrt, list(bars), store("the product"))
	case analyze.Pullback:
		pb := sig.Results[len(sig.Results)-1]
		for _, r := range sig.Results {
			if r.Role == analyze.PullbackFunc {
				pb = r
			}
		}
		add("%s computes %s and returns its %s with respect to %s: a function that takes the cotangents of the results and computes the product with the Jacobian from the left.", name, of, pb.Name, wrt)
		add("It can be called repeatedly, by one goroutine at a time, and owns what it needs: the parameters may change before.")
	case analyze.JVP:
		add("%s computes %s and its derivative in the direction of the tangents %s.", name, of, list(dots))
	case analyze.Jacobian:
		add("%s stores the Jacobian matrix of %s with respect to %s in %s, which must be empty or have the right size:", name, of, wrt, list(slotNames(sig.All(), analyze.Matrix)))
		add("one row for each float of %s, one column for each float of %s, in order of parameters, indices and fields.", list(u.outNames()), wrt)
	case analyze.Hessian:
		add("%s computes %s and stores its Hessian matrix with respect to %s in %s, which must be empty or have the right size:", name, of, wrt, list(slotNames(sig.All(), analyze.Matrix)))
		add("one row and one column for each float of %s, in order of parameters, indices and fields.", wrt)
	case analyze.Value:
		add("%s is %s with its inner derivatives compiled.", name, of)
	default:
		add("%s is %s.", name, strings.TrimPrefix(req.For(), "the "))
	}
	if u.panics() {
		add("It panics if shapes disagree or if what it writes to shares memory with another parameter.")
	}
	switch {
	case u.work != nil:
		add("Its memory comes from a pool; %s takes a work space of the caller.", req.InName)
	case !u.allocates():
		add("It does not allocate.")
	}
	return wrap(strings.Join(s, " "), 76)
}

func (u *unit) wrtNames() string {
	var names []string
	for _, i := range u.req.Derived.Wrt {
		names = append(names, u.req.Expr.Fn.Sig.All()[i].Name)
	}
	return list(names)
}

// outNames returns the names of the outputs that are differentiated.
func (u *unit) outNames() []string {
	var names []string
	for _, o := range u.req.Derived.Of {
		if o.Param {
			names = append(names, u.req.Expr.Fn.Sig.All()[o.Index].Name)
		} else {
			names = append(names, u.req.Expr.Fn.Sig.Results[o.Index].Name)
		}
	}
	return names
}

// panics reports whether the public function checks its parameters.
func (u *unit) panics() bool {
	for _, o := range u.fn.Body.Ops {
		if o.Kind == ssair.Opaque && o.Obj != nil && strings.HasPrefix(o.Obj.Name(), "NoOverlap") {
			return true
		}
		if o.Kind == ssair.If && o.Regions[0].Term().Kind == ssair.Unreachable && o.Pos == u.req.Pos {
			return true
		}
	}
	return false
}

// allocates reports whether the functions of the unit allocate memory that
// grows with the input.
func (u *unit) allocates() bool {
	found := false
	for _, f := range u.reachable() {
		f.Body.Walk(func(o *ssair.Op) bool {
			switch o.Kind {
			case ssair.MakeMap, ssair.Append, ssair.AppendSlice, ssair.MapKeys, ssair.MapSet, ssair.MakeIface, ssair.Opaque, ssair.MakeClosure:
				if o.Kind != ssair.MakeIface && !(o.Kind == ssair.Opaque && o.Obj != nil && o.Obj.Pkg() != nil && o.Obj.Pkg().Path() == rtPath) {
					found = true
				}
			case ssair.MakeSlice:
				found = found || !constSize(o) && o.Text == ""
			case ssair.Alloc:
				found = found || o.Explicit || f != u.fn
			}
			return true
		})
	}
	return found
}

func slotNames(slots []analyze.Slot, roles ...analyze.Role) []string {
	var out []string
	for _, s := range slots {
		for _, r := range roles {
			if s.Role == r {
				out = append(out, s.Name)
			}
		}
	}
	return out
}

// list joins names as English does.
func list(names []string) string {
	switch n := len(names); n {
	case 0:
		return "none"
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// wrap breaks text into lines of at most width bytes.
func wrap(text string, width int) string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(text) {
		if line != "" && len(line)+1+len(w) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	return strings.Join(append(lines, line), "\n")
}
