//go:build !unix

package main

import "os/exec"

// leaveGroup does nothing: this system has no process groups.
func leaveGroup(*exec.Cmd) {}
