// Package ssair is the intermediate representation of Quabla: one IR for
// scalars, memory and structured control flow, on which every transform works.
//
// A [Func] has parameters and a body, which is a [Region]: a list of [Op]s in
// static single assignment form. Control flow is structured. An if or a loop
// is an op with nested regions; there are no branches, and every region has
// one way out, its terminator. Early returns, breaks and continues of the
// source are expressed by nesting what follows them, which the emitter turns
// back into the shape of the source.
//
// A [Value] has a Go type and, where it stands for a variable of the source,
// that variable's name. Memory is an effect, not a value: loads and stores are
// ordered ops on references, and a reference is a slice, a pointer or a map.
// Local variables start out as memory too (an [Alloc] each); package pass
// promotes those that need no memory to values.
//
// The package knows no derivative: it holds the ops, the [Builder], the
// printer ([Func.String]), the parser ([ParseFunc]) and the verifier
// ([Func.Verify]). Lifting from Go source is in ssair/lift, the optimisation
// passes in ssair/pass and the reference interpreter in ssair/interp.
package ssair
