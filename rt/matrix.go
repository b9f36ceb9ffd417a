package rt

import "fmt"

// A Matrix is a matrix of gonum, as far as [Resize] needs it.
type Matrix interface {
	Dims() (rows, cols int)
	IsEmpty() bool
}

// Resize gives m, if it is empty, the size rows times cols. It panics with what,
// which names a function and its parameter, if m has another size already. A
// matrix of gonum without rows or columns cannot exist: m is left empty then.
func Resize(what string, m Matrix, rows, cols int) {
	if m.IsEmpty() {
		if rows == 0 || cols == 0 {
			return
		}
		switch m := m.(type) {
		case interface{ ReuseAs(rows, cols int) }:
			m.ReuseAs(rows, cols)
			return
		case interface{ ReuseAsSym(n int) }:
			m.ReuseAsSym(rows)
			return
		}
	}
	if r, c := m.Dims(); r != rows || c != cols {
		panic(fmt.Sprintf("%s is %d×%d, want %d×%d", what, r, c, rows, cols))
	}
}
