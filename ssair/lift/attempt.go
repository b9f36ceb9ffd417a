package lift

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"

	"github.com/quabla/quabla/ssair"
)

// A function value that is known statically is inlined where it is called. One
// that is not becomes a record, which says which function it is and holds what
// it captures; to make records, the lifter has to know all functions that may
// be in one. So it lifts in attempts: where an attempt finds a type of function
// that has to be records, or another function that a record may be, the next
// one begins with that knowledge.

// A plan is what the attempts at a function have found out.
type plan struct {
	families []*family
	varies   map[*types.Var]bool // variables and results that hold functions not known statically
	passed   map[any]bool        // recursive functions and literals that are passed functions as records
	// outside are the types that the caller of the function sees. They stay
	// as they are.
	outside []types.Type
}

// An attempt is the state of the lifter that an attempt begins with anew.
type attempt struct {
	plan    *plan
	stale   bool                          // the plan lacks a function: there will be another attempt
	types   map[*types.Named]*types.Named // replacements of named types, nil for those that stay
	raws    map[*types.TypeName]types.Type
	made    []*types.TypeName      // the types that this attempt has added to the module
	funcs   map[string]*ssair.Func // functions lifted on their own, by instance
	public  map[*ssair.Func]bool   // functions whose signatures are those of the source
	refused []Refusal
	inlined int                     // statements inlined into the current function
	strict  map[*ssair.Func]bool    // functions that return what they panic with; whether somebody recovers it
	bodies  map[*ast.RangeStmt]bool // loop bodies that are records
	bound   int                     // instances of recursive functions being made
	invoked map[*types.Func]int     // methods of interfaces whose calls are being lifted
}

func newAttempt(p *plan) attempt {
	return attempt{
		plan: p, types: map[*types.Named]*types.Named{}, raws: map[*types.TypeName]types.Type{},
		funcs: map[string]*ssair.Func{}, strict: map[*ssair.Func]bool{}, invoked: map[*types.Func]int{}, bodies: map[*ast.RangeStmt]bool{}, public: map[*ssair.Func]bool{},
	}
}

// maxAttempts bounds the attempts at one function.
const maxAttempts = 400

// restart is the panic value that abandons an attempt.
type restart struct{}

// Func lifts fn and returns it in the IR, or nil after a refusal. targs are
// the type arguments of a generic function; nil lifts it with its type
// parameters.
func (l *Lifter) Func(fn *types.Func, targs []types.Type) *ssair.Func {
	return l.attempts(fn, func() *ssair.Func { return l.lift(fn, targs) })
}

// attempts lifts fn, as lift does, until the plan is complete.
func (l *Lifter) attempts(fn *types.Func, lift func() *ssair.Func) *ssair.Func {
	outer, nfuncs, nnumbers, npending := l.attempt, len(l.Mod.Funcs), len(l.Mod.Numbers), len(l.pending)
	l.depth++
	defer func() {
		l.depth--
		l.attempt = outer
	}()
	p := &plan{varies: map[*types.Var]bool{}, passed: map[any]bool{}}
	for range maxAttempts {
		l.begin(p, outer)
		met := len(l.met)
		f, ok := l.try(lift)
		l.stale = l.stale || len(l.met) > met
		if ok && f != nil && l.depth == 1 && !l.stale && !l.settle() {
			f = nil
		}
		if ok && !l.stale {
			if len(p.families) == 0 && len(outer.plan.families) == 0 {
				maps.Copy(outer.funcs, l.funcs)
				maps.Copy(outer.types, l.types)
			}
			for _, r := range l.refused {
				l.Env.Refuse(r)
			}
			return f
		}
		l.Mod.RemoveTypes(l.made)
		l.Mod.Numbers = l.Mod.Numbers[:nnumbers]
		l.Mod.Funcs, l.pending = l.Mod.Funcs[:nfuncs], l.pending[:npending]
		l.Env.Restart()
	}
	l.Env.Refuse(Refusal{
		Pos: fn.Pos(), Message: fmt.Sprintf("cannot differentiate %s: there is no end of functions that its function values may be", fn.Name()),
		Hint: "pass on the function that was passed, or write the recursion as a loop",
	})
	return nil
}

// begin sets up an attempt with what the plan says.
func (l *Lifter) begin(p *plan, outer attempt) {
	l.attempt = newAttempt(p)
	if len(p.families) == 0 && len(outer.plan.families) == 0 {
		l.funcs, l.types = maps.Clone(outer.funcs), maps.Clone(outer.types)
	}
	for _, fam := range p.families {
		fam.begin()
	}
	for _, fam := range p.families {
		l.makeRecord(fam)
	}
}

// try makes an attempt. ok is false when it was abandoned.
func (l *Lifter) try(lift func() *ssair.Func) (f *ssair.Func, ok bool) {
	depth := l.depth
	defer func() {
		switch r := recover(); r.(type) {
		case nil:
		case restart:
			f, ok, l.depth = nil, false, depth
		default:
			panic(r)
		}
	}()
	return lift(), true
}

// restart abandons the attempt: the plan has grown.
func (l *Lifter) restart() { panic(restart{}) }

// refuse takes note of a refusal. It is reported unless the attempt is abandoned.
func (l *Lifter) refuse(r Refusal) { l.refused = append(l.refused, r) }

// vary makes a variable hold records.
func (l *Lifter) vary(obj *types.Var) {
	if !l.plan.varies[obj] {
		l.plan.varies[obj] = true
		l.restart()
	}
}

// keep leaves the signature of f, a function of the source, as it is: code that is
// not lifted calls it, or a rule of the user says what it is.
func (l *Lifter) keep(f *ssair.Func, fn *types.Func, targs []types.Type) {
	l.public[f] = true
	n := len(l.plan.outside)
	sig := fn.Signature()
	if src := l.Env.Source(fn); src != nil {
		sig = src.sig(fn)
	}
	s := substFor(sig, targs)
	if r := sig.Recv(); r != nil {
		l.plan.seenOutside(s.apply(r.Type()))
	}
	for _, t := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range t.Variables() {
			l.plan.seenOutside(s.apply(v.Type()))
		}
	}
	if len(l.plan.outside) > n && len(l.plan.families) > 0 {
		l.restart()
	}
}
