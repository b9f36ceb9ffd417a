// Package lift turns the typed syntax of Go functions into the IR.
//
// It works from go/ast and go/types rather than from a control-flow graph,
// because the syntax still holds what the derivative code should keep: the
// shape of loops and conditions, names, explicit conversions and the order in
// which the source spells its operands.
//
// Every local variable becomes a cell (an Alloc with loads and stores);
// package pass turns the cells that need no memory into values. Calls of small
// functions, of closures and of functions that take closures are inlined;
// recursive functions and large ones become functions of the module.
//
// What cannot be lifted is reported through [Env.Refuse] with its position,
// the reason and a way out.
package lift

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// An Env is what the lifter needs to know about the program around a function.
type Env interface {
	// Source returns the syntax of fn, or nil when its body cannot be read.
	Source(fn *types.Func) *Source
	// Implementations returns the types that implement iface in the package
	// that is being processed and its imports, in a fixed order.
	Implementations(iface *types.Interface) []types.Type
	// Lifts reports whether functions of pkg are lifted from their source.
	Lifts(pkg *types.Package) bool
	// Derived returns the IR of a derived function that the package asks for
	// by a directive, or nil when fn is not one.
	Derived(fn *types.Func) *ssair.Func
	// Rule returns the functions that the user has registered as the derivative
	// of fn, or nil.
	Rule(fn *types.Func) *RuleSource
	// Runtime returns a function of package rt, or nil if it cannot be found.
	Runtime(name string) *types.Func
	// ReadOnly reports whether the package-level variable v is never written
	// after its initialisation.
	ReadOnly(v *types.Var) bool
	// Fixed reports whether the package-level variable v never changes, nor what
	// it refers to.
	Fixed(v *types.Var) bool
	// Initial returns the initialisation expression of the package-level
	// variable v and the type information that goes with it, or nil.
	Initial(v *types.Var) (ast.Expr, *types.Info)
	// Private reports whether t is a type of another package that generated code
	// cannot name or not make, and that is declared anew for it.
	Private(t *types.Named) bool
	// StandIn returns the type that stands for t in what is lifted, since the fields of t
	// are its package's own affair, or nil. The methods of t are those of the same name.
	StandIn(t *types.Named) *types.Named
	// StandsFor returns the type that t is the stand-in of, or nil.
	StandsFor(t *types.Named) *types.Named
	// StandIns reports whether there are types with stand-ins at all.
	StandIns() bool
	// OfRules reports whether t is declared by a package of rules that has stand-ins, and
	// RuleTypes returns the types there that implement the stand-in of an interface.
	OfRules(t *types.Named) bool
	RuleTypes(in *types.Named) []types.Type
	// Checkpoint returns what the checkpoint directive above a loop or a function
	// declaration asks for, or nil when there is none.
	Checkpoint(n ast.Node) *ssair.Checkpoint
	// Refuse reports that something cannot be lifted.
	Refuse(Refusal)
	// Restart says that lifting begins anew: what Derived has returned since it
	// began is not used.
	Restart()
}

// A Source is the syntax of a function with its type information.
type Source struct {
	Decl *ast.FuncDecl
	Info *types.Info
	// Sig is the signature in terms of the type parameters that Info uses; nil
	// means that of the function itself.
	Sig *types.Signature
}

// sig returns the signature that the body of fn refers to.
func (s *Source) sig(fn *types.Func) *types.Signature {
	if s.Sig != nil {
		return s.Sig
	}
	return fn.Signature()
}

// A Refusal says what cannot be lifted, where, why and what to do instead.
type Refusal struct {
	Pos, End token.Pos
	Message  string
	Hint     string
	// Chain holds the positions of the calls that lead to Pos, innermost first.
	Chain []token.Pos
}

// A Lifter lifts functions into one module.
type Lifter struct {
	Mod *ssair.Module
	Env Env
	// Unlifted says of rules which are only called why they cannot be differentiated.
	Unlifted map[*types.Func]Refusal

	locals  *subst                        // replaces types that generated code cannot use as they are
	bare    map[*types.Func]bool          // functions whose rules are being lifted
	plain   map[*types.Func]bool          // those of them whose calls stay as they are
	values  map[*ssair.Func][]bool        // functions of function values: the parameters in front that are values, see litValue
	private map[*types.Named]*types.Named // what types stand for that are private to other packages
	met     []types.Type                  // see meets
	opened  map[*types.Named]*types.Named // what types stand for whose parts are in the open: see standin.go
	pending []func() bool                 // checks to be made when all functions are complete
	depth   int                           // of calls of Func
	nstmt   int
	ncall   int
	entries []entry // functions of other packages that were lifted
	attempt
}

