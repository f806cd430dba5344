//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// leaveGroup starts a program in a session of its own, where signals to the group
// of this one do not reach it.
func leaveGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
