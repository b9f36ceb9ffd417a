package interp_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/quabla/quabla/ssair"
	"github.com/quabla/quabla/ssair/interp"
)

// standard declares the parts of the standard library that the tests use.
var standard = []string{
	"errors", `package errors
		func New(text string) error { return nil }
		func Is(err, target error) bool { return false }`,
	"io", `package io
		type Writer interface { Write(p []byte) (n int, err error) }
		var EOF error
		var Discard Writer`,
	"fmt", `package fmt
		import "io"
		func Sprintf(format string, a ...any) string { return "" }
		func Sprint(a ...any) string { return "" }
		func Println(a ...any) (n int, err error) { return }
		func Fprintf(w io.Writer, format string, a ...any) (n int, err error) { return }
		func Errorf(format string, a ...any) error { return nil }`,
	"strconv", `package strconv
		func Atoi(s string) (int, error) { return 0, nil }
		func FormatFloat(f float64, fmt byte, prec, bitSize int) string { return "" }`,
	"strings", `package strings
		type Builder struct { buf []byte }
		func (b *Builder) WriteString(s string) (int, error) { return 0, nil }
		func (b *Builder) Write(p []byte) (int, error) { return 0, nil }
		func (b *Builder) String() string { return "" }
		func Map(mapping func(rune) rune, s string) string { return "" }
		func Split(s, sep string) []string { return nil }
		func Repeat(s string, count int) string { return "" }`,
	"time", `package time
		type Duration int64
		func (d Duration) Seconds() float64 { return 0 }
		type Time struct { wall uint64; ext int64 }
		func Now() Time { return Time{} }
		func (t Time) Sub(u Time) Duration { return 0 }
		func (t Time) IsZero() bool { return false }
		func (t Time) After(u Time) bool { return false }`,
	"math/rand", `package rand
		type Source interface { Int63() int64; Seed(seed int64) }
		type Rand struct { src Source }
		func NewSource(seed int64) Source { return nil }
		func New(src Source) *Rand { return nil }
		func (r *Rand) Float64() float64 { return 0 }`,
	"sync", `package sync
		type Mutex struct { state int32 }
		func (m *Mutex) Lock() {}
		func (m *Mutex) Unlock() {}
		type Once struct { done uint32 }
		func (o *Once) Do(f func()) {}`,
	"sync/atomic", `package atomic
		func AddInt32(addr *int32, delta int32) (new int32) { return 0 }`,
	"sort", `package sort
		type Interface interface { Len() int; Less(i, j int) bool; Swap(i, j int) }
		func Sort(data Interface) {}
		func Slice(x any, less func(i, j int) bool) {}
		func Float64s(x []float64) {}`,
	"slices", `package slices
		func Sort[S ~[]E, E any](x S) {}
		func Max[S ~[]E, E any](x S) (e E) { return }
		func Index[S ~[]E, E any](s S, v E) int { return 0 }
		func Clone[S ~[]E, E any](s S) S { return s }
		func Reverse[S ~[]E, E any](s S) {}`,
	"math/cmplx", `package cmplx
		func Sqrt(x complex128) complex128 { return x }`,
}

const userSource = `package user

import ("errors"; "fmt"; "io"; "math/cmplx"; "math/rand"; "slices"; "sort"; "strconv"; "strings"; "sync"; "sync/atomic"; "time")

type Point struct { X, Y float64 }
type Line struct { From, To Point; Name string }
type Particle struct { Pos [2]float64; Mass float64; next *Particle }
type Small struct { A float32; B [2]int8 }
type Tree struct { Val float64; Kids []*Tree }
type Celsius float64
type ID int
type MyErr struct { Code int }
func (e MyErr) Error() string { return "" }
type Wrapper struct { Err error }
func (w Wrapper) Error() string { return "" }
func (w Wrapper) Unwrap() error { return nil }
func (p *Point) Norm1() float64 { return 0 }
func (p Point) String() string { return "" }
type Shape interface { Area() float64 }
type Square struct { Side float64 }
func (s Square) Area() float64 { return 0 }
type Named struct { *Square; Name string }
type Holder struct { Shape }
type ByX []Point
func (b ByX) Len() int { return 0 }
func (b ByX) Less(i, j int) bool { return false }
func (b ByX) Swap(i, j int) {}
type Self []Self
type Loop struct { mu sync.Mutex; once sync.Once; at time.Time; n int32 }
func Outside(x float64) float64 { return x }
func Generic[T ~float32 | ~float64](x T) T { return x }
var Count int
var Origin Point
var ErrUser error
var _ = []any{errors.New, fmt.Sprint, io.EOF, cmplx.Sqrt, rand.New, slices.Sort[[]int], sort.Slice, strconv.Atoi, strings.Map, sync.Mutex{}, atomic.AddInt32, time.Now}
`

