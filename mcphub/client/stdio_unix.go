//go:build unix

package client

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup puts the program and its child processes into their own process group.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// signalGroup asks the whole group to exit, or kills it. A group that is already gone
// counts as success.
func signalGroup(p *os.Process, kill bool) {
	signal := syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
	}
	if syscall.Kill(-p.Pid, signal) != nil {
		_ = p.Signal(signal) // Prepare may have put the program into another group
	}
}
