package interp_test

import (
	"fmt"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/interp"
)

func Example() {
	mod := &ssair.Module{}
	f, err := ssair.ParseFunc(mod, `
func Third(%1:x []float64, %2:i int) (float64) {
  %3 float64 = load [] %1, %2
  %4 float64 = const 1/3
  %5 float64 = bin * %3, %4
  store [] %1, %2, %5
  return %5
}`)
	if err != nil {
		panic(err)
	}
	x, err := interp.FromGo(f.Params[0].Type, []float64{1, 2, 3})
	if err != nil {
		panic(err)
	}
	m := interp.New(mod)
	results, err := m.Call(f, x, interp.Int(2))
	fmt.Println(results[0].Float(), err)
	fmt.Println(interp.Flatten(x, f.Params[0].Type))
	_, err = m.Call(f, x, interp.Int(5))
	fmt.Println(err)
	// Output:
	// 1 <nil>
	// [1 2 1]
	// Third: panic: runtime error: index out of range [5] with length 3
}
