package pass_test

import (
	"testing"

	"github.com/quabla/quabla/ssair/pass"
)

// TestSettled holds conditions that are known behind a check.
func TestSettled(t *testing.T) {
	f := parse(t, `func F(%1:n int, %2:m int) (bool) {
		%3 bool = cmp != %1, %2
		if %3 {
		then:
			%4 string = const "no"
			panic %4
			unreachable
		else:
			yield
		}
		%5 bool = if %3 {
		then:
			yield %3
		else:
			%6 bool = un ! %3
			yield %6
		}
		return %5
	}`)
	if !pass.Settled(f) || pass.Settled(f) {
		t.Error("wrong report of changes")
	}
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	pass.Tidy(f)
	want := parse(t, `func F(%1:n int, %2:m int) (bool) {
		%3 bool = cmp != %1, %2
		if %3 {
		then:
			%4 string = const "no"
			panic %4
			unreachable
		else:
			yield
		}
		%5 bool = const true
		return %5
	}`)
	if got := f.String(); got != want.String() {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestSettledBefore holds uses that a check does not settle: those in front of it,
// and those behind an if that goes on in both cases.
func TestSettledBefore(t *testing.T) {
	f := parse(t, `func F(%1:c bool, %2:d bool) (bool) {
		%3 bool = un ! %1
		if %1 {
		then:
			if %2 {
			then:
				%4 string = const "no"
				panic %4
				unreachable
			else:
				yield
			}
			yield
		else:
			yield
		}
		return %2
	}`)
	if pass.Settled(f) {
		t.Errorf("changed\n%s", f)
	}
}
