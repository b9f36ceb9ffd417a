//go:build race

package derivtest

// race says that the race detector is on.
const race = true
