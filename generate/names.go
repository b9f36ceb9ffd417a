package generate

import (
	"slices"
	"strings"
)

// OutputName returns the name of the file that is generated from a source file:
// foo_quabla.go for foo.go. An ending that restricts the file to a platform or to
// tests stays at the end: foo_quabla_linux.go, foo_quabla_test.go.
func OutputName(source string) string {
	stem, ending := splitName(source)
	return stem + "_quabla" + ending + ".go"
}

// CheckName returns the name of the test file that checks what is generated from
// a source file: foo_quablacheck_test.go, foo_quablacheck_linux_test.go.
func CheckName(source string) string {
	stem, ending := splitName(source)
	return stem + "_quablacheck" + strings.TrimSuffix(ending, "_test") + "_test.go"
}

// splitName splits the name of a Go file before the part that the go command
// takes as a constraint, as go/build does: what is before the first underscore
// never is one.
func splitName(name string) (stem, ending string) {
	name = strings.TrimSuffix(name, ".go")
	rest, isTest := strings.CutSuffix(name, "_test")
	parts := strings.Split(rest, "_")
	n := len(parts)
	keep := n
	switch {
	case n >= 3 && slices.Contains(knownOS, parts[n-2]) && slices.Contains(knownArch, parts[n-1]):
		keep = n - 2
	case n >= 2 && (slices.Contains(knownOS, parts[n-1]) || slices.Contains(knownArch, parts[n-1])):
		keep = n - 1
	}
	stem = strings.Join(parts[:keep], "_")
	ending = rest[len(stem):]
	if isTest {
		ending += "_test"
	}
	return stem, ending
}

// The systems and architectures that restrict a file by its name, from
// internal/syslist of the standard library.
var (
	knownOS = strings.Fields(`aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd
		openbsd plan9 solaris wasip1 windows zos`)
	knownArch = strings.Fields(`386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le
		mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm`)
)
