//go:build !race

package bank

// RaceEnabled says that this program was built with the race detector.
const RaceEnabled = false
