package ssair

import (
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// constant reads the value of a constant of type t, in the exact form of
// package go/constant.
func (p *parser) constant(t types.Type) constant.Value {
	if p.peek() == '"' {
		return constant.MakeString(p.quoted())
	}
	start := p.pos
	p.skipLine()
	s := p.text[start:p.pos]
	if i := strings.Index(s, "//"); i >= 0 {
		s = s[:i]
	}
	p.pos = start + len(s)
	v := parseConstant(strings.TrimSpace(s))
	if v == nil {
		p.failAt(start, "cannot read the constant %q", s)
	}
	if IsFloat(t) && v.Kind() == constant.Int {
		return constant.ToFloat(v)
	}
	return v
}

// parseConstant reads a constant that is no string; nil means a fault.
func parseConstant(s string) constant.Value {
	switch s {
	case "true", "false":
		return constant.MakeBool(s == "true")
	case "unknown":
		return constant.MakeUnknown()
	}
	if in, ok := strings.CutPrefix(s, "("); ok {
		re, im, ok1 := strings.Cut(in, " + ")
		im, ok2 := strings.CutSuffix(im, "i)")
		x, y := parseReal(re), parseReal(im)
		if !ok1 || !ok2 || x == nil || y == nil {
			return nil
		}
		return constant.BinaryOp(constant.ToComplex(x), token.ADD, constant.MakeImag(y))
	}
	return parseReal(s)
}

// parseReal reads an integer, a fraction or a float; nil means a fault.
func parseReal(s string) constant.Value {
	if num, den, ok := strings.Cut(s, "/"); ok {
		x, y := parseReal(num), parseReal(den)
		if x == nil || y == nil || constant.Sign(y) == 0 {
			return nil
		}
		return constant.BinaryOp(x, token.QUO, y)
	}
	if abs, ok := strings.CutPrefix(s, "-"); ok {
		x := parseReal(abs)
		if x == nil {
			return nil
		}
		return constant.UnaryOp(token.SUB, x, 0)
	}
	if s == "" || !isDigit(s[0]) {
		return nil
	}
	kind := token.INT
	if strings.ContainsAny(s, ".pe") {
		kind = token.FLOAT
	}
	v := constant.MakeFromLiteral(s, kind, 0)
	if v.Kind() == constant.Unknown {
		return nil
	}
	return v
}

// object returns the object that an op names: "path".Name, a name of the
// universe, or a method as "path".Name, "path".T.Name, "path".(T).Name or "path".(*T).Name.
func (p *parser) object(o *Op, s string, pos int) types.Object {
	path, name := "", s
	if q, err := strconv.QuotedPrefix(s); err == nil {
		path, _ = strconv.Unquote(q)
		rest, ok := strings.CutPrefix(s[len(q):], ".")
		if !ok {
			p.failAt(pos, "expected a name behind the path in %s", s)
		}
		name = rest
	}
	obj := p.methodOf(path, name)
	if obj == nil {
		obj = p.lookup(path, name)
		if o.Kind == Opaque && (obj == nil || !fits(obj, o.Args)) {
			if m := methodOfArg(p.m.Pkg, o.Args, path, name); m != nil {
				obj = m
			}
		}
	}
	if obj == nil {
		p.failAt(pos, "no object %s", s)
	}
	return obj
}

// methodOf returns the method that T.M, (T).M or (*T).M names.
func (p *parser) methodOf(path, name string) types.Object {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return nil
	}
	recv := strings.TrimPrefix(strings.Trim(name[:i], "()"), "*")
	recv, _, _ = strings.Cut(recv, "[")
	t, ok := p.lookup(path, recv).(*types.TypeName)
	if !ok {
		return nil
	}
	m, _, _ := types.LookupFieldOrMethod(t.Type(), true, t.Pkg(), name[i+1:])
	if f, ok := m.(*types.Func); ok {
		return f
	}
	return nil
}

// fits reports whether obj is a function that takes args.
func fits(obj types.Object, args []*Value) bool {
	f, ok := obj.(*types.Func)
	if !ok {
		return true
	}
	ps := f.Signature().Params()
	if ps.Len() != len(args) {
		return false
	}
	if f.Signature().TypeParams().Len() > 0 {
		return true
	}
	for i, a := range args {
		if a != nil && !types.AssignableTo(a.Type, ps.At(i).Type()) {
			return false
		}
	}
	return true
}

// methodOfArg returns the method of the first operand with the given name,
// declared in the package of the given path.
func methodOfArg(pkg *types.Package, args []*Value, path, name string) types.Object {
	if len(args) == 0 || args[0] == nil {
		return nil
	}
	if path != "" && (pkg == nil || pkg.Path() != path) {
		if imp := findImport(pkg, path); imp != nil {
			pkg = imp
		}
	}
	m, _, _ := types.LookupFieldOrMethod(args[0].Type, true, pkg, name)
	if f, ok := m.(*types.Func); ok {
		return f
	}
	return nil
}
