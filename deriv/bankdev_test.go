package deriv

import (
	"fmt"
	"go/types"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quabla/quabla/internal/srctest"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/interp"
	"github.com/quabla/quabla/ssair/pass"
)

type devPoint struct {
	args   map[string]string
	active map[string]bool
	outs   []string
	val    []float64
	jac    map[string][]float64
	hess   map[string][][]float64
	allow  bool
	panics bool
	rtol   float64
}

func nums(s string) []float64 {
	var out []float64
	for _, f := range strings.Fields(s) {
		x, err := strconv.ParseFloat(f, 64)
		if err != nil {
			panic(err)
		}
		out = append(out, x)
	}
	return out
}

func TestBankDev(t *testing.T) {
	dir := os.Getenv("BANKDIR")
	if dir == "" {
		t.Skip()
	}
	pat := os.Getenv("CASE")
	if pat == "" {
		pat = "*"
	}
	files, _ := filepath.Glob(filepath.Join(dir, pat+".go-txt"))
	for _, f := range files {
		b, _ := os.ReadFile(f)
		t.Run(strings.TrimSuffix(filepath.Base(f), ".go-txt"), func(t *testing.T) {
			defer func() {
				if r := recover(); r != nil {
					if os.Getenv("CASE") != "" {
						panic(r)
					}
					t.Fatalf("PANIC %v", r)
				}
			}()
			devCase(t, string(b))
		})
	}
}

