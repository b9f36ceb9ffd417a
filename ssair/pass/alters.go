package pass

import "github.com/quabla/quabla/ssair"

// Alters reports whether f, or a function that it calls, may change memory that it has not
// allocated itself. Of one that is not complete nothing is known.
func Alters(f *ssair.Func) bool {
	found := false
	f.EachCallee(false, func(g *ssair.Func) { found = found || g.Body.Term() == nil || altersItself(g) })
	return found
}

func altersItself(f *ssair.Func) bool {
	al := FindAliases(f)
	found := false
	f.Body.Walk(func(o *ssair.Op) bool {
		switch {
		case o.Kind == ssair.Opaque:
			for _, v := range o.Args {
				found = found || v != nil && !ReadsOnly(o) && (!o.Plain || o.Alters) && !al.Reach(al.Pts(v)).local()
			}
		case o.Kind == ssair.ClearAll:
			found = found || !al.Reach(al.Pts(o.Args[0])).local()
		case o.Kind.Writes():
			found = found || !al.Pts(o.Args[0]).local()
		}
		return !found
	})
	return found
}

// local reports whether a function allocates all of s itself.
func (s RootSet) local() bool { return len(s) == len(s.Made()) }
