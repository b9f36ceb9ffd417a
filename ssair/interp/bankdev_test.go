package interp_test

import (
	"fmt"
	"go/types"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/quabla/quabla/internal/srctest"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/interp"
	"github.com/quabla/quabla/ssair/pass"
)

func TestBankDev(t *testing.T) {
	files, _ := filepath.Glob("/work/shared/bank/*.go-txt")
	for _, file := range files {
		b, _ := os.ReadFile(file)
		t.Run(strings.TrimSuffix(filepath.Base(file), ".go-txt"), func(t *testing.T) { bankCase(t, string(b)) })
	}
}

func bankCase(t *testing.T, text string) {
	head, rest, _ := strings.Cut(text, "\n---\n")
	entry, imports := "", ""
	for _, l := range strings.Split(head, "\n") {
		if s, ok := strings.CutPrefix(l, "entry: "); ok {
			entry = s
		}
		if s, ok := strings.CutPrefix(l, "imports: "); ok && s != "-" {
			for _, i := range strings.Split(s, ",") {
				imports += fmt.Sprintf("import %q\n", strings.TrimSpace(i))
			}
		}
	}
	type point struct {
		args   map[string]string
		outs   []string
		val    []float64
		panics bool
	}
	var pts []*point
	var cur *point
	for _, l := range strings.Split(rest, "\n") {
		l, ok := strings.CutPrefix(l, "// @")
		if !ok {
			continue
		}
		k, v, _ := strings.Cut(l, " ")
		v = strings.TrimSpace(v)
		switch k {
		case "point":
			cur = &point{args: map[string]string{}}
			pts = append(pts, cur)
		case "arg":
			n, e, _ := strings.Cut(v, " = ")
			cur.args[n] = e[:strings.LastIndex(e, " ; ")]
		case "outs":
			cur.outs = strings.Split(v, " , ")
		case "val":
			for _, f := range strings.FieldsFunc(v, func(r rune) bool { return r == ' ' || r == ',' }) {
				x, err := strconv.ParseFloat(f, 64)
				if err != nil {
					t.Skip(err)
				}
				cur.val = append(cur.val, x)
			}
		case "panics":
			cur.panics = true
		}
	}
	p := srctest.Load(t, "package demo\n"+imports+rest)
	sig := p.Pkg.Scope().Lookup(entry).(*types.Func).Signature()
	extra := ""
	for pi, pt := range pts {
		for i := range sig.Params().Len() {
			q := sig.Params().At(i)
			ts := types.TypeString(q.Type(), func(o *types.Package) string {
				if o == p.Pkg {
					return ""
				}
				return o.Name()
			})
			extra += fmt.Sprintf("func arg%d_%d() %s { return %s }\n", pi, i, ts, pt.args[q.Name()])
		}
	}
	if strings.Contains(extra, "math.") && !strings.Contains(imports, `"math"`) {
		imports += "import \"math\"\n"
	}
	p = srctest.Load(t, "package demo\n"+imports+rest+"\n"+extra)
	f := p.Lift(t, entry)
	for round := range 3 {
		if round == 1 {
			for _, g := range p.Mod.Funcs {
				pass.Tidy(g)
			}
		}
		if round == 2 { // through the printed form
			all := ""
			for _, g := range p.Mod.Funcs {
				all += g.String()
			}
			m := &ssair.Module{Fset: p.Mod.Fset, Pkg: p.Mod.Pkg, Types: p.Mod.Types}
			fs, err := ssair.ParseModule(m, all)
			if err != nil {
				t.Fatalf("%v\n%s", err, all)
			}
			for i, g := range fs {
				if g.String() != p.Mod.Funcs[i].String() {
					t.Errorf("got\n%s\nwant\n%s", g, p.Mod.Funcs[i])
				}
				g.Obj = p.Mod.Funcs[i].Obj
				if p.Mod.Funcs[i] == f {
					defer func() {}()
				}
			}
			for i, g := range p.Mod.Funcs {
				if g == f {
					f = fs[i]
					break
				}
			}
			p.Mod.Funcs = fs
		}
		for pi, pt := range pts {
			m := interp.New(p.Mod)
			var vs []interp.Value
			for i := range f.Params {
				a := p.Lift(t, fmt.Sprintf("arg%d_%d", pi, i))
				v, err := m.Call(a)
				if err != nil {
					t.Fatal(err)
				}
				vs = append(vs, v[0])
			}
			res, err := m.Call(f, vs...)
			if pt.panics {
				if _, ok := err.(*interp.PanicError); !ok {
					t.Errorf("point %d: no panic: %v", pi, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("point %d: %v", pi, err)
				continue
			}
			outs := map[string]float64{}
			n := 0
			for i, r := range res {
				for j, x := range interp.Flatten(r, f.Results[i].Type) {
					_ = j
					outs[fmt.Sprintf("r%d", n)] = x
					n++
				}
			}
			for i, v := range vs {
				names := interp.LeafNames(sig.Params().At(i).Name(), v, f.Params[i].Type)
				for j, x := range interp.Flatten(v, f.Params[i].Type) {
					outs["post "+names[j]] = x
				}
			}
			for i, o := range pt.outs {
				o = strings.TrimSpace(o)
				x, ok := outs[o]
				want := pt.val[i]
				if !ok {
					t.Errorf("point %d: no output %q of %v", pi, o, outs)
				} else if !(math.Abs(x-want) <= 1e-6*math.Abs(want)+1e-9 || x == want || x != x && want != want) {
					t.Errorf("round %d, point %d: %s = %v, want %v", round, pi, o, x, want)
				}
			}
		}
	}
}
