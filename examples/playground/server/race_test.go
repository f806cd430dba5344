//go:build race

package server_test

// raced reports whether the race detector is on, which makes everything about ten times slower.
const raced = true
