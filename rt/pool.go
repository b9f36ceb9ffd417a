package rt

import (
	"reflect"
	"sync"
)

var pools sync.Map // from reflect.Type to *sync.Pool

// Pool returns the pool that holds unused values of type *T. It is the same one in
// each call: generic functions, which can have no variables of their own outside,
// take their work spaces from there.
func Pool[T any]() *sync.Pool {
	t := reflect.TypeFor[T]()
	p, ok := pools.Load(t)
	if !ok {
		p, _ = pools.LoadOrStore(t, &sync.Pool{New: func() any { return new(T) }})
	}
	return p.(*sync.Pool)
}
