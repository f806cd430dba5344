//go:build race

package server_test

// raced says that the race detector is there, which makes everything ten times as slow.
const raced = true
