package ssair

// Numbers returns the numbers that [Func.String] gives to the values of f.
func (f *Func) Numbers() map[*Value]int {
	num := make(map[*Value]int)
	add := func(vs []*Value) {
		for _, v := range vs {
			if _, ok := num[v]; !ok {
				num[v] = len(num) + 1
			}
		}
	}
	add(f.Params)
	var region func(r *Region)
	region = func(r *Region) {
		for _, o := range r.Ops {
			add(o.Results)
			for _, n := range o.Regions {
				add(n.Params)
				region(n)
			}
		}
	}
	region(f.Body)
	return num
}
