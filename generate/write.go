package generate

import (
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/quabla/quabla/diag"
)

// apply writes and removes the files of a package. If one cannot be written,
// none is.
func apply(plan []*output, diags *diag.List) {
	fail := func(out *output, err error) {
		diags.Add(diag.Diagnostic{
			Pos: token.Position{Filename: out.path}, Category: "write",
			Message: fmt.Sprintf("cannot write the generated file: %v", reason(err)),
		})
	}
	type staged struct {
		out          *output
		temp, target string
	}
	var ready []staged
	defer func() {
		for _, s := range ready {
			if !s.out.done {
				os.Remove(s.temp)
			}
		}
	}()
	for _, out := range plan {
		if out.status != Missing && out.status != Stale {
			continue
		}
		temp, target, err := stage(out)
		if err != nil {
			fail(out, err)
			return
		}
		ready = append(ready, staged{out, temp, target})
	}
	for _, s := range ready {
		if err := os.Rename(s.temp, s.target); err != nil {
			fail(s.out, err)
			return
		}
		s.out.done = true
	}
	for _, out := range plan {
		if out.status != Orphan {
			continue
		}
		if err := os.Remove(out.path); err != nil {
			diags.Add(diag.Diagnostic{
				Pos: token.Position{Filename: out.path}, Category: "write",
				Message: fmt.Sprintf("cannot remove the orphaned file: %v", reason(err)),
			})
			continue
		}
		out.done = true
	}
}

// stage writes the content of out to a new file beside its target, with the mode
// of the old file, and returns the names of both.
func stage(out *output) (temp, target string, err error) {
	target = out.path
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(target); err == nil {
		mode = info.Mode().Perm()
		if mode&0o200 == 0 {
			return "", "", errors.New("the file is read-only")
		}
		// A link stays a link.
		if target, err = filepath.EvalSymlinks(target); err != nil {
			return "", "", err
		}
	}
	f, err := os.CreateTemp(filepath.Dir(target), ".quabla-*.tmp")
	if err != nil {
		return "", "", err
	}
	_, err = f.Write(out.content)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err != nil {
		os.Remove(f.Name())
		return "", "", err
	}
	return f.Name(), target, nil
}

// reason returns what went wrong with a file, without the name of the file,
// which may be that of a temporary one.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
