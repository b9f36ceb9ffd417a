package emit

import (
	"fmt"
	"os"
	"testing"

	"github.com/quabla/quabla/deriv"
	"github.com/quabla/quabla/internal/srctest"
	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/pass"
)

func TestDev(t *testing.T) {
	src := os.Getenv("SRC")
	if src == "" {
		t.Skip()
	}
	b, err := os.ReadFile(src)
	if err != nil {
		t.Fatal(err)
	}
	p := srctest.Load(t, string(b))
	f := p.Lift(t, "F")
	for _, g := range p.Mod.Funcs {
		pass.Tidy(g)
	}
	active := make([]bool, len(f.Params))
	for i, q := range f.Params {
		active[i] = ssair.ReachesScalar(q.Type)
	}
	res := make([]bool, len(f.Results))
	for i, r := range f.Results {
		res[i] = ssair.ReachesScalar(r.Type)
	}
	spec := deriv.ReverseSpec{Active: active, Result: res, Param: make([]bool, len(f.Params)), Unit: len(f.Results) == 1 && ssair.IsScalar(f.Results[0].Type)}
	g, err := deriv.Reverse(f, spec, "FGrad")
	if err != nil {
		t.Fatal(err)
	}
	j, err := deriv.Forward(f, active, 1, "FJVP")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = g, j
	file := &File{Pkg: p.Pkg}
	for _, tn := range p.Mod.Types {
		file.Types = append(file.Types, Type{Name: tn, Doc: p.Mod.TypeDocs[tn]})
	}
	for _, h := range p.Mod.Funcs {
		pass.Finish(h)
		if os.Getenv("IR") != "" {
			fmt.Println(h)
		}
		file.Funcs = append(file.Funcs, &Func{IR: h, Name: h.Name})
	}
	out, err := file.Source()
	fmt.Println(string(out))
	if err != nil {
		t.Fatal(err)
	}
}
