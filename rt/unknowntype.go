package rt

import "fmt"

// UnknownType returns the message for an interface that holds a type for which
// there is no derivative: what, and the type of x. If x is nil, it panics as a call
// of a method of x does.
func UnknownType(what string, x any) string {
	if x == nil {
		var nothing error
		return nothing.Error()
	}
	return fmt.Sprintf("%s for a %T", what, x)
}
