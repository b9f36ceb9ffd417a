package bank

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// moduleRoot returns the folder of the go.mod that governs the working directory.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("cannot run go env: %w", err)
	}
	mod := strings.TrimSpace(string(out))
	if mod == "" || mod == os.DevNull {
		return "", fmt.Errorf("not in a module")
	}
	return filepath.Dir(mod), nil
}

// staleTree is the age from which a tree is taken for one that a killed run left.
const staleTree = 2 * time.Hour

// makeTree makes the folder of the packages, below a folder called testdata, which
// the go command leaves out of "./...". Runs at the same time get different
// folders. Names repeat from run to run, so that the build cache can serve packages
// that have not changed.
func makeTree(root string) (string, error) {
	base := filepath.Join(root, "internal", "bank", "testdata")
	if err := os.MkdirAll(base, 0o777); err != nil {
		return "", err
	}
	for n := range 100 {
		dir := filepath.Join(base, fmt.Sprintf("run%d", n))
		err := os.Mkdir(dir, 0o777)
		if os.IsExist(err) {
			if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > staleTree {
				os.RemoveAll(dir) // a later run takes it
			}
			continue
		}
		return dir, err
	}
	return "", fmt.Errorf("too many folders in %s", base)
}

// removeTree removes a tree, and the folder that held it if that is empty now.
func removeTree(dir string) {
	os.RemoveAll(dir)
	os.Remove(filepath.Dir(dir))
}
