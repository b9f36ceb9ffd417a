package rt

import (
	"testing"
	"unsafe"
)

func TestVisited(t *testing.T) {
	var s visited
	mem := make([]float64, 300)
	as := &layout{}
	at := func(i int) unsafe.Pointer { return unsafe.Pointer(&mem[i]) }
	for range 3 {
		for i := range mem {
			if !s.first(visit{at(i), as, 1}) || s.first(visit{at(i), as, 1}) {
				t.Fatalf("element %d: first is wrong", i)
			}
		}
		for i := range mem {
			if old, first := s.enter(visit{at(i), as, 2}, at(299-i)); !first || old != at(299-i) {
				t.Fatalf("element %d as two values: %v, %t", i, old, first)
			}
			if old, first := s.enter(visit{at(i), as, 2}, nil); first || old != at(299-i) {
				t.Fatalf("element %d as two values, again: %v, %t", i, old, first)
			}
		}
		s.empty()
	}
}
