package emit

import (
	"fmt"
	"go/types"
	"strings"
)

// A RuleCheck is a row of the table of rules in a generated test. Rules that there
// are not are nil.
type RuleCheck struct {
	Func               *types.Func
	JVP, VJP, Fwd, Bwd *types.Func
	Args               []types.Type // the type arguments of all of them

	// Lifted has, behind Args, a type argument for each of Lanes: the types of
	// numbers.
	Lifted *types.Func
	Lanes  []types.Type

	Wrt, Writes []int
	Surrogate   bool

	Points     string // the function that makes arguments, or ""
	PointsArgs []types.Type
}

// testedWidths are the numbers of lanes with which a lifted rule is tested.
var testedWidths = []int64{1, 2, 3}

// row prints the row.
func (c *RuleCheck) row(im *imports) string {
	name := c.Func.Name()
	if recv := c.Func.Signature().Recv(); recv != nil {
		name = recvTypeName(recv.Type()) + "." + name
	}
	if q := c.Func.Pkg(); q != nil && q != im.pkg {
		name = q.Name() + "." + name
	}
	s := fmt.Sprintf("{Name: %q, Func: %s", name, im.function(c.Func, c.Args))
	for _, r := range []struct {
		key string
		fn  *types.Func
	}{{"JVP", c.JVP}, {"VJP", c.VJP}, {"Fwd", c.Fwd}, {"Bwd", c.Bwd}} {
		if r.fn != nil {
			s += ", " + r.key + ": " + im.function(r.fn, c.Args)
		}
	}
	if c.Lifted != nil {
		var list []string
		for _, n := range testedWidths {
			args := append([]types.Type{}, c.Args...)
			for _, t := range c.Lanes {
				args = append(args, types.NewArray(t, n))
			}
			list = append(list, im.function(c.Lifted, args))
		}
		s += ", Lifted: []any{" + strings.Join(list, ", ") + "}"
	}
	ints := func(key string, list []int) {
		if len(list) > 0 {
			s += ", " + key + ": []int{" + strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]") + "}"
		}
	}
	ints("Wrt", c.Wrt)
	ints("Writes", c.Writes)
	if c.Surrogate {
		s += ", Surrogate: true"
	}
	if c.Points != "" {
		s += ", Points: " + c.Points + im.list(c.PointsArgs)
	}
	return s + "}"
}

// function prints a function, or a method as a function of its receiver.
func (im *imports) function(fn *types.Func, args []types.Type) string {
	q := ""
	if fn.Pkg() != nil {
		if name := im.qualifier(fn.Pkg()); name != "" {
			q = name + "."
		}
	}
	recv := fn.Signature().Recv()
	if recv == nil {
		return q + fn.Name() + im.list(args)
	}
	t := q + recvTypeName(recv.Type()) + im.list(args)
	if _, ok := types.Unalias(recv.Type()).(*types.Pointer); ok {
		t = "(*" + t + ")"
	}
	return t + "." + fn.Name()
}

// list prints type arguments.
func (im *imports) list(args []types.Type) string {
	if len(args) == 0 {
		return ""
	}
	var texts []string
	for _, t := range args {
		texts = append(texts, im.typ(t))
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
