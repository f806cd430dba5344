package client

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup puts the program into a group of its own, so that it does not get the
// signals of this one's console.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
}

// signalGroup ends the program: there is no signal that asks it to.
func signalGroup(p *os.Process, _ bool) {
	_ = p.Kill() // gone already is as good
}
