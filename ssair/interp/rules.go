package interp

import "github.com/quabla/quabla/rules"

// elementary returns the function of a row of package rules.
func elementary(name string) func(args []float64) []float64 {
	row := rules.Lookup(name)
	if row == nil {
		return nil
	}
	return func(args []float64) []float64 { return row.Call(args...) }
}
