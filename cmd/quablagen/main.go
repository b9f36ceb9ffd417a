// Quablagen writes the derivatives of Go functions.
//
// Usage:
//
//	quablagen [flags] [packages]
//
// A function with a directive such as
//
//	//quabla:grad wrt=w
//
// in its doc comment gets a derived function, in a file foo_quabla.go beside the
// foo.go that holds the function. Without packages quablagen works on the one in
// the current directory, which is what go generate wants:
//
//	//go:generate go tool quablagen
//
// The flags are:
//
//	-C dir     change to dir first
//	-tags list build tags, separated by commas
//	-tests     also write foo_quablacheck_test.go, tests of the derived functions
//	-check     write nothing; report files that are missing, stale or orphaned
//	-diff      like -check, and print what would change
//	-ir        print the intermediate representation and write nothing
//	-json      print diagnostics as JSON, one object a line, on standard output
//
// Quablagen exits with 0 if all is well, with 1 if it found errors or, with -check
// or -diff, files that are not up to date, and with 2 for wrong usage and faults
// of its own. A package with errors keeps its generated files as they are.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/quabla/quabla/compile"
	"github.com/quabla/quabla/diag"
	"github.com/quabla/quabla/generate"
)

// hooks are the parts of generation that this command puts together.
var hooks = compile.New().Options()

func main() {
	// The command ends before most of its garbage matters: a fifth less time for half as
	// much memory again.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, hooks))
}

// run is main with everything passed in.
func run(args []string, stdout, stderr io.Writer, o generate.Options) (exit int) {
	flags := flag.NewFlagSet("quablagen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, "usage: quablagen [flags] [packages]\n\n")
		flags.PrintDefaults()
		fmt.Fprint(stderr, "\nexit code: 0 if all is well; 1 for errors in packages and, with -check or -diff,\nfor files that are not up to date; 2 for wrong usage.\n")
	}
	flags.StringVar(&o.Dir, "C", "", "change to `dir` first")
	flags.StringVar(&o.Tags, "tags", "", "build tags, a `list` separated by commas")
	flags.BoolVar(&o.Tests, "tests", false, "also write tests of the derived functions; they are kept up to date from then on")
	flags.BoolVar(&o.Check, "check", false, "write nothing; report files that are missing, stale or orphaned")
	flags.BoolVar(&o.Diff, "diff", false, "like -check, and print what would change")
	flags.BoolVar(&o.IR, "ir", false, "print the intermediate representation and write nothing")
	asJSON := flags.Bool("json", false, "print diagnostics as JSON, one object a line, on standard output")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	for _, a := range flags.Args() {
		if strings.HasPrefix(a, "-") {
			fmt.Fprintf(stderr, "quablagen: the flag %s stands behind a package; flags come first\n", a)
			return 2
		}
	}
	if info, err := os.Stat(o.Dir); o.Dir != "" && (err != nil || !info.IsDir()) {
		fmt.Fprintf(stderr, "quablagen: -C %s: no such directory\n", o.Dir)
		return 2
	}
	o.Patterns, o.Out = flags.Args(), stdout
	result, err := generate.Run(o)
	if result.Diags != nil {
		show := diag.Options{Dir: o.Dir}
		if *asJSON {
			result.Diags.PrintJSON(stdout, show)
		} else {
			result.Diags.Print(stderr, show)
		}
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "quablagen:", err)
		return 2
	case result.Diags.HasErrors():
		return 1
	}
	return 0
}
