package lift

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quabla/quabla/ssair"
)

// caught returns the function that does what f does, but returns what that panics
// with, or nil, as one more result. Its body is made when f is complete.
func (l *Lifter) caught(f *ssair.Func) *ssair.Func {
	key := fmt.Sprintf("caught %p", f)
	if c := l.funcs[key]; c != nil {
		return c
	}
	c := l.Mod.NewFunc(f.Name + "Caught")
	l.funcs[key], l.strict[c] = c, false
	c.Pos = f.Pos
	for _, r := range f.Results {
		c.Results = append(c.Results, ssair.Result{Type: r.Type})
	}
	c.Results = append(c.Results, ssair.Result{Name: "panicked", Type: ssair.Any})
	m := ssair.ValueMap{}
	for _, p := range f.Params {
		m[p] = c.AddParam(p.Name(), p.Type)
	}
	l.pending = append(l.pending, func() bool {
		b := ssair.NewBuilder(c.Body)
		g := makeGuard(&frame{l: l, name: f.Name, irfn: c, b: b}, b)
		n := len(c.Body.Ops)
		g.recovers = l.strict[c]
		for _, o := range f.Body.Ops {
			b.CloneOp(o, m)
		}
		if t := c.Body.Term(); t.Kind == ssair.Return {
			t.Args = append(t.Args, builderAt(t).Zero(ssair.Any))
		}
		g.cover(c.Body, n)
		if t := c.Body.Term(); t.Kind == ssair.Return {
			t.Args[len(t.Args)-1] = builderAt(t).Load(g.value, nil)
		}
		return !g.failed
	})
	return c
}

// mayPanic reports whether a call of f may panic, as far as is known. It may if f is
// not complete.
func (l *Lifter) mayPanic(f *ssair.Func) bool { return l.panics(f, map[*ssair.Func]bool{}) }

func (l *Lifter) panics(f *ssair.Func, seen map[*ssair.Func]bool) bool {
	if _, returns := l.strict[f]; seen[f] || returns {
		return false
	}
	seen[f] = true
	if f.Body.Term() == nil {
		return true
	}
	g := &guard{fr: &frame{l: l}, cells: findCells(f.Body), solid: map[*ssair.Value]bool{}, seen: seen}
	return g.raises(f.Body)
}

// silent are packages whose functions do not panic, but for those in loud.
var silent = map[string]bool{
	"bytes": true, "errors": true, "fmt": true, "log": true, "math": true, "math/bits": true, "math/cmplx": true, "os": true, "strconv": true, "strings": true,
	"sync": true, "sync/atomic": true, "time": true, "unicode": true, "unicode/utf8": true, rtPath: true,
}

// loud are functions of such packages that panic.
var loud = map[string]bool{
	"bytes.Grow": true, "bytes.Repeat": true, "bytes.Truncate": true, "errors.As": true, "fmt.Fprint": true, "fmt.Fprintf": true, "fmt.Fprintln": true, "log.Panic": true, "log.Panicf": true, "log.Panicln": true,
	"math/bits.Div": true, "math/bits.Div32": true, "math/bits.Div64": true, "math/bits.Rem": true, "math/bits.Rem32": true, "math/bits.Rem64": true,
	"strconv.FormatInt": true, "strconv.FormatUint": true, "strconv.AppendInt": true, "strconv.AppendUint": true, "strconv.FormatFloat": true,
	"strings.Grow": true, "strings.NewReplacer": true, "strings.Repeat": true, "sync.Add": true, "sync.Done": true, "time.NewTicker": true, "time.Reset": true,
}

// opaquePanics reports whether the function that o calls may panic. A nil receiver
// is not looked for: it makes a call panic of which nothing else is known. Nor does
// Error count, which prints.
func opaquePanics(o *ssair.Op) bool {
	if o.Obj != nil && o.Obj.Pkg() == nil && o.Obj.Name() == "Error" {
		return false
	}
	if o.Obj == nil || o.Obj.Pkg() == nil || slices.ContainsFunc(o.Args, func(v *ssair.Value) bool { return isFunc(v.Type) }) {
		return true
	}
	path := o.Obj.Pkg().Path()
	return !silent[path] || loud[path+"."+o.Obj.Name()] || strings.HasPrefix(o.Obj.Name(), "Must")
}
