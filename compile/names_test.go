package compile

import "testing"

func TestUnexported(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"F", "f"}, {"FGrad", "fGrad"}, {"fGrad", "fGrad"}, {"LossGrad", "lossGrad"}, {"HTTPGrad", "httpGrad"}, {"HTTP", "http"},
		{"FJVP", "fjvp"}, {"ÄrgerGrad", "ärgerGrad"}, {"A1Grad", "a1Grad"}, {"_F", "_F"},
	} {
		if got := unexported(c.in); got != c.want {
			t.Errorf("%s becomes %s, want %s", c.in, got, c.want)
		}
	}
}

func TestList(t *testing.T) {
	for _, c := range []struct {
		in   []string
		want string
	}{
		{nil, "none"}, {[]string{"a"}, "a"}, {[]string{"a", "b"}, "a and b"}, {[]string{"a", "b", "c"}, "a, b and c"},
	} {
		if got := list(c.in); got != c.want {
			t.Errorf("%v becomes %q, want %q", c.in, got, c.want)
		}
	}
}

func TestSubscript(t *testing.T) {
	for _, c := range []struct{ in, want string }{{"dx", "[i]"}, {"dx[i]", "[j]"}, {"dx[i].Rows[j]", "[k]"}} {
		if got := subscript(c.in); got != c.want {
			t.Errorf("%s is indexed by %s, want %s", c.in, got, c.want)
		}
	}
}
