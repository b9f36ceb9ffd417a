package rt

// A Buf is scratch memory for slices of one type. Generated functions keep one
// for each slice that they need while they run, so that they allocate nothing
// once the memory is large enough. The zero value is ready for use. A Buf must
// not be used by two goroutines at a time.
type Buf[T any] struct{ mem []T }

// Make returns a zeroed slice of length and capacity n. It is valid until the
// next call of Make or Take. It panics if n is negative.
func (b *Buf[T]) Make(n int) []T {
	s := b.Take(n)
	clear(s)
	return s
}

// Take is Make without clearing: the elements hold what was there before.
func (b *Buf[T]) Take(n int) []T {
	if b.mem == nil || cap(b.mem) < n {
		b.mem = make([]T, n)
	}
	return b.mem[:n:n]
}
