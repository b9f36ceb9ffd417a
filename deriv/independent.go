package deriv

import "github.com/quabla/quabla/ssair"

// Independent returns the parameters of f among those with wrt set that none of
// the outputs of r depends on, as far as derivatives go: what passes through an
// int or is rounded counts as constant.
func (d *Deriver) Independent(f *ssair.Func, r Request) (params []int, err error) {
	defer recoverRefusal(&err)
	f = d.t.prepare(f)
	for i, p := range f.Params {
		if !r.Wrt[i] {
			continue
		}
		active := make([]bool, len(f.Params))
		active[i] = true
		a := findActivity(f, active, &outputs{result: r.Result, param: r.Param}, d.t.bares[f])
		depends := a.value(p)
		for root := range a.al.Reach(a.al.Pts(p)) {
			depends = depends || a.root(root)
		}
		if !depends {
			params = append(params, i)
		}
	}
	return params, nil
}
