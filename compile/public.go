package compile

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/quabla/quabla/analyze"
	"github.com/quabla/quabla/ssair"
)

// shell adds the checks of the public form.
func (u *unit) shell() {}

// helperName returns the name of a helper function.
func (u *unit) helperName(f *ssair.Func) string {
	n := strings.Map(func(r rune) rune {
		if r == '.' {
			return -1
		}
		return r
	}, f.Name)
	r := []rune(n)
	r[0] = unicode.ToLower(r[0])
	n = string(r)
	if !strings.HasPrefix(n, lower(u.req.Name)) {
		r[0] = unicode.ToUpper(r[0])
		n = lower(u.req.Name) + string(r)
	}
	return n
}

func (u *unit) helperDoc(f *ssair.Func) string {
	return u.helperName(f) + " is a helper of " + u.req.Name + "."
}

// doc writes the comment of the public function.
func (u *unit) doc() string {
	return fmt.Sprintf("%s is %s.", u.req.Name, strings.TrimPrefix(u.req.For(), "the "))
}

var _ = analyze.Grad
