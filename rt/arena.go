package rt

// An Arena is scratch memory for slices of one type that are alive together, as
// many as are asked for. Generated functions keep one for each slice that outlives
// the trip of the loop that makes it, so that they allocate nothing once the memory
// is large enough. The zero value is ready for use. An Arena must not be used by two
// goroutines at a time.
type Arena[T any] struct {
	mem   []T
	used  int // of mem
	asked int // since Reset
}

// Mark returns the state of the arena for Release.
func (a *Arena[T]) Mark() int { return a.asked }

// Release takes back the slices that were made since Mark gave the state mark: they must
// no longer be used. Marks are released in the order of a stack, or not at all.
func (a *Arena[T]) Release(mark int) {
	// Where the memory has grown since then, nothing before the mark is in this piece.
	a.used = max(a.used-(a.asked-mark), 0)
	a.asked = mark
}

// New returns a pointer to a zeroed element, which is valid as slices are.
func (a *Arena[T]) New() *T { return &a.Make(1)[0] }

// Reset takes all memory back: the slices that were made before must no longer be
// used. What had come in several pieces is one piece from now on.
func (a *Arena[T]) Reset() {
	if a.asked > len(a.mem) {
		a.mem = make([]T, a.asked)
	}
	a.used, a.asked = 0, 0
}

// Make returns a zeroed slice of length and capacity n. It is valid until Reset. It
// panics if n is negative.
func (a *Arena[T]) Make(n int) []T {
	s := a.Take(n)
	clear(s)
	return s
}

// Take is Make without clearing: the elements hold what was there before.
func (a *Arena[T]) Take(n int) []T {
	if a.mem == nil || n > len(a.mem)-a.used {
		// Slices that were made before keep the old piece alive.
		a.mem, a.used = make([]T, max(n, 2*len(a.mem))), 0
	}
	a.used += n
	a.asked += n
	return a.mem[a.used-n : a.used : a.used]
}

// Append is append with memory of the arena: where s has no room, it is copied to a slice of at
// least twice the length. The slice that it returns is valid until that memory is taken back.
func (a *Arena[T]) Append(s []T, x T) []T {
	if len(s) == cap(s) {
		s = a.grow(s)
	}
	s = s[:len(s)+1]
	s[len(s)-1] = x
	return s
}

// grow returns s with room for more elements.
func (a *Arena[T]) grow(s []T) []T {
	t := a.Take(max(8, 2*len(s)))
	return t[:copy(t, s)]
}
