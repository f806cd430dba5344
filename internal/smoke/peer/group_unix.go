//go:build unix

package peer

import (
	"os/exec"
	"syscall"
)

// leaveGroup makes a program start in a session of its own, so that signals to the
// process group of this program do not reach it.
func leaveGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
