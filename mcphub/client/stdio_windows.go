package client

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup puts the program into its own process group, so that it does not get the
// signals of this console.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
}

// signalGroup kills the program: Windows has no signal that asks it to exit.
func signalGroup(p *os.Process, _ bool) {
	_ = p.Kill() // it does not matter if it is already gone
}
