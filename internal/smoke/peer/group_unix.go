//go:build unix

package peer

import (
	"os/exec"
	"syscall"
)

// leaveGroup makes a program start in its own session, so that signals to the process
// group of this program do not reach it.
func leaveGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
