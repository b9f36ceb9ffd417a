//go:build race

package bench

func init() { race = true }
