package analyze

import (
	"go/ast"
	"go/token"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// A namer hands out names that no parameter or result has.
type namer map[string]bool

// newNamer returns a namer that knows the names of d.
func newNamer(d *Derived) namer {
	n := make(namer)
	for _, s := range d.All() {
		n[s.Name] = true
	}
	for _, s := range d.Results {
		n[s.Name] = true
	}
	for _, name := range d.dropped {
		n[name] = true // so that dx, dx2, dx3 are derivatives of ascending order
	}
	return n
}

// pick returns the name, with a number from 2 behind it if it is taken, and
// takes it.
func (n namer) pick(name string) string {
	picked := name
	for i := 2; n[picked] || token.IsKeyword(picked); i++ {
		picked = name + strconv.Itoa(i)
	}
	n[picked] = true
	return picked
}

// AdjointName returns the name of the adjoint of a variable in grad.
func AdjointName(name string) string { return "d" + name }

// TangentName returns the name of the tangent of a variable.
func TangentName(name string) string { return name + "Dot" }

// CotangentName returns the name of the adjoint of a variable in vjp.
func CotangentName(name string) string { return name + "Bar" }

// capital returns name with its first letter in upper case if exported is set
// and in lower case otherwise.
func capital(name string, exported bool) string {
	r, n := utf8.DecodeRuneInString(name)
	if exported {
		r = unicode.ToUpper(r)
	} else {
		r = unicode.ToLower(r)
	}
	return string(r) + name[n:]
}

// newName returns the name of the allocating form of a derived function: FNewGrad
// for the FGrad of F, NewLossGradient for a name that the user gave.
func newName(fn, derived string, byDefault bool) string {
	if byDefault {
		return fn + "New" + derived[len(fn):]
	}
	if ast.IsExported(derived) {
		return "New" + derived
	}
	return "new" + capital(derived, true)
}
