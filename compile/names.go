package compile

import (
	"fmt"
	"go/types"
	"strings"
	"unicode"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/ssair"
)

// prefix returns what the names of all that belongs to a derived function begin
// with: fGrad for FGrad, modelFitGrad for the method FitGrad of Model. Functions
// that would have the same one get a number.
func (f *packageFacts) prefix(req *analyze.Request) string {
	name := req.Name
	if recv := req.Func.Signature().Recv(); recv != nil {
		name = recvName(recv.Type()) + strings.ToUpper(name[:1]) + name[1:]
	}
	base := unexported(name)
	name = base
	for k := 2; ; k++ {
		other := f.prefixes[name]
		if other == nil || other.Func == req.Func && other.Name == req.Name {
			f.prefixes[name] = req
			return name
		}
		name = fmt.Sprintf("%s%d", base, k)
	}
}

// unexported spells a name so that it is not exported: fGrad for FGrad, httpGrad
// for HTTPGrad.
func unexported(name string) string {
	r := []rune(name)
	for i := range r {
		if !unicode.IsUpper(r[i]) || i > 0 && i+1 < len(r) && unicode.IsLower(r[i+1]) {
			break
		}
		r[i] = unicode.ToLower(r[i])
	}
	return string(r)
}

// free returns name, with a number if the package declares it.
func (u *unit) free(name string) string {
	base := name
	for k := 2; u.env.pkg.Types.Scope().Lookup(name) != nil; k++ {
		name = fmt.Sprintf("%s%d", base, k)
	}
	return name
}

// helperName returns the name of a helper function.
func (u *unit) helperName(f *ssair.Func) string {
	if n, ok := u.names[f]; ok {
		return n
	}
	n := strings.ReplaceAll(f.Name, ".", "")
	if low := unexported(n); strings.HasPrefix(low, u.prefix) {
		n = low
	} else {
		n = u.prefix + strings.ToUpper(n[:1]) + n[1:]
	}
	// Functions that are derived in two ways get a number.
	base := n
	for k := 2; u.used[n] || u.env.pkg.Types.Scope().Lookup(n) != nil; k++ {
		n = fmt.Sprintf("%s%d", base, k)
	}
	u.used[n] = true
	u.names[f] = n
	return n
}

// title is the name of the derived function in messages: FGrad, Model.FitGrad.
func (u *unit) title() string { return title(u.req) }

func title(req *analyze.Request) string {
	if recv := req.Func.Signature().Recv(); recv != nil {
		return recvName(recv.Type()) + "." + req.Name
	}
	return req.Name
}

// recvName returns the name of a receiver's type.
func recvName(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return "T"
}