// New returns a lifter for m.
func New(m *ssair.Module, env Env) *Lifter {
	l := &Lifter{Mod: m, Env: env, Unlifted: map[*types.Func]Refusal{}, bare: map[*types.Func]bool{}, plain: map[*types.Func]bool{}, values: map[*ssair.Func][]bool{}, private: map[*types.Named]*types.Named{}, opened: map[*types.Named]*types.Named{}}
	l.locals = &subst{named: l.retyped, fun: l.recordOf}
	l.attempt = newAttempt(&plan{})
	return l
}

func (l *Lifter) lift(fn *types.Func, targs []types.Type) *ssair.Func {
	if r := l.Env.Rule(fn); r != nil && r.As != nil && !l.bare[fn] {
		l.bare[fn], l.plain[fn] = true, true
		defer func() {
			delete(l.bare, fn)
			delete(l.plain, fn)
		}()
		return l.lift(r.As, targs)
	} else if r != nil {
		return l.caller(fn, targs)
	}
	src := l.Env.Source(fn)
	if src == nil || src.Decl.Body == nil {
		l.refuse(Refusal{Pos: fn.Pos(), Message: fmt.Sprintf("the body of %s cannot be read", fn.FullName())})
		return nil
	}
	name := fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		name = recvName(recv.Type()) + "." + name
	}
	f := l.Mod.NewFunc(name)
	l.keep(f, fn, targs)
	if !l.function(f, name, fn, src, targs) {
		return nil
	}
	return f
}

// recvName returns the name of the receiver's type without pointer.
func recvName(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return "recv"
}

// function lifts a declared function into the new function f of the module.
func (l *Lifter) function(f *ssair.Func, name string, fn *types.Func, src *Source, targs []types.Type) bool {
	return l.specialised(f, name, fn, src, targs, nil)
}

// specialised is function with some parameters bound to functions.
func (l *Lifter) specialised(f *ssair.Func, name string, fn *types.Func, src *Source, targs []types.Type, bound *binding) bool {
	f.Obj, f.Pos = fn, src.Decl.Pos()
	sig := src.sig(fn)
	s := substFor(sig, targs)
	for i := range sig.Results().Len() {
		r := sig.Results().At(i)
		f.Results = append(f.Results, ssair.Result{Name: r.Name(), Type: l.boundary(f, s.apply(r.Type()))})
	}
	saved := l.inlined
	l.inlined = 0
	defer func() { l.inlined = saved }()

	fr := &frame{
		l: l, fn: fn, decl: src.Decl, name: name, info: src.Info, irfn: f,
		subst: s, vars: map[*types.Var]*variable{},
		b: ssair.NewBuilder(f.Body), last: src.Decl,
	}
	fr.root = fr
	fr.assigned = scanAssigned(src.Decl.Body, src.Info)
	first := 0
	if bound != nil {
		fr.capture(f, bound.capt)
	}
	param := func(i int, obj *types.Var, t types.Type) {
		if bound != nil && bound.static[i] != nil {
			fr.bind(src.Decl, f, obj, bound.static[i])
			return
		}
		fr.param(f, obj, l.boundary(f, s.apply(t)))
	}
	if r := sig.Recv(); r != nil {
		first = 1
		param(0, declared(src.Decl.Recv, src.Info, r, 0), r.Type())
	}
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		param(first+i, declared(src.Decl.Type.Params, src.Info, p, i), p.Type())
	}
	ok := fr.body(src.Decl.Body, sig.Results(), declaredList(src.Decl.Type.Results, src.Info, sig.Results()))
	if ok {
		fr.finish()
		f.Declared, f.TypeArgs = bound == nil && (l.public[f] && !l.inner(s.apply(whole(sig))) || !l.replaced(s.apply(plain(sig))) && (sig.Recv() == nil || !l.replaced(s.apply(sig.Recv().Type())))), targs
	}
	return ok
}

