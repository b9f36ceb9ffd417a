package derivtest

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
)

// allocations checks the promises of doc comments: "does not allocate", and of a
// form with a work space, "allocates nothing once the work space has grown".
func (c *checker) allocations() {
	c.t.Helper()
	if race || len(c.points) == 0 {
		return // the race detector makes pools forget
	}
	p := c.points[0]
	if doc := c.doc(c.top.sig().Name); strings.Contains(doc, "does not allocate") {
		c.allocates(p, c.top.native, c.top.sig().Name)
	}
	if c.fn.In != nil {
		if doc := c.doc(c.req.InName); strings.Contains(doc, "allocates nothing once") {
			c.allocates(p, withWork(c.fn.In, c.recv(), c.vars), c.req.InName)
		}
	}
}

// doc returns the comment of a derived function.
func (c *checker) doc(name string) string {
	return c.src.docs[methodName(c.req.Func.Signature().Recv(), name)]
}

// allocates reports what a function allocates when it is called again. It counts
// in the memory profile, not with testing.AllocsPerRun: package reflect, through
// which the function is called, allocates the results, and the profile says in
// which line it was the function.
func (c *checker) allocates(p *point, way *native, name string) {
	c.t.Helper()
	lay, err := c.top.layoutOrNone(p)
	if c.problem(byAllocs, c.top, p, err) {
		return
	}
	const calls = 100
	var calling [calls + 2][]reflect.Value
	for k := range calling {
		args, err := c.top.inputs(p, c.top.someSeeds(lay, 50))
		if c.problem(byAllocs, c.top, p, err) {
			return
		}
		in, err := way.arguments(args)
		if c.problem(byAllocs, c.top, p, err) {
			return
		}
		calling[k] = in
	}
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 1
	defer func() { runtime.MemProfileRate = rate }()
	call := way.f.Call
	if way.f.Type().IsVariadic() {
		call = way.f.CallSlice
	}
	call(calling[0])
	call(calling[1])
	before := allocated(way.f)
	for _, in := range calling[2:] {
		call(in)
	}
	after := allocated(way.f)
	c.done[byAllocs]++
	for place, n := range after {
		// A collection empties pools, which are filled again by the first calls.
		if n -= before[place]; n >= calls/2 {
			c.fail(byAllocs, c.top, p, "%s promises not to allocate, but allocates %.3g objects in a call at %s", name, float64(n)/calls, place)
		}
	}
}

// allocated returns the number of objects that a function has allocated so far,
// by the place in the function.
func allocated(f reflect.Value) map[string]int64 {
	name := runtime.FuncForPC(f.Pointer()).Name()
	// What is allocated counts only from the second collection on.
	runtime.GC()
	runtime.GC()
	runtime.GC()
	records := make([]runtime.MemProfileRecord, 1000)
	for {
		n, ok := runtime.MemProfile(records, true)
		if ok {
			records = records[:n]
			break
		}
		records = make([]runtime.MemProfileRecord, 2*n)
	}
	counts := map[string]int64{}
	for _, r := range records {
		frames := runtime.CallersFrames(r.Stack())
		for {
			frame, more := frames.Next()
			if frame.Function == name {
				counts[fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)] += r.AllocObjects
				break
			}
			if !more {
				break
			}
		}
	}
	return counts
}
