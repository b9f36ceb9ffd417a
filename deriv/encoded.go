package deriv

import (
	"fmt"
	"go/types"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

// A number that is printed and read again has lost its derivative on the way. So
// what a function without derivative makes of an active value is encoded, text
// and bits above all, and so is what is computed from that. A function without
// derivative that makes numbers of it again is refused, see checkOpaque.

// encode marks v as computed from an active value by a function without
// derivative. Bools and errors are not followed: they decide, but carry nothing.
func (a *activity) encode(v *ssair.Value) {
	if !a.encoded[v] && !ssair.IsBool(v.Type) && !ssair.IsErrorType(v.Type) {
		a.encoded[v] = true
		a.changed = true
	}
}

func (a *activity) encodeRoots(s pass.RootSet) {
	for r := range s {
		if !a.encodedRoot[r] {
			a.encodedRoot[r] = true
			a.changed = true
		}
	}
}

// hasText reports whether v is encoded, or refers to memory that holds what is.
func (a *activity) hasText(v *ssair.Value) bool {
	if v == nil {
		return false
	}
	if a.encoded[v] {
		return true
	}
	if !ssair.HoldsRef(v.Type) || len(a.encodedRoot) == 0 {
		return false
	}
	for r := range a.al.Reach(a.al.Pts(v)) {
		if a.encodedRoot[r] {
			return true
		}
	}
	return false
}

// followText takes encoded values through o.
func (a *activity) followText(o *ssair.Op) {
	any := false
	for _, v := range o.Args {
		any = any || v != nil && a.encoded[v]
	}
	if any {
		for _, r := range o.Results {
			a.encode(r)
		}
	}
	into := func(base, v *ssair.Value) {
		// A number in between has a derivative of its own: zero, if it was an
		// int before.
		if a.encoded[v] && !ssair.IsScalar(v.Type) {
			a.encodeRoots(a.al.Pts(base))
		}
	}
	from := func(base, v *ssair.Value) {
		for r := range a.al.Pts(base) {
			if a.encodedRoot[r] {
				a.encode(v)
			}
		}
	}
	switch o.Kind {
	case ssair.Load:
		from(o.Base(), o.Result())
	case ssair.Store:
		into(o.Base(), o.Stored())
	case ssair.Append:
		for _, v := range o.Args[1:] {
			into(o.Result(), v)
		}
		from(o.Args[0], o.Result())
	case ssair.AppendSlice:
		from(o.Args[0], o.Result())
		from(o.Args[1], o.Result())
		into(o.Result(), o.Args[1])
	case ssair.Copy:
		for r := range a.al.Pts(o.Args[1]) {
			if a.encodedRoot[r] {
				a.encodeRoots(a.al.Pts(o.Args[0]))
			}
		}
		into(o.Args[0], o.Args[1])
	case ssair.MapGet:
		from(o.Args[0], o.Results[0])
	case ssair.MapSet:
		into(o.Args[0], o.Args[1])
		into(o.Args[0], o.Args[2])
	case ssair.MakeIface:
		into(o.Result(), o.Args[0])
	case ssair.TypeAssert, ssair.Conv: // of bytes to a string
		from(o.Args[0], o.Result())
	case ssair.If:
		for _, r := range o.Regions {
			if t := r.Term(); t.Kind == ssair.Yield {
				for k, v := range t.Args {
					if a.encoded[v] {
						a.encode(o.Results[k])
					}
				}
			}
		}
	case ssair.Loop:
		a.carried(o, func(from, to *ssair.Value) {
			if a.encoded[from] {
				a.encode(to)
			}
		})
	case ssair.Call:
		active := false
		for _, v := range o.Args {
			active = active || a.touches(v) || a.hasText(v)
		}
		if active {
			for _, r := range o.Results {
				if isText(r.Type) {
					a.encode(r)
				}
			}
		}
	case ssair.Opaque:
		if o.Plain {
			return
		}
		active := a.reads(o)
		for _, v := range o.Args {
			active = active || a.touches(v) || a.hasText(v)
		}
		if !active {
			return
		}
		a.write(o)
		for _, r := range o.Results {
			a.encode(r)
		}
		into := o.Args
		if pass.ReadsOnly(o) {
			if !writesText(o) {
				return
			}
			into = into[:1]
		}
		for _, v := range into {
			if v == nil || !ssair.HoldsRef(v.Type) {
				continue
			}
			for r := range a.al.Reach(a.al.Pts(v)) {
				if !holdsNumbers(r) {
					a.encodeRoots(pass.RootSet{r: true})
				}
			}
		}
	}
}

// write notes that o writes what is encoded to a file, or to something else outside, if it
// does.
func (a *activity) write(o *ssair.Op) {
	to := external(o)
	if writesText(o) {
		for r := range a.al.Reach(a.al.Pts(o.Args[0])) {
			to = to || r.Alloc != nil && r.Alloc.Kind == ssair.Opaque && external(r.Alloc)
		}
	}
	if to && !a.wrote[o] {
		a.wrote[o], a.changed = true, true
	}
}

// isText reports whether values of type t are strings or bytes.
func isText(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Slice:
		e, ok := u.Elem().Underlying().(*types.Basic)
		return ok && (e.Info()&types.IsString != 0 || e.Kind() == types.Byte || e.Kind() == types.Rune)
	}
	return false
}

// checkText looks for functions without derivative that make numbers of what is
// encoded, in f and in the functions that f passes it on to.
func (a *activity) checkText(seen map[string]bool) {
	a.f.Body.Walk(func(o *ssair.Op) bool {
		switch o.Kind {
		case ssair.Opaque:
			a.checkOpaque(o)
		case ssair.TypeAssert:
			a.checkAssert(o)
		case ssair.Call:
			text := make([]bool, len(o.Args))
			any := false
			for i, v := range o.Args {
				text[i] = a.hasText(v)
				any = any || text[i]
			}
			key := fmt.Sprintf("%p %v", o.Callee, text)
			if !any || seen[key] {
				break
			}
			seen[key] = true
			in := newActivity(o.Callee)
			for i, p := range o.Callee.Params {
				if text[i] {
					in.encoded[p] = true
					for r := range in.al.Reach(in.al.Pts(p)) {
						in.encodedRoot[r] = true
					}
				}
			}
			in.fix(in.followText, false)
			in.checkText(seen)
		}
		return true
	})
}
