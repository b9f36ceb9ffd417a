package fuzz

import (
	"encoding/gob"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/quabla/quabla/internal/fuzz/check"
)

// compile compiles the generated packages and has them checked.
func (b *Batch) compile() error {
	plans := map[string]*check.Plan{}
	byID := map[string]*work{}
	var imports, entries strings.Builder
	var ids []string
	for _, w := range b.works {
		if w.plan == nil || len(w.reqs) == 0 {
			continue
		}
		plans[w.ID], byID[w.ID] = w.plan, w
		ids = append(ids, w.ID)
		rel, err := filepath.Rel(b.Root, w.dir)
		if err != nil {
			return err
		}
		fmt.Fprintf(&imports, "\t%s %q\n", w.ID, "github.com/quabla/quabla/"+filepath.ToSlash(rel))
		fmt.Fprintf(&entries, "\t\t%q: %s.QuablaRegister,\n", w.ID, w.ID)
		var reg strings.Builder
		fmt.Fprintf(&reg, "package p\n\nimport \"%s\"\n\nfunc QuablaRegister(r *check.Registry) {\n\tr.Add(\"F\", F)\n", checkPath)
		for _, f := range w.plan.Funcs {
			fmt.Fprintf(&reg, "\tr.Add(%q, %s)\n", f.Name, f.Name)
		}
		reg.WriteString("}\n")
		if err := write(w.dir, "register.go", []byte(reg.String())); err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		return nil
	}
	main := fmt.Sprintf("package main\n\nimport (\n\t%q\n%s)\n\nfunc main() {\n\tcheck.Main(map[string]func(*check.Registry){\n%s\t})\n}\n", checkPath, &imports, &entries)
	if err := write(filepath.Join(b.Dir, "run"), "main.go", []byte(main)); err != nil {
		return err
	}
	planFile, exe := filepath.Join(b.Dir, "plan.gob"), filepath.Join(b.Dir, "run", "run.exe")
	if err := check.Save(planFile, plans); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-o", exe, ".")
	build.Dir = filepath.Join(b.Dir, "run")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("the programs do not compile: %v\n%s", err, out)
	}
	for len(ids) > 0 {
		left, err := b.runSome(exe, planFile, ids, byID)
		if err != nil {
			return err
		}
		ids = left
	}
	return nil
}

const checkPath = "github.com/quabla/quabla/internal/fuzz/check"

// runSome checks the programs of ids in a process. When the process dies it
// blames the program that it was at, and returns those behind it.
func (b *Batch) runSome(exe, planFile string, ids []string, byID map[string]*work) (left []string, err error) {
	cmd := exec.Command(exe, planFile)
	cmd.Stdin = strings.NewReader(strings.Join(ids, "\n"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	cmd.Env = append(os.Environ(), "GOMEMLIMIT=2GiB")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	dec := gob.NewDecoder(pipe)
	done := 0
	hung := false
	for {
		var e check.Event
		if dec.Decode(&e) != nil {
			break
		}
		w := byID[e.ID]
		switch e.Kind {
		case check.Fail:
			b.fault(w, e.Func, "compiled", e.Seed, "%s", e.Text)
			hung = hung || e.Func == ""
		case check.Saw:
			b.compare(w, e)
		case check.Done:
			done++
			b.Compared += e.Compared
			for why, n := range e.Skipped {
				b.Skipped[why] += n
			}
		}
	}
	err = cmd.Wait()
	if done < len(ids) {
		if !hung {
			text, _, _ := strings.Cut(stderr.String(), "\n\n")
			b.fault(byID[ids[done]], "", "compiled", 0, "the program dies: %v: %s", err, text)
		}
		return ids[done+1:], nil
	}
	return nil, nil
}

// compare compares an outcome with that of the interpreter, which must be equal
// to the last bit.
func (b *Batch) compare(w *work, e check.Event) {
	want, ok := w.outcomes[fmt.Sprint(strings.TrimSuffix(e.Func, "In"), e.Seed)]
	if !ok || want.Panic != "" || e.Outcome.Panic != "" {
		return
	}
	for k, pair := range [][2][][]float64{{e.Outcome.Params, want.Params}, {e.Outcome.Results, want.Results}} {
		for i, got := range pair[0] {
			ref := pair[1][i]
			if len(got) != len(ref) {
				b.fault(w, e.Func, "compiled", e.Seed, "%s %d has %d numbers, interpreted %d", []string{"parameter", "result"}[k], i, len(got), len(ref))
				return
			}
			for j := range got {
				if got[j] != ref[j] && (got[j] == got[j] || ref[j] == ref[j]) {
					b.fault(w, e.Func, "compiled", e.Seed, "number %d of %s %d is %v, interpreted %v", j, []string{"parameter", "result"}[k], i, got[j], ref[j])
					return
				}
			}
		}
	}
}
