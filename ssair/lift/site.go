package lift

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A Site is where the source of another package is entered: the call, in the source
// that is differentiated, of a function whose body is lifted too.
type Site struct {
	Call   ast.Node
	Called *types.Func
	Within *types.Func // the function that holds the place that was asked for
}

// entry is a function of another package that was lifted, and its first call.
type entry struct {
	fn   *types.Func
	decl *ast.FuncDecl
	call ast.Node
}

// enters notes that the body of fn is lifted because of a call.
func (l *Lifter) enters(fn *types.Func, decl *ast.FuncDecl, call ast.Node) {
	if fn.Pkg() == l.Mod.Pkg || decl == nil || call == nil {
		return
	}
	for _, e := range l.entries {
		if e.decl == decl {
			return
		}
	}
	l.entries = append(l.entries, entry{fn, decl, call})
}

// Foreign returns the functions of other packages whose bodies were lifted.
func (l *Lifter) Foreign() []*types.Func {
	var fns []*types.Func
	for _, e := range l.entries {
		fns = append(fns, e.fn)
	}
	return fns
}

// Site returns the call through which a place in the source of another package was
// reached, or nil for a place elsewhere.
func (l *Lifter) Site(pos token.Pos) *Site {
	var s *Site
	for range l.entries {
		e := l.entered(pos)
		if e == nil {
			break
		}
		if s == nil {
			s = &Site{Within: e.fn}
		}
		s.Call, s.Called = e.call, e.fn
		pos = e.call.Pos()
	}
	return s
}

// entered returns the entry whose function holds pos.
func (l *Lifter) entered(pos token.Pos) *entry {
	for i, e := range l.entries {
		if e.decl.Pos() <= pos && pos < e.decl.End() {
			return &l.entries[i]
		}
	}
	return nil
}
