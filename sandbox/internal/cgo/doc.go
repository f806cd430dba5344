// Package cgo links a test binary with C, whose threads reserve more address space than
// those of Go. It is empty except in builds with the tag cgotest.
package cgo
