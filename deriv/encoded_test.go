package deriv_test

import (
	"strings"
	"testing"

	"github.com/quabla/quabla/deriv"
	"github.com/quabla/quabla/internal/srctest"
)

// TestEncoded holds ways in which an active number may become text, and the text a
// number again.
func TestEncoded(t *testing.T) {
	const src = `package demo

import (
	"fmt"
	"strconv"
)

func parse(s string) float64 {
	y, _ := strconv.ParseFloat(s, 64)
	return y
}

func deep(s string, n int) float64 {
	if n > 0 {
		return deep(s, n-1)
	}
	return parse(s)
}

func text(x float64, n int) string {
	if n > 0 {
		return text(x, n-1)
	}
	return fmt.Sprint(x)
}

type box struct{ s string }

func Plain(x float64) float64   { return x + parse(fmt.Sprint(x)) }
func Call(x float64) float64    { return x + deep(fmt.Sprint(x), 3) }
func Returned(x float64) float64 { return x + parse(text(x, 3)) }
func Field(x float64, b *box) float64 {
	b.s = fmt.Sprint(x)
	return x + parse(b.s)
}
func Slice(x float64, list []string, i int) float64 {
	list[0] = fmt.Sprint(x)
	return x + parse(list[i])
}
func Map(x float64, k string) float64 {
	m := map[string]string{"a": "1"}
	m["b"] = fmt.Sprint(x)
	return x + parse(m[k])
}
func Loop(x float64) float64 {
	s, t := fmt.Sprint(x), ""
	for i := range len(s) {
		t += s[i : i+1]
	}
	return x + parse(t)
}
func Branch(x float64, n int) float64 {
	t := "1"
	if n > 0 {
		t = fmt.Sprint(x)
	}
	return x + parse(t)
}
func Interface(x float64, a []any) float64 {
	a[0] = fmt.Sprint(x)
	return x + parse(a[1].(string))
}
func Bytes(x float64, b []byte) float64 {
	copy(b, fmt.Sprint(x))
	return x + parse(string(b))
}

// These are in order: what is read back is no number, or is another text.
func Printed(x float64, b *box) float64 {
	b.s = fmt.Sprint(x)
	fmt.Println(b.s)
	return x * x
}
func Other(x float64, in, out *box) float64 {
	return x * parse("2")
}
func Length(x float64) float64 { return x * float64(len(fmt.Sprint(x))) }
`
	p := srctest.Load(t, src)
	const want = "cannot differentiate the call of strconv.ParseFloat: its argument was computed from an active value by a function without derivative"
	for _, name := range []string{"Plain", "Call", "Returned", "Field", "Slice", "Map", "Loop", "Branch", "Interface", "Bytes"} {
		f := p.Lift(t, name)
		if _, err := deriv.New(f.Mod).Grad(f, request(f), "FGrad"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("grad of %s: %v", name, err)
		}
		if _, err := deriv.New(f.Mod).JVP(f, request(f), "FJVP"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("jvp of %s: %v", name, err)
		}
	}
	for _, name := range []string{"Printed", "Other", "Length"} {
		f := p.Lift(t, name)
		if _, err := deriv.New(f.Mod).Grad(f, request(f), "FGrad"); err != nil {
			t.Errorf("grad of %s: %v", name, err)
		}
	}
}
