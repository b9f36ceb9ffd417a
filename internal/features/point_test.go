package features

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// A point is one set of arguments of F with what a case says about it.
type point struct {
	name   string
	rel    float64
	abs    float64
	args   []argument
	leaves []string // of the active arguments
	outs   int
	panics bool
	want   map[string]string // numbers by what they are, see [key]
}

type argument struct {
	name, expr string
	leaves     []string
	active     bool
}

// key names output out, differentiated by leaves, in any order.
func key(out int, by []int) string {
	by = slices.Clone(by)
	slices.Sort(by)
	return fmt.Sprint(out, by)
}

// points makes the points of a case.
func (p *program) points(f *feature, s *signature) ([]*point, error) {
	rel, abs, err := f.within()
	if err != nil {
		return nil, err
	}
	// The inputs that count points.
	var axes []string
	sizes := map[string]int{}
	for _, prm := range s.params {
		if list, ok := f.Inputs[prm.name].([]any); ok && scalar(prm.typ) {
			axes, sizes[prm.name] = append(axes, prm.name), len(list)
		}
	}
	shape := []int{}
	if p.product != nil {
		for _, a := range p.product {
			shape = append(shape, sizes[a])
		}
	} else if len(axes) > 0 {
		shape = []int{sizes[axes[0]]}
		for _, a := range axes {
			if sizes[a] != shape[0] {
				return nil, fmt.Errorf("%d values of %s, but %d of %s", sizes[a], a, shape[0], axes[0])
			}
		}
	}
	for name := range f.Inputs {
		used := slices.Contains(p.free, name) || slices.ContainsFunc(s.params, func(q param) bool { return q.name == name })
		for _, a := range p.args {
			used = used || regexp.MustCompile(`\$`+name+`\b`).MatchString(a.expr)
		}
		if !used {
			return nil, fmt.Errorf("the input %s is not used", name)
		}
	}
	var list []*point
	for _, at := range indices(shape) {
		pt := &point{name: f.ID, rel: rel, abs: abs, outs: s.results, want: map[string]string{}, panics: p.panics != nil}
		for _, i := range at {
			pt.name += fmt.Sprintf(".%d", i)
		}
		pick := func(name string) any {
			v := f.Inputs[name]
			if p.product != nil {
				if k := slices.Index(p.product, name); k >= 0 {
					return v.([]any)[at[k]]
				}
				return v
			}
			if _, ok := sizes[name]; ok {
				return v.([]any)[at[0]]
			}
			return v
		}
		for _, prm := range s.params {
			a := argument{name: prm.name}
			if x, ok := p.args[prm.name]; ok {
				a.leaves = x.leaves
				a.expr = regexp.MustCompile(`\$\w+`).ReplaceAllStringFunc(x.expr, func(name string) string {
					text, ok := goValue(f.Inputs[name[1:]])
					if !ok {
						text = name
					}
					return text
				})
			} else if a.expr, a.leaves, err = s.value(prm.name, prm.typ, pick(prm.name)); err != nil {
				return nil, err
			}
			a.active = len(a.leaves) > 0 && !slices.Contains(p.consts, prm.name)
			if a.active {
				pt.leaves = append(pt.leaves, a.leaves...)
			}
			pt.args = append(pt.args, a)
		}
		list = append(list, pt)
	}
	for _, field := range sorted(f.Expect) {
		if slices.Contains(slices.Concat(p.tests, p.panics, p.held, p.others), field) {
			continue
		}
		spec, ok := p.fields[field]
		if !ok {
			spec = fieldDefault(field, s)
		}
		if spec == "" {
			return nil, fmt.Errorf("what is the field %s?", field)
		}
		for k, at := range indices(shape) {
			v := f.Expect[field]
			for _, i := range at {
				l, ok := v.([]any)
				if !ok {
					break // the same everywhere
				}
				if i >= len(l) {
					return nil, fmt.Errorf("%s has no entry %v", field, at)
				}
				v = l[i]
			}
			for _, one := range strings.Split(spec, ", ") {
				if err := list[k].expect(s, one, v); err != nil {
					return nil, fmt.Errorf("%s = %s: %w", field, one, err)
				}
			}
		}
	}
	for _, pt := range list {
		if p.outs > 0 {
			pt.outs = p.outs
		}
	}
	return list, nil
}

// goValue spells an input within an explicit argument.
func goValue(v any) (string, bool) {
	if list, ok := v.([]any); ok {
		var parts []string
		for _, e := range list {
			text, ok := goValue(e)
			if !ok {
				return "", false
			}
			parts = append(parts, text)
		}
		return "[]float64{" + strings.Join(parts, ", ") + "}", true
	}
	return literal(v)
}

// flat returns the numbers of lists of lists in order.
func flat(v any, head []any) []any {
	list, ok := v.([]any)
	if !ok {
		return append(head, v)
	}
	for _, e := range list {
		head = flat(e, head)
	}
	return head
}

