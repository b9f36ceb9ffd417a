package emit

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// Deferred is the text of an Opaque that calls rt.Arena.Release when the function ends, with
// the mark of the place where it stands.
const Deferred = "defer"

// FromWork reports whether o takes its memory from a work space. Its text tells how.
func FromWork(o *ssair.Op) bool {
	switch o.Kind {
	case ssair.MakeSlice, ssair.Alloc, ssair.Append:
		return strings.HasPrefix(o.Text, "ws")
	}
	return false
}

func (w *writer) call(o *ssair.Op) expr {
	args := o.Args
	fn := ""
	variadic := false
	switch {
	case o.Kind == ssair.Call && w.file.printed(o.Callee):
		fn = w.file.nameOf(o.Callee)
	case o.Kind == ssair.Call:
		// A function of the source.
		if o.Callee.Obj.Signature().Recv() != nil {
			fn = w.memory(args[0]) + "." + o.Callee.Obj.Name()
			args = args[1:]
		} else {
			fn = w.object(o.Callee.Obj) + w.im.list(o.Callee.TypeArgs)
		}
		variadic = o.Callee.Obj.Signature().Variadic()
	case o.Obj == nil:
		fn = w.value(args[0]).paren(precPrimary)
		args = args[1:]
	default:
		f := o.Obj.(*types.Func)
		variadic = f.Signature().Variadic()
		if f.Signature().Recv() != nil {
			fn = w.memory(args[0]) + "." + f.Name()
			if d := args[0].Def; isCell(args[0]) || d != nil && d.Kind == ssair.Addr && w.p.inline[args[0]] {
				fn = w.place(args[0], nil, nil).paren(precPrimary) + "." + f.Name()
			}
			args = args[1:]
			if o.Text == Deferred {
				mark := strings.TrimSuffix(fn, f.Name()) + "Mark()"
				return primary("defer %s(%s)", fn, mark)
			}
		} else {
			fn = w.object(f)
		}
	}
	var ss []string
	for i, a := range args {
		switch parts := w.spread[a]; {
		case isZero(a) && generic(o) && ssair.Deref(a.Type) != nil: // its type counts
			ss = append(ss, fmt.Sprintf("(%s)(nil)", w.im.typ(a.Type)))
		case !variadic || i < len(args)-1:
			ss = append(ss, w.str(a))
		case parts != nil:
			for _, p := range parts {
				if d := p.Def; w.p.inline[p] && d.Kind == ssair.Conv && types.IsInterface(p.Type) {
					p = d.Args[0] // passing it converts it
				}
				ss = append(ss, w.str(p))
			}
		case !isZero(a):
			ss = append(ss, w.str(a)+"...")
		}
	}
	call := fmt.Sprintf("%s(%s)", fn, strings.Join(ss, ", "))
	if o.Caught {
		return w.caught(o, call)
	}
	return primary("%s", call)
}

// generic reports whether o calls a generic function without receiver.
func generic(o *ssair.Op) bool {
	f, ok := o.Obj.(*types.Func)
	return ok && f.Signature().TypeParams().Len() > 0
}

// caught prints a call that returns what it panics with.
func (w *writer) caught(o *ssair.Op, call string) expr {
	n := len(o.Results) - 1
	if n == 0 {
		return primary("%s.Fault(func() { %s })", w.rt(), call)
	}
	ts := make([]string, n)
	for i, r := range o.Results[:n] {
		ts[i] = w.im.typ(r.Type)
	}
	result := strings.Join(ts, ", ")
	if n > 1 {
		result = "(" + result + ")"
	}
	return primary("%s.Caught%d(func() %s { return %s })", w.rt(), n, result, call)
}

// closure prints a function literal that calls the function of o with what is
// bound in front of its own parameters.
func (w *writer) closure(o *ssair.Op) expr {
	method := !w.file.printed(o.Callee) && o.Callee.Obj != nil && o.Callee.Obj.Signature().Recv() != nil
	if method && len(o.Args) == 1 {
		return primary("%s.%s", w.memory(o.Args[0]), o.Callee.Obj.Name())
	}
	taken := map[string]bool{}
	var args []string
	for _, a := range o.Args {
		s := w.str(a)
		taken[s] = true
		args = append(args, s)
	}
	sig := o.Result().Type.Underlying().(*types.Signature)
	rest := w.file.paramsOf(o.Callee)[len(o.Args):]
	names := make([]string, len(rest))
	for i, p := range rest {
		name := p.Name()
		for k := 2; taken[name]; k++ {
			name = fmt.Sprintf("%s%d", p.Name(), k)
		}
		taken[name] = true
		names[i] = name
	}
	fn, args := w.file.nameOf(o.Callee), append(args, names...)
	if method {
		fn, args = w.memory(o.Args[0])+"."+o.Callee.Obj.Name(), args[1:]
	}
	call := fmt.Sprintf("%s(%s)", fn, strings.Join(args, ", "))
	if len(o.Callee.Results) > 0 {
		call = "return " + call
	}
	results := ""
	if n := sig.Results().Len(); n > 0 {
		var rs []string
		for v := range sig.Results().Variables() {
			rs = append(rs, v.Name()+" "+w.im.typ(v.Type()))
		}
		results = " (" + strings.Join(rs, ", ") + ")"
	}
	return primary("func(%s)%s {\n%s\n}", w.fields(names, rest), results, call)
}