type imports map[string]*types.Package

func (m imports) Import(path string) (*types.Package, error) {
	if p := m[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

// newModule returns a module of the package in userSource.
func newModule(t testing.TB) *ssair.Module {
	t.Helper()
	fset := token.NewFileSet()
	known := imports{}
	mod := &ssair.Module{Fset: fset}
	sources := append(standard[:len(standard):len(standard)], "example.com/user", userSource)
	for i := 0; i < len(sources); i += 2 {
		f, err := parser.ParseFile(fset, sources[i], sources[i+1], 0)
		if err != nil {
			t.Fatal(err)
		}
		conf := types.Config{Importer: known}
		mod.Pkg, err = conf.Check(sources[i], fset, []*ast.File{f}, nil)
		if err != nil {
			t.Fatal(err)
		}
		known[sources[i]] = mod.Pkg
	}
	return mod
}

// typeOf returns the type that s denotes.
func typeOf(t testing.TB, mod *ssair.Module, s string) types.Type {
	t.Helper()
	f, err := ssair.ParseFunc(&ssair.Module{Pkg: mod.Pkg}, "func F(%1 "+s+") {\n}")
	if err != nil {
		t.Fatal(err)
	}
	return f.Params[0].Type
}

// parse reads functions and verifies them. Functions named T.M become methods.
func parse(t testing.TB, mod *ssair.Module, text string) []*ssair.Func {
	t.Helper()
	fs, err := ssair.ParseModule(mod, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fs {
		if err := f.Verify(); err != nil {
			t.Fatalf("%v in\n%s", err, f)
		}
		if typ, name, ok := strings.Cut(f.Name, "."); ok {
			obj, _, _ := types.LookupFieldOrMethod(mod.Pkg.Scope().Lookup(typ).Type(), true, mod.Pkg, name)
			f.Obj = obj.(*types.Func)
		}
	}
	return fs
}

// convert returns Go values as arguments of f.
func convert(t testing.TB, f *ssair.Func, args []any) []interp.Value {
	t.Helper()
	if len(args) != len(f.Params) {
		t.Fatalf("%s: %d arguments for %d parameters", f.Name, len(args), len(f.Params))
	}
	vs := make([]interp.Value, len(args))
	for i, a := range args {
		v, err := interp.FromGo(f.Params[i].Type, a)
		if err != nil {
			t.Fatalf("%s: argument %d: %v", f.Name, i, err)
		}
		vs[i] = v
	}
	return vs
}

// show spells results or the error.
func show(f *ssair.Func, results []interp.Value, err error) string {
	if err != nil {
		if p, ok := err.(*interp.PanicError); ok {
			return "panic: " + p.Text
		}
		return err.Error()
	}
	var ss []string
	for i, r := range results {
		ss = append(ss, interp.Format(r, f.Results[i].Type))
	}
	return strings.Join(ss, " ")
}

// evaluate runs the first function of text with Go values and returns what
// show says.
func evaluate(t testing.TB, text string, args ...any) string {
	t.Helper()
	mod := newModule(t)
	f := parse(t, mod, text)[0]
	results, err := interp.New(mod).Call(f, convert(t, f, args)...)
	return show(f, results, err)
}

func expect(t testing.TB, want, text string, args ...any) {
	t.Helper()
	if got := evaluate(t, text, args...); got != want {
		t.Errorf("got  %s\nwant %s\nin %s", got, want, text)
	}
}

// allKinds returns the kinds of ops.
func allKinds() (ks []ssair.Kind) {
	defer func() { _ = recover() }() // behind the last kind
	for k := ssair.Const; k.String() != ""; k++ {
		ks = append(ks, k)
	}
	return ks
}
