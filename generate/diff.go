package generate

import (
	"fmt"
	"strings"
)

// context is the number of equal lines around a change.
const context = 3

// unified returns the difference between two texts as a unified diff of the named
// file. A nil text is that of no file.
func unified(name string, old, new []byte) string {
	a, b := lines(old), lines(new)
	edits := compareLines(a, b)
	var out strings.Builder
	from, to := name, name
	if old == nil {
		from = "/dev/null"
	}
	if new == nil {
		to = "/dev/null"
	}
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, to)
	for i := 0; i < len(edits); {
		if edits[i].op == ' ' {
			i++
			continue
		}
		start := max(0, i-context)
		end, equal := i, 0
		for ; end < len(edits) && equal <= 2*context; end++ {
			if edits[end].op == ' ' {
				equal++
			} else {
				equal = 0
			}
		}
		end -= max(0, equal-context)
		hunk(&out, edits[start:end])
		i = end
	}
	return out.String()
}

// An edit is a line that is kept, deleted or inserted: ' ', '-' or '+'.
type edit struct {
	op   byte
	line string
	a, b int // number of lines before it in the old and in the new text
}

func hunk(out *strings.Builder, edits []edit) {
	nOld, nNew := 0, 0
	for _, e := range edits {
		if e.op != '+' {
			nOld++
		}
		if e.op != '-' {
			nNew++
		}
	}
	at := func(before, n int) string {
		if n > 0 {
			before++
		}
		return fmt.Sprintf("%d,%d", before, n)
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", at(edits[0].a, nOld), at(edits[0].b, nNew))
	for _, e := range edits {
		out.WriteByte(e.op)
		out.WriteString(e.line)
		if !strings.HasSuffix(e.line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	l := strings.SplitAfter(string(text), "\n")
	if l[len(l)-1] == "" {
		l = l[:len(l)-1]
	}
	return l
}

// compareLines returns a shortest list of edits from a to b, by the greedy
// algorithm of Myers, "An O(ND) Difference Algorithm and Its Variations" (1986).
func compareLines(a, b []string) []edit {
	prefix := 0
	for prefix < len(a) && prefix < len(b) && a[prefix] == b[prefix] {
		prefix++
	}
	suffix := 0
	for suffix < len(a)-prefix && suffix < len(b)-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	var edits []edit
	x, y := 0, 0
	keep := func(n int) {
		for range n {
			edits = append(edits, edit{' ', a[x], x, y})
			x, y = x+1, y+1
		}
	}
	keep(prefix)
	for _, op := range myers(a[prefix:len(a)-suffix], b[prefix:len(b)-suffix]) {
		switch op {
		case ' ':
			keep(1)
		case '-':
			edits = append(edits, edit{'-', a[x], x, y})
			x++
		case '+':
			edits = append(edits, edit{'+', b[y], x, y})
			y++
		}
	}
	keep(suffix)
	return edits
}

// maxEdits bounds the work of myers: texts that differ in more lines are shown as
// wholly different.
const maxEdits = 2000

func myers(a, b []string) []byte {
	n, m := len(a), len(b)
	limit := min(n+m, maxEdits)
	// v[k+limit+1] is the furthest x on diagonal k = x-y with d edits.
	v := make([]int, 2*limit+3)
	var trace [][]int
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int(nil), v...))
		for k := -d; k <= d; k += 2 {
			i := k + limit + 1
			x := v[i-1] + 1 // delete
			if k == -d || k != d && v[i-1] < v[i+1] {
				x = v[i+1] // insert
			}
			y := x - k
			for x < n && y < m && a[x] == b[y] {
				x, y = x+1, y+1
			}
			v[i] = x
			if x >= n && y >= m {
				return backtrack(trace, n, m, limit)
			}
		}
	}
	return []byte(strings.Repeat("-", n) + strings.Repeat("+", m))
}

// backtrack reads the edits off the trace of myers, from the end.
func backtrack(trace [][]int, x, y, limit int) []byte {
	var ops []byte
	for d := len(trace) - 1; d >= 0; d-- {
		v := trace[d]
		k := x - y
		i := k + limit + 1
		prevK := k - 1
		if k == -d || k != d && v[i-1] < v[i+1] {
			prevK = k + 1
		}
		prevX := v[prevK+limit+1]
		prevY := prevX - prevK
		for x > prevX && y > prevY && x > 0 && y > 0 {
			ops = append(ops, ' ')
			x, y = x-1, y-1
		}
		if d == 0 {
			break
		}
		if x == prevX {
			ops = append(ops, '+')
		} else {
			ops = append(ops, '-')
		}
		x, y = prevX, prevY
	}
	for i, j := 0, len(ops)-1; i < j; i, j = i+1, j-1 {
		ops[i], ops[j] = ops[j], ops[i]
	}
	return ops
}
