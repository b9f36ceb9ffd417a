package rt

import "unsafe"

// A visit is memory that was looked at as n values of a type.
type visit struct {
	at unsafe.Pointer
	as *layout
	n  int
}

// A visited is a set of visits, with the memory of another value that belongs to each: a
// hash table with linear probing, which is emptied at once and keeps its room.
type visited struct {
	slots []visitSlot // none or a power of two of them, at most half of them in use
	n     int
	turn  uint // slots of other turns are empty
}

type visitSlot struct {
	visit
	to   unsafe.Pointer
	turn uint
}

// enter adds v, to which the memory to belongs. If v is there already, it returns what was
// said to belong to it.
func (s *visited) enter(v visit, to unsafe.Pointer) (old unsafe.Pointer, first bool) {
	if 2*s.n >= len(s.slots) {
		s.grow()
	}
	p := s.find(v)
	if p.turn == s.turn {
		return p.to, false
	}
	*p = visitSlot{v, to, s.turn}
	s.n++
	return to, true
}

// first adds v and reports whether it was not there.
func (s *visited) first(v visit) bool {
	_, ok := s.enter(v, nil)
	return ok
}

// find returns the slot of v, or the empty one where it belongs.
func (s *visited) find(v visit) *visitSlot {
	mask := uint64(len(s.slots) - 1)
	// Fibonacci hashing (Knuth, volume 3, section 6.4): the upper bits are well mixed.
	h := (uint64(uintptr(v.at))*31 + uint64(uintptr(unsafe.Pointer(v.as))) + uint64(v.n)) * 0x9e3779b97f4a7c15
	for i := h >> 32 & mask; ; i = (i + 1) & mask {
		if p := &s.slots[i]; p.turn != s.turn || p.visit == v {
			return p
		}
	}
}

func (s *visited) grow() {
	old := s.slots
	s.slots = make([]visitSlot, max(16, 2*len(old)))
	if s.turn == 0 {
		s.turn = 1 // new slots are empty
	}
	for i := range old {
		if p := &old[i]; p.turn == s.turn {
			*s.find(p.visit) = *p
		}
	}
}

// empty takes all visits away. What they refer to is kept alive until their places are
// used again.
func (s *visited) empty() {
	s.n = 0
	s.turn++
}

// box returns a variable that holds x: memory whose address may be handed on. unbox takes it
// back.
func box[T any](x T) *T {
	p := Pool[T]().Get().(*T)
	*p = x
	return p
}

func unbox[T any](p *T) {
	var zero T
	*p = zero
	Pool[T]().Put(p)
}
