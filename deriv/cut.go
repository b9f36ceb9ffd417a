package deriv

import (
	"go/constant"

	"github.com/quabla/quabla/rules"
	"github.com/quabla/quabla/ssair"
)

// A cutGraph finds the cheapest set of values to save. Every node is a value
// with the cost of saving it; an edge says that one value is computed from
// another. Sources are values that cannot be computed again, sinks are values
// that are needed. A minimum vertex cut between them is what to save (the
// max-flow min-cut theorem of Ford and Fulkerson, with every vertex split into
// an edge of its cost).
type cutGraph struct {
	index map[*ssair.Value]int
	// Vertex v is split into nodes 2v (in) and 2v+1 (out); 0 and 1 are the
	// source and the sink.
	edges []cutEdge
	adj   [][]int
	s, t  int
}

func newCutGraph() *cutGraph {
	g := &cutGraph{index: map[*ssair.Value]int{}, s: 0, t: 1}
	g.adj = make([][]int, 2)
	return g
}

type cutEdge struct {
	to, cap int
}

const infinite = 1 << 40

func (g *cutGraph) node(v *ssair.Value, cost int) int {
	n := len(g.index) + 1
	g.index[v] = n
	g.adj = append(g.adj, nil, nil)
	g.connect(2*n, 2*n+1, cost)
	return n
}

func (g *cutGraph) connect(a, b, c int) {
	g.adj[a] = append(g.adj[a], len(g.edges))
	g.edges = append(g.edges, cutEdge{b, c})
	g.adj[b] = append(g.adj[b], len(g.edges))
	g.edges = append(g.edges, cutEdge{a, 0})
}

func (g *cutGraph) edge(from, to int) { g.connect(2*from+1, 2*to, infinite) }
func (g *cutGraph) source(n int)      { g.connect(g.s, 2*n, infinite) }
func (g *cutGraph) sink(n int)        { g.connect(2*n+1, g.t, infinite) }

// again gives vertex n, which can be computed again, the cost of doing so: it
// is paid when the vertex lies behind the cut.
func (g *cutGraph) again(n, cost int) { g.connect(g.s, 2*n, cost) }

// cut returns the vertices of a minimum cut, the one that lies nearest to the
// sinks: among equally cheap ones it recomputes least.
func (g *cutGraph) cut() map[int]bool {
	s, t := g.s, g.t
	for g.augment(s, t) {
	}
	// Nodes from which the sink can be reached in the residual graph.
	reach := make([]bool, len(g.adj))
	stack := []int{t}
	reach[t] = true
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range g.adj[n] {
			// The reverse edge e^1 goes from edges[e].to to n.
			if m := g.edges[e].to; !reach[m] && g.edges[e^1].cap > 0 {
				reach[m] = true
				stack = append(stack, m)
			}
		}
	}
	cut := map[int]bool{}
	for _, n := range g.index {
		if !reach[2*n] && reach[2*n+1] {
			cut[n] = true
		}
	}
	return cut
}

// augment pushes flow along one shortest path (Edmonds and Karp).
func (g *cutGraph) augment(s, t int) bool {
	prev := make([]int, len(g.adj))
	for i := range prev {
		prev[i] = -1
	}
	queue := []int{s}
	for len(queue) > 0 && prev[t] < 0 {
		n := queue[0]
		queue = queue[1:]
		for _, e := range g.adj[n] {
			m := g.edges[e].to
			if g.edges[e].cap > 0 && prev[m] < 0 && m != s {
				prev[m] = e
				queue = append(queue, m)
			}
		}
	}
	if prev[t] < 0 {
		return false
	}
	flow := infinite
	for n := t; n != s; n = g.edges[prev[n]^1].to {
		flow = min(flow, g.edges[prev[n]].cap)
	}
	for n := t; n != s; n = g.edges[prev[n]^1].to {
		g.edges[prev[n]].cap -= flow
		g.edges[prev[n]^1].cap += flow
	}
	return true
}

// cheap reports whether an elementary function takes only a few operations.
func cheap(o *ssair.Op) bool {
	switch o.Fn {
	case "real", "imag", "complex":
		return true
	}
	row := rules.Lookup(o.Fn)
	return row != nil && row.Cost == rules.Flop
}

func intVal(n int64) constant.Value { return constant.MakeInt64(n) }
