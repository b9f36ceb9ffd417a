package pass

import "github.com/quabla/quabla/ssair"

// IsErrorMethod reports whether o calls the method of an error.
func IsErrorMethod(o *ssair.Op) bool {
	return o.Obj != nil && o.Obj.Pkg() == nil && o.Obj.Name() == "Error"
}

// ReadsOnly reports whether an opaque function is known not to change what its
// arguments refer to.
func ReadsOnly(o *ssair.Op) bool {
	if o.Obj == nil {
		return false
	}
	if IsErrorMethod(o) {
		return true
	}
	if o.Obj.Pkg() == nil {
		return false
	}
	switch o.Obj.Pkg().Path() {
	case "fmt":
		switch n := o.Obj.Name(); {
		case len(n) > 4 && (n[:5] == "Print" || n[:5] == "Sprin" || n[:5] == "Fprin"), n == "Errorf", n == "Append", n == "Appendf", n == "Appendln":
			return true
		}
	case "log", "log/slog", "errors", "github.com/quabla/quabla/rt":
		return true
	case "runtime":
		return o.Obj.Name() == "KeepAlive"
	}
	return false
}

// storesRefs reports whether an opaque call may store references to what it is given in
// other memory that it is given. errors.As reads only, but for its target.
func storesRefs(o *ssair.Op) bool {
	return !ReadsOnly(o) || o.Obj.Pkg() != nil && o.Obj.Pkg().Path() == "errors" && o.Obj.Name() == "As"
}
