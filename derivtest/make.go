package derivtest

import (
	"context"
	"io"
	"math"
	randv1 "math/rand"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/quabla/quabla/internal/leaves"
)

// A style says what arguments are made like.
type style struct {
	size   int // the length of slices and maps
	floats floatStyle
	ints   intStyle
	flat   bool // slices of floats have size*size elements, for matrices in one slice
}

type floatStyle int

const (
	signed    floatStyle = iota // around zero
	positive                    // around one
	unit                        // between zero and one
	ascending                   // positive, and the elements of a slice in order
	large                       // from one to five
	small                       // close to zero
)

type intStyle int

const (
	atSize intStyle = iota
	belowSize
	anyBelow // from zero to below the size
	one
	two
	none
)

// styles are the styles that are tried for a size, in this order. Without integers
// among the parameters those that differ in them only are left out.
func styles(size int, hasInts bool) []style {
	order := []style{
		{floats: signed}, {floats: positive}, {floats: unit}, {floats: signed, ints: belowSize}, {floats: positive, ints: belowSize},
		{floats: ascending}, {floats: signed, ints: anyBelow}, {floats: positive, ints: anyBelow}, {floats: unit, ints: belowSize},
		{floats: large}, {floats: small}, {floats: signed, flat: true}, {floats: positive, flat: true}, {floats: unit, flat: true},
		{floats: ascending, ints: belowSize}, {floats: large, ints: belowSize},
		{floats: signed, ints: one}, {floats: positive, ints: one}, {floats: signed, ints: two}, {floats: positive, ints: two},
		{floats: unit, ints: one}, {floats: signed, ints: none}, {floats: positive, ints: none},
	}
	var list []style
	for _, s := range order {
		if s.size = size; hasInts || s.ints == atSize && !s.flat {
			list = append(list, s)
		}
	}
	return list
}

// holds reports whether a type of some kind stands in t.
func holds(t reflect.Type, is func(reflect.Kind) bool, seen []reflect.Type) bool {
	if is(t.Kind()) {
		return true
	}
	if slices.Contains(seen, t) {
		return false
	}
	seen = append(seen[:len(seen):len(seen)], t)
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Pointer, reflect.Map:
		return holds(t.Elem(), is, seen)
	case reflect.Struct:
		for f := range t.Fields() {
			if holds(f.Type, is, seen) {
				return true
			}
		}
	}
	return false
}

func isInt(k reflect.Kind) bool     { return reflect.Int <= k && k <= reflect.Uint64 }
func hasLength(k reflect.Kind) bool { return k == reflect.Slice || k == reflect.Map }
func isNarrow(k reflect.Kind) bool  { return k == reflect.Float32 || k == reflect.Complex64 }

// A maker makes arguments.
type maker struct {
	style
	rng  *rand.Rand
	own  func(pkgPath string) bool // the package under test, whose fields may be filled
	open map[reflect.Type]int      // how often a named type is around the current place
}

// maxNesting limits how often a type stands in itself: lists have that many
// elements.
const maxNesting = 3

func (m *maker) value(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	m.fill(v)
	return v
}

// fill fills a variable, which holds its zero value.
func (m *maker) fill(v reflect.Value) {
	t := v.Type()
	if x := m.known(t); x.IsValid() {
		v.Set(x)
		return
	}
	if t.Name() != "" {
		if m.open[t] == maxNesting {
			return
		}
		m.open[t]++
		defer func() { m.open[t]-- }()
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(m.rng.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(m.int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(uint64(m.int()))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(m.float())
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(m.float(), m.float()))
	case reflect.String:
		v.SetString("a")
	case reflect.Array:
		for i := range v.Len() {
			m.element(v.Index(i))
		}
		m.order(v)
	case reflect.Slice:
		if e := t.Elem(); e.Kind() == reflect.Pointer && m.open[e.Elem()] == maxNesting || m.open[e] == maxNesting {
			return
		}
		n := m.size
		if k := t.Elem().Kind(); m.flat && (k == reflect.Float64 || k == reflect.Float32) {
			n *= m.size
		}
		v.Set(reflect.MakeSlice(t, n, n))
		for i := range n {
			m.element(v.Index(i))
		}
		m.order(v)
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for i := range m.size {
			k := reflect.New(t.Key()).Elem()
			m.key(k, i)
			v.SetMapIndex(k, m.value(t.Elem()))
		}
	case reflect.Pointer:
		if m.open[t.Elem()] == maxNesting {
			return
		}
		v.Set(reflect.New(t.Elem()))
		m.fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if f := t.Field(i); f.IsExported() || m.own(f.PkgPath) {
				m.fill(leaves.Settable(v.Field(i)))
			}
		}
	}
}

