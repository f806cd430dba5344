// Package cgo makes a test binary one that is linked with C, whose threads
// reserve more address space than Go's own. It is empty but for builds with the
// tag cgotest.
package cgo