// boundary returns the type of a parameter or result of f that the source says is
// t: what the caller of a derived function passes stays as it is, but for types with
// stand-ins, which package compile opens where the derived function begins. Types that are
// private to another package are those of rules.
func (l *Lifter) boundary(f *ssair.Func, t types.Type) types.Type {
	if l.public[f] && !l.inner(t) {
		return t
	}
	return l.locals.typ(t)
}

// plain returns a signature without receiver.
func plain(sig *types.Signature) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
}

// whole returns a signature with the receiver as the first parameter.
func whole(sig *types.Signature) *types.Signature {
	if sig.Recv() == nil {
		return plain(sig)
	}
	params := []*types.Var{sig.Recv()}
	for v := range sig.Params().Variables() {
		params = append(params, v)
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), sig.Results(), sig.Variadic())
}

// settle makes the checks that need all functions complete.
func (l *Lifter) settle() bool {
	ok := true
	for len(l.pending) > 0 {
		check := l.pending[0]
		l.pending = l.pending[1:]
		ok = check() && ok
	}
	return ok
}

// declared returns the variable object that the body uses for parameter i;
// it differs from the one in the signature when the package was checked twice.
func declared(fields *ast.FieldList, info *types.Info, p *types.Var, i int) *types.Var {
	if fields == nil {
		return p
	}
	n := 0
	for _, f := range fields.List {
		if len(f.Names) == 0 {
			if n == i {
				return p
			}
			n++
			continue
		}
		for _, name := range f.Names {
			if n == i {
				if v, ok := info.Defs[name].(*types.Var); ok {
					return v
				}
				return p
			}
			n++
		}
	}
	return p
}

func declaredList(fields *ast.FieldList, info *types.Info, res *types.Tuple) []*types.Var {
	vs := make([]*types.Var, res.Len())
	for i := range vs {
		vs[i] = declared(fields, info, res.At(i), i)
	}
	return vs
}

// param adds a parameter to f and gives it a cell.
func (fr *frame) param(f *ssair.Func, obj *types.Var, t types.Type) {
	name := obj.Name()
	p := f.AddParam(name, t)
	v := fr.declare(obj, t)
	v.cell.Var = p.Var
	fr.b.Store(v.cell, nil, p)
}

// A frame is one activation of a function while it is lifted: the root
// function, or a call that is inlined.
type frame struct {
	l     *Lifter
	fn    *types.Func   // nil for a closure
	decl  *ast.FuncDecl // of fn
	lit   *ast.FuncLit  // nil for a declared function
	name  string
	info  *types.Info
	subst *subst
	irfn  *ssair.Func
	b     *ssair.Builder

	root    *frame // the frame of the function of the module being built
	caller  *frame // the frame that the call is inlined into; nil for a root
	lexical *frame // for a closure, the frame it was made in
	callPos token.Pos

	vars     map[*types.Var]*variable
	assigned map[*types.Var]int // how often the body assigns each variable
	results  []*variable

	block *ast.BlockStmt // the body
	usesC bool           // it refers to C
	last  ast.Node       // the expression lifted last

	exit    *ssair.Value // cell with the code of the pending exit
	targets []*target
	codes   int
	defers  []*deferred
	guard   *guard // of defers; nil if a panic need not run them
	running bool   // a deferred call is being lifted
	// deferrer is the frame that has deferred the call of this one, or nil.
	deferrer *frame
	loose    bool           // the body of a loop over a function that is not known
	goons    []*ssair.Value // cells of the loops around the current place
	inLoop   int            // how many loops of this frame are around it
	yields   int            // how many of the loops around it range over functions
	// outerLoop is the outermost of these, or nil.
	outerLoop *ssair.Op

	captured map[*variable]*variable     // root of a closure lifted on its own
	tables   map[*types.Var]*ssair.Value // root only: copies of package-level variables that hold functions
	copies   map[*variable]*ssair.Value  // root only: cells being filled with records of functions known statically
	failed   bool                        // root only: a statement was refused
	orders   []orderCheck                // root only
	usedUp   map[*ssair.Op]bool          // root only: reads that are arguments of calls made already
	dead     bool                        // the body cannot be left normally
	checked  bool                        // the function that this one stands for has run: it has checked the arguments
}