// known returns a value of a type of the standard library, as far as functions
// with derivatives can be expected to take it.
func (m *maker) known(t reflect.Type) reflect.Value {
	var x any
	switch t {
	case reflect.TypeFor[*rand.Rand]():
		x = rand.New(rand.NewPCG(m.rng.Uint64(), 1))
	case reflect.TypeFor[*rand.PCG]():
		x = rand.NewPCG(m.rng.Uint64(), 1)
	case reflect.TypeFor[*randv1.Rand]():
		x = randv1.New(randv1.NewSource(m.rng.Int64()))
	case reflect.TypeFor[rand.Source]():
		return reflect.ValueOf(rand.NewPCG(m.rng.Uint64(), 1)).Convert(t)
	case reflect.TypeFor[randv1.Source]():
		return reflect.ValueOf(randv1.NewSource(m.rng.Int64())).Convert(t)
	case reflect.TypeFor[context.Context]():
		return reflect.ValueOf(context.Background()).Convert(t)
	case reflect.TypeFor[io.Writer]():
		return reflect.ValueOf(io.Discard).Convert(t)
	default:
		return reflect.Value{}
	}
	return reflect.ValueOf(x)
}

func (m *maker) int() int {
	switch m.ints {
	case belowSize:
		return max(0, m.size-1)
	case anyBelow:
		return m.rng.IntN(max(1, m.size))
	case one:
		return 1
	case two:
		return 2
	case none:
		return 0
	}
	return m.size
}

// element fills an element of a slice or an array. Integers there are indices
// or labels more often than sizes.
func (m *maker) element(v reflect.Value) {
	saved := m.ints
	m.ints = anyBelow
	m.fill(v)
	m.ints = saved
}

// order puts the floats of a slice in order if the style says so.
func (m *maker) order(v reflect.Value) {
	if k := v.Type().Elem().Kind(); m.floats == ascending && (k == reflect.Float64 || k == reflect.Float32) {
		xs := make([]float64, v.Len())
		for i := range xs {
			xs[i] = v.Index(i).Float()
		}
		slices.Sort(xs)
		for i, x := range xs {
			v.Index(i).SetFloat(x)
		}
	}
}

// float returns a number with few digits, so that messages can be read.
func (m *maker) float() float64 {
	lo, hi := -1.5, 1.5
	switch m.floats {
	case positive:
		lo, hi = 0.2, 1.8
	case unit:
		lo, hi = 0.05, 0.95
	case ascending:
		lo, hi = 0.1, 3
	case large:
		lo, hi = 1, 5
	case small:
		lo, hi = -0.3, 0.3
	}
	for {
		if x := math.Round((lo+(hi-lo)*m.rng.Float64())*1e4) / 1e4; x != 0 {
			return x
		}
	}
}

// key makes the key number i of a map.
func (m *maker) key(k reflect.Value, i int) {
	switch {
	case k.Kind() == reflect.String:
		k.SetString(strings.Repeat("z", i/26) + string(rune('a'+i%26)))
	case k.CanInt():
		k.SetInt(int64(i))
	case k.CanUint():
		k.SetUint(uint64(i))
	case k.CanFloat():
		k.SetFloat(float64(i))
	case k.Kind() == reflect.Bool:
		k.SetBool(i%2 == 1)
	default:
		m.fill(k)
	}
}
