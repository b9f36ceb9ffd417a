package compile

import (
	"go/ast"

	"github.com/quabla/quabla/ssair"
)

// Checkpoint implements lift.Env.
func (e *env) Checkpoint(n ast.Node) *ssair.Checkpoint {
	c, ok := e.shared.checkpoints[n]
	if !ok {
		return nil
	}
	_, once := n.(*ast.FuncDecl)
	return &ssair.Checkpoint{Every: c.Every, Snapshots: c.Snapshots, Once: once}
}
