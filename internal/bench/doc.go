// Package bench measures generated gradients against gradients written by
// hand.
//
// Each of its files holds a function with a directive and, beside it, a twin
// of the derived function as a Go programmer who cares for speed would write
// it: one pass where one will do, nothing allocated, slices cut to length so
// that the compiler drops the bounds checks. A test compares the two, and the
// benchmarks
//
//	go test ./internal/bench -bench .
//
// time them. For the ratio of their times use
//
//	go test ./internal/bench -run TestRatio -v
//
// which alternates between the two, so that a slow moment of the machine
// meets both alike. With -args -targets it fails where a ratio is above its
// target.
package bench

//go:generate go tool quablagen
