//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// leaveGroup makes a program start in a session of its own, so that signals to the
// process group of this program do not reach it.
func leaveGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