// indices returns all indices into an array of a shape.
func indices(shape []int) [][]int {
	list := [][]int{nil}
	for _, n := range shape {
		var next [][]int
		for _, head := range list {
			for i := range n {
				next = append(next, append(slices.Clip(head), i))
			}
		}
		list = next
	}
	return list
}

// expect notes what a field says: v is what spec says it is.
func (pt *point) expect(s *signature, spec string, v any) error {
	words := strings.Fields(spec)
	only := ""
	if words[0] == "diag" || words[0] == "off" {
		only, words = words[0], words[1:]
	}
	if words[0] == "same" {
		for _, e := range flat(v, nil) {
			if err := pt.expect(s, strings.TrimPrefix(spec, "same "), e); err != nil {
				return err
			}
		}
		return nil
	}
	if from, ok := strings.CutSuffix(words[0], "*"); ok {
		base, err := strconv.Atoi("0" + strings.TrimPrefix(from, "r"))
		if err != nil {
			return err
		}
		list, ok := v.([]any)
		if len(words) == 1 {
			list, ok = flat(v, nil), true
		}
		if !ok {
			return fmt.Errorf("%v is no list", v)
		}
		for i, e := range list {
			if err := pt.expect(s, strings.Replace(spec, words[0], fmt.Sprint("r", base+i), 1), e); err != nil {
				return err
			}
		}
		return nil
	}
	var out int
	if _, err := fmt.Sscanf(words[0], "r%d", &out); err != nil {
		return fmt.Errorf("%q is no output", words[0])
	}
	var by [][]int // the leaves that each word behind by stands for
	var many []bool
	if len(words) > 1 {
		for _, w := range words[2:] {
			var list []int
			for i, l := range pt.leaves {
				if l == w || strings.HasPrefix(l, w+"[") || strings.HasPrefix(l, w+".") || w == "*" {
					list = append(list, i)
				}
			}
			if len(list) == 0 {
				return fmt.Errorf("no leaf %q", w)
			}
			by = append(by, list)
			many = append(many, len(list) > 1 || pt.leaves[list[0]] != w)
		}
	}
	var visit func(at []int, left [][]int, v any) error
	visit = func(at []int, left [][]int, v any) error {
		if len(left) == 0 {
			text, ok := expected(v)
			if !ok {
				return fmt.Errorf("%v is no number", v)
			}
			if old, ok := pt.want[key(out, at)]; ok && old != text {
				return fmt.Errorf("%s and %s for the same number", old, text)
			}
			pt.want[key(out, at)] = text
			return nil
		}
		if !many[len(by)-len(left)] {
			return visit(append(slices.Clip(at), left[0][0]), left[1:], v)
		}
		list, ok := v.([]any)
		if m, isMap := v.(map[string]any); isMap {
			ok = true
			for _, k := range sorted(m) {
				list = append(list, m[k])
			}
		}
		if !ok || len(list) != len(left[0]) {
			return fmt.Errorf("%v are not %d numbers", v, len(left[0]))
		}
		for i, leaf := range left[0] {
			if err := visit(append(slices.Clip(at), leaf), left[1:], list[i]); err != nil {
				return err
			}
		}
		return nil
	}
	switch only {
	case "diag":
		list, ok := v.([]any)
		if !ok || len(by) != 2 || len(list) != len(by[0]) {
			return fmt.Errorf("%v is no diagonal", v)
		}
		for i, leaf := range by[0] {
			if err := visit([]int{leaf, by[1][i]}, nil, list[i]); err != nil {
				return err
			}
		}
		return nil
	case "off":
		for _, i := range by[0] {
			for _, j := range by[1] {
				if i != j {
					if err := visit([]int{i, j}, nil, v); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
	return visit(nil, by, v)
}

// fieldDefault says what a field is by its name: y, f, loss and out are output 0;
// dx is its derivative by x, d2x the second one, dxds a mixed one; d2 the second
// derivative by the only leaf; grad, H and J are all derivatives by all leaves.
func fieldDefault(field string, s *signature) string {
	isParam := func(name string) bool {
		return slices.ContainsFunc(s.params, func(p param) bool { return p.name == name })
	}
	first := s.params[0].name
	repeat := func(name string, n int) string { return "r0 by" + strings.Repeat(" "+name, n) }
	switch field {
	case "y", "f", "loss", "out", "value":
		return "r0"
	case "grad":
		if len(s.params) == 1 {
			return repeat(first, 1)
		}
		return "r0 by *"
	case "H":
		return "r0 by * *"
	case "dydx", "dfdx", "d1", "df":
		if len(s.params) == 1 {
			return repeat(first, 1)
		}
	}
	if m := regexp.MustCompile(`^d([2-9])(ydx[2-9])?$`).FindStringSubmatch(field); m != nil && len(s.params) == 1 {
		n, _ := strconv.Atoi(m[1])
		return repeat(first, n)
	}
	if m := regexp.MustCompile(`^d([2-9]?)([a-z]\w*)$`).FindStringSubmatch(field); m != nil && isParam(m[2]) {
		n, _ := strconv.Atoi(m[1])
		return repeat(m[2], max(1, n))
	}
	// dadb2
	spec := ""
	for rest := field; rest != ""; {
		m := regexp.MustCompile(`^d([a-z])([1-9]?)`).FindStringSubmatch(rest)
		if m == nil || !isParam(m[1]) {
			return ""
		}
		n, _ := strconv.Atoi(m[2])
		spec += strings.Repeat(" "+m[1], max(1, n))
		rest = rest[len(m[0]):]
	}
	return "r0 by" + spec
}

// text writes a point in the format of the bank, one of single precision if single
// is set.
func (pt *point) text(b *strings.Builder, single bool) {
	fmt.Fprintf(b, "// @point %s\n", pt.name)
	for _, a := range pt.args {
		kind := "const"
		if a.active {
			kind = "active"
		}
		fmt.Fprintf(b, "// @arg %s = %s ; %s\n", a.name, a.expr, kind)
	}
	if pt.panics {
		b.WriteString("// @panics\n")
		return
	}
	var outs []string
	for o := range pt.outs {
		outs = append(outs, fmt.Sprint("r", o))
	}
	fmt.Fprintf(b, "// @leaves %s\n// @outs %s\n", strings.Join(pt.leaves, " , "), strings.Join(outs, " , "))
	number := func(out int, by ...int) string {
		if text, ok := pt.want[key(out, by)]; ok {
			return text
		}
		return "?"
	}
	b.WriteString("// @val")
	for o := range pt.outs {
		b.WriteString(" " + number(o))
	}
	b.WriteString("\n")
	n := len(pt.leaves)
	for o, out := range outs {
		var row, rows []string
		for i := range n {
			row = append(row, number(o, i))
			line := ""
			for j := range n {
				line += " " + number(o, i, j)
			}
			rows = append(rows, line)
		}
		if text := strings.Join(row, " "); strings.Trim(text, "? ") != "" {
			fmt.Fprintf(b, "// @jac %s : %s\n", out, text)
		}
		if text := strings.Join(rows, " ;"); strings.Trim(text, "? ;") != "" {
			fmt.Fprintf(b, "// @hess %s :%s\n", out, text)
		}
	}
	var high []string
	for k, x := range pt.want {
		var out int
		var by []int
		fmt.Sscan(k, &out)
		for _, w := range strings.Fields(strings.Trim(k[strings.Index(k, "["):], "[]")) {
			i, _ := strconv.Atoi(w)
			by = append(by, i)
		}
		if len(by) < 3 {
			continue
		}
		name := ""
		for _, i := range by {
			name += pt.leaves[i]
		}
		if n == 1 {
			name = fmt.Sprint("order ", len(by))
		}
		high = append(high, fmt.Sprintf("// @d3 r%d %s : %s\n", out, name, x))
	}
	sort.Strings(high)
	b.WriteString(strings.Join(high, ""))
	fmt.Fprintf(b, "// @within %g %g\n", pt.rel, pt.abs)
	if single { // of sums of what is stated
		b.WriteString("// @rtol 6e-7\n")
	}
}

// orders returns the orders of derivatives that are stated, as bits.
func (pt *point) orders() uint {
	var set uint
	if pt.panics {
		set = 1 << 1
	}
	for k := range pt.want {
		set |= 1 << len(strings.Fields(strings.Trim(k[strings.Index(k, "["):], "[]")))
	}
	return set
}

// bankCase writes points of one source as a case of the bank.
func bankCase(id, code string, pts []*point) string {
	var orders uint
	for _, pt := range pts {
		orders |= pt.orders()
	}
	var modes []string
	for k, list := range []string{1: "grad jvp vjp jac", 2: "hess hvp", 3: "third", 4: "higher"} {
		if orders>>k&1 != 0 {
			modes = append(modes, list)
		}
	}
	standIn := ""
	if strings.Contains(code, "rt.Deriv") { // the bank puts it back and compiles the value too
		code = strings.ReplaceAll(code, "rt.Deriv", "deriv") +
			"\nfunc deriv(f func(float64) float64, x float64) float64 { panic(x) }\n"
		standIn = "standin: deriv=rt.Deriv\n"
	}
	var imports []string
	for _, path := range []string{"fmt", "math", "slices", "sort", "maps", "errors", "github.com/quabla/quabla/rt"} {
		if regexp.MustCompile(`\b` + path[strings.LastIndex(path, "/")+1:] + `\.[A-Z]`).MatchString(code) {
			imports = append(imports, path)
		}
	}
	if imports == nil {
		imports = []string{"-"}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "id: %s\nsource: feature cases\naccept: exact\nentry: F\nimports: %s\nmodes: %s\n%s---\n%s\n",
		id, strings.Join(imports, ", "), strings.Join(modes, " "), standIn, strings.TrimRight(code, "\n"))
	b.WriteString("\n// how: as the feature cases state\n")
	for _, pt := range pts {
		pt.text(&b, strings.Contains(code, "float32"))
	}
	return b.String()
}
