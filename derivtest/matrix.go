package derivtest

import (
	"fmt"
	"reflect"
)

// A matrix is an argument of a Jacobian or a Hessian. The compiled function gets
// one of gonum, the interpreter a stand-in; both are read from here afterwards.
type matrix struct {
	rows, cols int
	fill       float64
	real       reflect.Value // of gonum, of the latest call
	xs         []float64     // of the stand-in, row by row
	symmetric  bool          // the stand-in is
}

// in returns the matrix as a value of type t, a pointer to one of gonum, of the
// right size and filled. A matrix that has no rows or no columns is left empty.
func (m *matrix) in(t reflect.Type) reflect.Value {
	if m.real.IsValid() && m.real.Type() == t {
		return m.real // with what an earlier call left in it
	}
	m.real = reflect.New(t.Elem())
	if m.rows == 0 || m.cols == 0 {
		return m.real
	}
	switch x := m.real.Interface().(type) {
	case interface {
		ReuseAs(rows, cols int)
		Set(i, j int, x float64)
	}:
		x.ReuseAs(m.rows, m.cols)
		m.each(func(i, j int) { x.Set(i, j, m.fill) })
	case interface {
		ReuseAsSym(n int)
		SetSym(i, j int, x float64)
	}:
		x.ReuseAsSym(m.rows)
		m.each(func(i, j int) { x.SetSym(i, j, m.fill) })
	}
	return m.real
}

func (m *matrix) each(f func(i, j int)) {
	for i := range m.rows {
		for j := range m.cols {
			f(i, j)
		}
	}
}

// standIn makes the matrix ready for the interpreter.
func (m *matrix) standIn(symmetric bool) {
	m.symmetric = symmetric
	m.real = reflect.Value{}
	m.xs = make([]float64, m.rows*m.cols)
	for i := range m.xs {
		m.xs[i] = m.fill
	}
}

// set sets an entry of the stand-in.
func (m *matrix) set(i, j int, x float64) error {
	if i < 0 || j < 0 || i >= m.rows || j >= m.cols {
		return fmt.Errorf("entry %d,%d of a matrix with %d rows and %d columns is set", i, j, m.rows, m.cols)
	}
	m.xs[i*m.cols+j] = x
	if m.symmetric {
		m.xs[j*m.cols+i] = x
	}
	return nil
}

// read returns the entries, row by row.
func (m *matrix) read() slot {
	s := slot{xs: m.xs}
	if m.real.IsValid() {
		at := m.real.Interface().(interface{ At(i, j int) float64 })
		s.xs = nil
		if m.rows > 0 && m.cols > 0 {
			m.each(func(i, j int) { s.xs = append(s.xs, at.At(i, j)) })
		}
	}
	s.xs = append([]float64(nil), s.xs...)
	s.names = func() []string {
		var names []string
		m.each(func(i, j int) { names = append(names, fmt.Sprintf("[%d,%d]", i, j)) })
		return names
	}
	return s
}
