// Package toolspec is the Safe Tool Specification in Go.
package toolspec
