package ssair

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
)

// String returns the printed form of f, which [ParseFunc] reads back:
//
//	func Name(%1:x []float64, %2:n int) (s float64) {
//	  %3 int = len %1
//	  %4:i int, %5:s float64 = loop slice %6, %7 | %3, %1 {
//	  cond(%8:i int, %9:s float64):
//	    %10 bool = cmp < %8, %3
//	    yield %10
//	  body(%11:i int, %12:s float64):
//	    ...
//	  }
//	  return %5
//	}
//
// Values are numbered in the order in which they are printed.
func (f *Func) String() string {
	p := &printer{num: map[*Value]int{}, qual: types.RelativeTo(f.Mod.Pkg)}
	p.fn(f)
	return p.b.String()
}

type printer struct {
	b    strings.Builder
	num  map[*Value]int
	qual types.Qualifier
}

func (p *printer) id(v *Value) string {
	if v == nil {
		return "_"
	}
	n, ok := p.num[v]
	if !ok {
		n = len(p.num) + 1
		p.num[v] = n
	}
	return "%" + strconv.Itoa(n)
}

func (p *printer) typ(t types.Type) string { return types.TypeString(t, p.qual) }

// decl prints the definition of a value: its number, variable and type.
func (p *printer) decl(v *Value) string {
	s := p.id(v)
	if v.Var != nil {
		s += ":" + v.Var.Name
	}
	return s + " " + p.typ(v.Type)
}

func (p *printer) decls(vs []*Value) string {
	ss := make([]string, len(vs))
	for i, v := range vs {
		ss[i] = p.decl(v)
	}
	return strings.Join(ss, ", ")
}

func (p *printer) ids(vs []*Value) string {
	ss := make([]string, len(vs))
	for i, v := range vs {
		ss[i] = p.id(v)
	}
	return strings.Join(ss, ", ")
}

func (p *printer) fn(f *Func) {
	fmt.Fprintf(&p.b, "func %s(%s)", f.Name, p.decls(f.Params))
	if len(f.Results) > 0 {
		ss := make([]string, len(f.Results))
		for i, r := range f.Results {
			ss[i] = strings.TrimSpace(r.Name + " " + p.typ(r.Type))
		}
		fmt.Fprintf(&p.b, " (%s)", strings.Join(ss, ", "))
	}
	p.b.WriteString(" {\n")
	p.region(f.Body, "  ")
	p.b.WriteString("}\n")
}

func (p *printer) region(r *Region, indent string) {
	for _, o := range r.Ops {
		p.op(o, indent)
	}
}

var regionNames = map[Kind][]string{
	If:   {"then", "else"},
	Loop: {"cond", "body", "post"},
}

func (p *printer) op(o *Op, indent string) {
	p.b.WriteString(indent)
	if len(o.Results) > 0 {
		p.b.WriteString(p.decls(o.Results))
		p.b.WriteString(" = ")
	}
	p.b.WriteString(o.Kind.String())
	if a := p.attrs(o); a != "" {
		p.b.WriteString(" " + a)
	}
	args := o.Args
	if o.Kind == Loop {
		args = o.Args[:o.Carried()]
	}
	if len(args) > 0 {
		p.b.WriteString(" " + p.ids(args))
	}
	if o.Kind == Loop && len(o.Args) > o.Carried() {
		p.b.WriteString(" | " + p.ids(o.Args[o.Carried():]))
	}
	if len(o.Regions) == 0 {
		p.b.WriteByte('\n')
		return
	}
	p.b.WriteString(" {\n")
	for i, r := range o.Regions {
		p.b.WriteString(indent + regionNames[o.Kind][i])
		if len(r.Params) > 0 {
			p.b.WriteString("(" + p.decls(r.Params) + ")")
		}
		p.b.WriteString(":\n")
		p.region(r, indent+"  ")
	}
	p.b.WriteString(indent + "}\n")
}

// attrs prints the attributes of o that its kind uses.
func (p *printer) attrs(o *Op) string {
	var a []string
	switch o.Kind {
	case Const:
		a = append(a, o.Val.ExactString())
	case Global, FuncVal, Opaque:
		if o.Obj != nil {
			a = append(a, p.obj(o.Obj))
		}
		if o.Plain {
			a = append(a, "plain")
		}
		if o.Alters {
			a = append(a, "alters")
		}
		if o.Caught {
			a = append(a, "caught")
		}
		if o.Certain {
			a = append(a, "certain")
		}
	case Bin, Un, Cmp:
		a = append(a, o.Tok.String())
	case Conv:
		if o.Explicit {
			a = append(a, "explicit")
		}
	case Apply:
		a = append(a, o.Fn)
	case Addr, Load, Store, Accum, Extract:
		a = append(a, pathString(o.Path))
	case Alloc, TypeIs, TypeAssert:
		a = append(a, "("+p.typ(o.Type)+")")
	case Loop:
		a = append(a, [...]string{"while", "int", "slice"}[o.Loop.Form])
		for _, f := range []struct {
			on   bool
			name string
		}{{o.Loop.Break, "break"}, {o.Loop.Independent, "independent"}, {o.Loop.Down, "down"}} {
			if f.on {
				a = append(a, f.name)
			}
		}
		if c := o.Loop.Checkpoint; c != nil {
			a = append(a, c.String())
		}
	case Call, JVP, Grad, MakeClosure:
		a = append(a, "@"+o.Callee.Name)
	}
	return strings.Join(a, " ")
}

// String returns the printed form of c.
func (c *Checkpoint) String() string {
	switch {
	case c.Once:
		return "checkpoint once"
	case c.Every > 0:
		return fmt.Sprintf("checkpoint every=%d", c.Every)
	case c.Snapshots > 0:
		return fmt.Sprintf("checkpoint snapshots=%d", c.Snapshots)
	}
	return "checkpoint"
}

func (p *printer) obj(o types.Object) string {
	if o.Pkg() == nil {
		return o.Name()
	}
	return strconv.Quote(o.Pkg().Path()) + "." + o.Name()
}

// pathString prints a path: .2 for field 2 and [] for an element.
func pathString(path []Step) string {
	if len(path) == 0 {
		return "*"
	}
	var b strings.Builder
	for _, s := range path {
		if s.IsField() {
			fmt.Fprintf(&b, ".%d", s.Field)
		} else {
			b.WriteString("[]")
		}
	}
	return b.String()
}
