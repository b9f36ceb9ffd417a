// Package deriv holds the transforms from IR to IR: forward mode with N lanes,
// reverse mode, and their compositions.
//
// The derivative of a function is an ordinary function of the IR, made of
// ordinary ops, so that every transform applies to the output of every other.
// What package deriv knows of elementary functions stands in the table of
// package rules; this package adds the rules of arithmetic, memory and control
// flow.
//
// Every reference that derivatives pass through has a shadow: a second
// reference to memory of the same shape and the same sharing. In forward mode
// the shadow holds tangents; in reverse mode it collects adjoints. Slicing,
// appending, taking addresses and storing references are mirrored on the
// shadows, op by op, in the forward sweep of either mode.
package deriv

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/quabla/quabla/ssair"
)

// A Refusal is the error for what cannot be differentiated.
type Refusal struct {
	Pos     token.Pos
	Message string
	Hint    string
	Func    *types.Func // whose body cannot be read, if that is why
}

// Error returns the message without its position.
func (r *Refusal) Error() string { return r.Message }

// refuse abandons the transform with a Refusal; recoverRefusal turns it into
// an error at the boundary of the package.
func refuse(pos token.Pos, hint, format string, args ...any) {
	for i, a := range args {
		if t, ok := a.(types.Type); ok {
			args[i] = types.TypeString(t, (*types.Package).Name)
		}
	}
	panic(&Refusal{Pos: pos, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// refuseCall refuses the call of a function whose body cannot be read.
func refuseCall(o *ssair.Op, hint, format string, args ...any) {
	fn, _ := o.Obj.(*types.Func)
	panic(&Refusal{Pos: o.Pos, Message: fmt.Sprintf(format, args...), Hint: hint, Func: fn})
}

func recoverRefusal(err *error) {
	switch r := recover().(type) {
	case nil:
	case *Refusal:
		*err = r
	default:
		panic(r)
	}
}