func devCase(t *testing.T, text string) {
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
	var pts []*devPoint
	var cur *devPoint
	for _, l := range strings.Split(rest, "\n") {
		l, ok := strings.CutPrefix(l, "// @")
		if !ok {
			continue
		}
		k, v, _ := strings.Cut(l, " ")
		v = strings.TrimSpace(v)
		switch k {
		case "point":
			cur = &devPoint{args: map[string]string{}, active: map[string]bool{}, jac: map[string][]float64{}, hess: map[string][][]float64{}, rtol: 1e-12}
			pts = append(pts, cur)
		case "arg":
			n, e, _ := strings.Cut(v, " = ")
			i := strings.LastIndex(e, " ; ")
			cur.args[n] = e[:i]
			cur.active[n] = strings.TrimSpace(e[i+3:]) == "active"
		case "outs":
			for _, o := range strings.Split(v, " , ") {
				cur.outs = append(cur.outs, strings.ReplaceAll(strings.TrimSpace(o), " ", "_"))
			}
		case "val":
			cur.val = nums(v)
		case "jac":
			o, r, _ := strings.Cut(v, " :")
			cur.jac[o] = nums(r)
		case "hess":
			o, r, _ := strings.Cut(v, " :")
			for _, row := range strings.Split(r, ";") {
				cur.hess[o] = append(cur.hess[o], nums(row))
			}
		case "allow":
			cur.allow = true
		case "panics":
			cur.panics = true
		case "rtol":
			x, _ := strconv.ParseFloat(strings.TrimRight(strings.Fields(v)[0], ":"), 64)
			cur.rtol = x
		}
	}
	src := "package demo\n" + imports + rest
	p := srctest.Load(t, src)
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
			e := pt.args[q.Name()]
			extra += fmt.Sprintf("func arg%d_%d() %s { return %s }\n", pi, i, ts, e)
		}
	}
	if strings.Contains(extra, "math.") && !strings.Contains(imports, `"math"`) {
		imports += "import \"math\"\n"
	}
	p = srctest.Load(t, "package demo\n"+imports+rest+"\n"+extra)
	f := p.Lift(t, entry)
	for _, g := range p.Mod.Funcs {
		pass.Tidy(g)
	}
	tr := newTransforms(p.Mod)
	for pi, pt := range pts {
		args := func(m *interp.Machine) []interp.Value {
			var vs []interp.Value
			for i := range f.Params {
				a := p.Lift(t, fmt.Sprintf("arg%d_%d", pi, i))
				v, err := m.Call(a)
				if err != nil {
					t.Fatal(err)
				}
				vs = append(vs, v[0])
			}
			return vs
		}
		active := make([]bool, len(f.Params))
		for i, q := range f.Params {
			active[i] = pt.active[q.Name()]
		}
		m := interp.New(p.Mod)
		res, err := m.Call(f, args(m)...)
		if pt.panics {
			if _, ok := err.(*interp.PanicError); !ok {
				t.Errorf("point %d: no panic: %v", pi, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("point %d: %v", pi, err)
		}
		_ = res
		spec := ReverseSpec{Active: active, Result: make([]bool, len(f.Results)), Param: make([]bool, len(f.Params)), SaveAll: os.Getenv("SAVEALL") != ""}
		for i, r := range f.Results {
			spec.Result[i] = ssair.ReachesScalar(r.Type)
		}
		for _, o := range pt.outs {
			if n, ok := strings.CutPrefix(o, "post_"); ok {
				n = regexp.MustCompile(`^[\pL_0-9]+`).FindString(n)
				for i, q := range f.Params {
					if q.Name() == n && !ssair.IsScalar(q.Type) {
						spec.Param[i] = true
					}
				}
			}
		}
		g := tryTransform(t, func() *ssair.Func { return tr.reverse(f, spec, "FVJP") })
		tr.saveAll = spec.SaveAll
		j := tryTransform(t, func() *ssair.Func { return tr.forward(f, active, 1, "FJVP") })
		for _, h := range append([]*ssair.Func{}, p.Mod.Funcs...) {
			if err := h.Verify(); err != nil {
				t.Fatalf("%v\n%s", err, h)
			}
			pass.Tidy(h)
			if err := h.Verify(); err != nil {
				t.Fatalf("%v\n%s", err, h)
			}
		}
		var h *ssair.Func
		if len(pt.hess) > 0 && os.Getenv("HESS") != "" {
			// dests, primal params, seeds; differentiate by the primal params
			act := make([]bool, len(g.Params))
			nd := 0
			for i, q := range f.Params {
				if (active[i] || spec.Param[i]) && ssair.HoldsRef(q.Type) && ssair.ReachesScalar(q.Type) {
					act[nd] = true
					nd++
				}
			}
			for i := range f.Params {
				act[nd+i] = active[i]
			}
			h = tryTransform(t, func() *ssair.Func { return tr.forward(g, act, 1, "FH") })
			for _, h := range append([]*ssair.Func{}, p.Mod.Funcs...) {
				pass.Tidy(h)
				if err := h.Verify(); err != nil {
					t.Fatalf("%v\n%s", err, h)
				}
			}
		}
		if os.Getenv("PRINT") != "" {
			fmt.Println(g)
			if os.Getenv("PRINT") == "2" {
				fmt.Println(j)
			}
		}
		check := func(mode, out string, got, want []float64) {
			if len(got) != len(want) {
				t.Errorf("point %d %s %s: %d entries, want %d", pi, mode, out, len(got), len(want))
				return
			}
			for k := range got {
				d := math.Abs(got[k] - want[k])
				if got[k] == want[k] || math.IsNaN(got[k]) && math.IsNaN(want[k]) || d <= 1e-13+pt.rtol*math.Abs(want[k]) {
					continue
				}
				if pt.allow {
					t.Logf("point %d %s %s entry %d: %v want %v (allowed)", pi, mode, out, k, got[k], want[k])
					continue
				}
				t.Errorf("point %d %s %s entry %d: got %v want %v", pi, mode, out, k, got[k], want[k])
			}
		}
		// reverse
		outIndex := func(o string) (res int, leaf int, param int) {
			o = strings.TrimPrefix(strings.TrimPrefix(o, "Re_"), "Im_")
			return -1, 0, 0
		}
		_ = outIndex
		for oi, o := range pt.outs {
			want, ok := pt.jac[o]
			if !ok {
				continue
			}
			m := interp.New(p.Mod)
			as := args(m)
			var call []interp.Value
			var dests []interp.Value
			var destOf []int
			for i, q := range f.Params {
				if (active[i] || spec.Param[i]) && ssair.HoldsRef(q.Type) && ssair.ReachesScalar(q.Type) {
					d := interp.ZeroLike(as[i], q.Type)
					dests = append(dests, d)
					destOf = append(destOf, i)
					if ssair.IsAggregate(q.Type) {
						d = interp.Pointer(interp.NewCell(q.Type, d))
						dests[len(dests)-1] = d
					}
					call = append(call, d)
				}
			}
			call = append(call, as...)
			// number of result leaves, in order
			var seeds []interp.Value
			k := oi
			m0 := interp.New(p.Mod)
			res0, err := m0.Call(f, args(m0)...)
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range f.Results {
				if !spec.Result[i] {
					continue
				}
				z := interp.ZeroLike(res0[i], r.Type)
				n := len(interp.Flatten(z, r.Type))
				if k >= 0 && k < n {
					z = seedLeaf(z, r.Type, k)
				}
				k -= n
				seeds = append(seeds, z)
			}
			if n, ok := strings.CutPrefix(o, "post_"); ok {
				k := 0
				for _, o2 := range pt.outs[:oi] {
					if strings.HasPrefix(o2, "post_"+regexp.MustCompile(`^[\pL_0-9]+`).FindString(n)) {
						k++
					}
				}
				for di, i := range destOf {
					if f.Params[i].Name() == regexp.MustCompile(`^[\pL_0-9]+`).FindString(n) {
						interp.SetLeaf(dests[di], f.Params[i].Type, k, 1)
					}
				}
			}
			call = append(call, seeds...)
			out, err := m.Call(g, call...)
			if err != nil {
				t.Fatalf("point %d reverse: %v", pi, err)
			}
			var row []float64
			bars := out[len(f.Results):]
			for i, q := range f.Params {
				if !active[i] {
					continue
				}
				if ssair.HoldsRef(q.Type) && ssair.ReachesScalar(q.Type) {
					for di, pj := range destOf {
						if pj == i {
							row = append(row, interp.Flatten(dests[di], destType(q.Type))...)
						}
					}
					continue
				}
				row = append(row, interp.Flatten(bars[0], q.Type)...)
				bars = bars[1:]
			}
			check("rev", o, row, want)
			if hw := pt.hess[o]; hw != nil && h != nil {
				devHess(t, p.Mod, f, h, spec, active, args, seeds, o, pt, oi, hw, func(e int, row []float64) {
					for k := range row {
						d := math.Abs(row[k] - hw[e][k])
						if !(row[k] == hw[e][k] || d <= 1e-12+math.Max(1e-10, pt.rtol)*math.Abs(hw[e][k])) && !pt.allow {
							t.Errorf("point %d hess %s %d,%d: got %v want %v", pi, o, e, k, row[k], hw[e][k])
						}
					}
				})
			}
		}
		// forward
		m = interp.New(p.Mod)
		as := args(m)
		nleaf := 0
		for i, q := range f.Params {
			if active[i] {
				nleaf += len(interp.Flatten(as[i], q.Type))
			}
		}
		got := map[string][]float64{}
		for e := range nleaf {
			m := interp.New(p.Mod)
			as := args(m)
			var call []interp.Value
			dots := map[int]interp.Value{}
			k := e
			for i, q := range f.Params {
				call = append(call, as[i])
				if !active[i] {
					continue
				}
				z := interp.ZeroLike(as[i], q.Type)
				n := len(interp.Flatten(z, q.Type))
				if k >= 0 && k < n {
					z = seedLeaf(z, q.Type, k)
				}
				k -= n
				dots[i] = z
				call = append(call, z)
			}
			out, err := m.Call(j, call...)
			if err != nil {
				t.Fatalf("point %d forward: %v", pi, err)
			}
			d := out[len(f.Results):]
			var col []float64
			for _, r := range f.Results {
				if ssair.ReachesScalar(r.Type) {
					col = append(col, interp.Flatten(d[0], r.Type)...)
					d = d[1:]
				}
			}
			for i, q := range f.Params {
				if spec.Param[i] {
					if active[i] {
						col = append(col, interp.Flatten(dots[i], q.Type)...)
					}
				}
			}
			for oi, o := range pt.outs {
				if oi < len(col) {
					got[o] = append(got[o], col[oi])
				}
			}
		}
		for o, want := range pt.jac {
			check("fwd", o, got[o], want)
		}
	}
}

func seedLeaf(z interp.Value, t types.Type, k int) interp.Value {
	c := interp.NewCell(t, z)
	interp.SetLeaf(interp.Pointer(c), types.NewPointer(t), k, 1)
	return c.Load(t)
}

func tryTransform(t *testing.T, f func() *ssair.Func) *ssair.Func {
	t.Helper()
	var err error
	var g *ssair.Func
	func() {
		defer recoverRefusal(&err)
		g = f()
	}()
	if err != nil {
		t.Fatalf("REFUSED %v", err)
	}
	return g
}

func devHess(t *testing.T, mod *ssair.Module, f, h *ssair.Func, spec ReverseSpec, active []bool, args func(*interp.Machine) []interp.Value, seeds []interp.Value, o string, pt *devPoint, oi int, want [][]float64, check func(int, []float64)) {
	m0 := interp.New(mod)
	as0 := args(m0)
	nleaf := 0
	for i, q := range f.Params {
		if active[i] {
			nleaf += len(interp.Flatten(as0[i], q.Type))
		}
	}
	for e := range nleaf {
		m := interp.New(mod)
		as := args(m)
		var call []interp.Value
		var dd []interp.Value
		var ddT []types.Type
		for i, q := range f.Params {
			if (active[i] || spec.Param[i]) && ssair.HoldsRef(q.Type) && ssair.ReachesScalar(q.Type) {
				d := interp.ZeroLike(as[i], q.Type)
				d2 := interp.ZeroLike(as[i], q.Type)
				if ssair.IsAggregate(q.Type) {
					d = interp.Pointer(interp.NewCell(q.Type, d))
					d2 = interp.Pointer(interp.NewCell(q.Type, d2))
				}
				if n, ok := strings.CutPrefix(o, "post_"); ok {
					name := regexp.MustCompile(`^[\pL_0-9]+`).FindString(n)
					k := 0
					for _, o2 := range pt.outs[:oi] {
						if strings.HasPrefix(o2, "post_"+name) {
							k++
						}
					}
					if q.Name() == name {
						interp.SetLeaf(d, destType(q.Type), k, 1)
					}
				}
				call = append(call, d, d2)
				dd = append(dd, d2)
				ddT = append(ddT, destType(q.Type))
			}
		}
		k := e
		for i, q := range f.Params {
			call = append(call, as[i])
			if !active[i] {
				continue
			}
			z := interp.ZeroLike(as[i], q.Type)
			n := len(interp.Flatten(z, q.Type))
			if k >= 0 && k < n {
				z = seedLeaf(z, q.Type, k)
			}
			k -= n
			call = append(call, z)
		}
		call = append(call, seeds...)
		out, err := m.Call(h, call...)
		if err != nil {
			t.Fatalf("hess: %v", err)
		}
		// results: f results, bars; then dots of those reaching scalars
		nbars := 0
		for i, q := range f.Params {
			if active[i] && !(ssair.HoldsRef(q.Type) && ssair.ReachesScalar(q.Type)) {
				nbars++
			}
		}
		dots := out[len(out)-nbars:]
		var row []float64
		di := 0
		for i, q := range f.Params {
			isRef := ssair.HoldsRef(q.Type) && ssair.ReachesScalar(q.Type)
			if isRef && (active[i] || spec.Param[i]) {
				if active[i] {
					row = append(row, interp.Flatten(dd[di], ddT[di])...)
				}
				di++
				continue
			}
			if active[i] {
				row = append(row, interp.Flatten(dots[0], q.Type)...)
				dots = dots[1:]
			}
		}
		check(e, row)
	}
}
