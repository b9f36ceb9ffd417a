package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// A Fresh describes the form of a function that makes the destinations it writes
// and returns them.
type Fresh struct {
	Name, Doc string
	Makes     []Make
	// Results are the results of the form in their order: Dest is one that it makes,
	// else Result is the number of one that the function has.
	Results []FreshResult
}

// A Make is a destination, made like a parameter or, if Like is nil, as an empty
// value for the function to size.
type Make struct{ Dest, Like *ssair.Value }

// A FreshResult is a result of a Fresh.
type FreshResult struct {
	Dest   *ssair.Value
	Result int
}

// fresh prints the form of fn that makes its destinations.
func (w *writer) fresh(fn *Func, params []string) string {
	f := fn.Fresh
	name := map[*ssair.Value]string{}
	for i, p := range fn.IR.Params {
		name[p] = params[i]
	}
	made := func(p *ssair.Value) bool {
		return slices.ContainsFunc(f.Makes, func(m Make) bool { return m.Dest == p })
	}
	var outer, args, values []string
	var ps, rs []*ssair.Value
	for i, p := range fn.IR.Params {
		if fn.Pool != nil && p == fn.Pool.Param {
			continue
		}
		if !made(p) {
			outer, ps = append(outer, params[i]), append(ps, p)
		}
		if !(fn.Recv && i == 0) {
			args = append(args, params[i])
		}
	}
	for _, r := range f.Results {
		if r.Dest != nil {
			values, rs = append(values, name[r.Dest]), append(rs, r.Dest)
		} else {
			values, rs = append(values, fn.Results[r.Result]), append(rs, &ssair.Value{Type: fn.IR.Results[r.Result].Type})
		}
	}
	var b strings.Builder
	b.WriteString(comment(f.Doc))
	head := &Func{IR: &ssair.Func{}, Recv: fn.Recv, TypeParams: fn.TypeParams}
	fmt.Fprintf(&b, "%s (%s) {\n", w.signature(head, f.Name, outer, ps), w.fields(values, rs))
	for _, m := range f.Makes {
		switch {
		case m.Like == nil:
			fmt.Fprintf(&b, "\t%s = &%s{}\n", name[m.Dest], strings.TrimPrefix(w.im.typ(m.Dest.Type), "*"))
		case ssair.Deref(m.Dest.Type) != nil && ssair.Deref(m.Like.Type) == nil:
			fmt.Fprintf(&b, "\t%s = %s.Like(&%s)\n", name[m.Dest], w.im.name("github.com/quabla/quabla/rt", "rt"), name[m.Like])
		default:
			fmt.Fprintf(&b, "\t%s = %s.Like(%s)\n", name[m.Dest], w.im.name("github.com/quabla/quabla/rt", "rt"), name[m.Like])
		}
	}
	call := fmt.Sprintf("%s(%s)", fn.Name, strings.Join(args, ", "))
	if fn.Recv {
		call = outer[0] + "." + call
	}
	if len(fn.Results) > 0 {
		call = strings.Join(fn.Results, ", ") + " = " + call
	}
	fmt.Fprintf(&b, "\t%s\n\treturn %s\n}\n", call, strings.Join(values, ", "))
	return b.String()
}