// A variable is a local variable of the source in one activation.
type variable struct {
	typ      types.Type
	cell     *ssair.Value // pointer to its memory
	clos     *closure     // the closure it holds, when that is known statically
	fixed    *ssair.Value // the interface value that a parameter always holds, when its dynamic type is known
	owner    *frame
	userName string
	obj      *types.Var
	held     bool     // a closure that is not known statically, or one lifted on its own, holds its memory
	stored   bool     // of a result: a function that is not known statically was returned
	from     *capture // of a variable that comes from a record: how that holds it
}

// A target is a statement that break or continue can name.
type target struct {
	label           string
	brk, cont       int // exit codes; cont is 0 for a switch or block
	loopDepth       int // len(goons) outside the statement
	isSwitch, block bool
}

// declare makes the cell of a new variable.
func (fr *frame) declare(obj *types.Var, t types.Type) *variable {
	v := &variable{typ: t, owner: fr, userName: obj.Name(), obj: obj}
	if v.userName == "_" {
		v.userName = ""
	}
	v.cell = fr.b.Alloc(t, &ssair.Var{Name: v.userName})
	if v.userName == "" {
		v.cell.Var = nil
	}
	fr.vars[obj] = v
	return v
}

// lookup finds the variable that obj names, through the frames that enclose a
// closure lexically.
func (fr *frame) lookup(obj *types.Var) *variable {
	for f := fr; f != nil; f = f.lexical {
		if v, ok := f.vars[obj]; ok {
			return fr.reach(v)
		}
	}
	return nil
}

// typ substitutes type arguments in t.
func (fr *frame) typ(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return fr.l.locals.typ(fr.subst.apply(t))
}

// typeOf returns the type of e in this activation.
func (fr *frame) typeOf(e ast.Expr) types.Type { return fr.typ(fr.info.TypeOf(e)) }

// refusal is the panic value that abandons the statement being lifted.
type refusal struct{}

// refuse reports that node cannot be lifted and abandons the statement.
func (fr *frame) refuse(node ast.Node, hint, format string, args ...any) {
	for i, a := range args {
		if t, ok := a.(types.Type); ok {
			args[i] = types.TypeString(t, (*types.Package).Name)
		}
	}
	r := Refusal{Pos: node.Pos(), End: node.End(), Message: fmt.Sprintf(format, args...), Hint: hint}
	for f := fr; f.caller != nil; f = f.caller {
		r.Chain = append(r.Chain, f.callPos)
	}
	fr.l.refuse(r)
	panic(refusal{})
}

// reach returns v as the function being built sees it: a variable of another
// function of the module is one that a closure lifted on its own captures.
func (fr *frame) reach(v *variable) *variable {
	if v.owner.root == fr.root {
		return v
	}
	if c, ok := fr.root.captured[v]; ok {
		return c
	}
	return v
}

// body lifts the statements of a function or closure whose parameters are
// declared already. It leaves the results in fr.results.
func (fr *frame) body(body *ast.BlockStmt, res *types.Tuple, objs []*types.Var) bool {
	for i := range res.Len() {
		t := fr.typ(res.At(i).Type())
		if fr == fr.root {
			t = fr.irfn.Results[i].Type
		}
		v := fr.declare(objs[i], t)
		fr.results = append(fr.results, v)
	}
	fr.block = body
	fr.usesC = inC(body, fr.info) != nil
	fr.exit = fr.b.Alloc(ssair.Int, &ssair.Var{Name: "exit"})
	fr.armDefers(body)
	f := fr.statements(body)
	if fr.guard = fr.guarding(); fr.guard != nil {
		f = fr.covered(f)
	}
	if !f.dead() {
		fr.runDefers()
		if fr.guard != nil {
			fr.repanic()
		}
	}
	fr.dead = f.dead()
	return !fr.root.failed
}

// finish ends the body of a root function.
func (fr *frame) finish() {
	if fr.dead {
		fr.b.Op(ssair.Unreachable, nil)
		return
	}
	var vs []*ssair.Value
	for _, r := range fr.results {
		vs = append(vs, fr.b.Load(r.cell, nil))
	}
	fr.b.Return(vs...)
	if len(fr.orders) > 0 {
		fr.l.pending = append(fr.l.pending, func() bool { return fr.l.checkOrders(fr.irfn, fr.orders) })
	}
}
