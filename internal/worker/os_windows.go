package worker

import (
	"os"
	"os/exec"
	"syscall"
)

// rootDir is left to the system: there is no one root.
const rootDir = ""

// self is this program.
func self() (string, error) { return os.Executable() }

// attributes keeps a console window from opening and the parent's Ctrl-C from
// reaching the worker.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// connect gives the worker its pipes as standard input and output: a process
// inherits no others here.
func connect(cmd *exec.Cmd, in, out *os.File) { cmd.Stdin, cmd.Stdout = in, out }

// Pipes returns the worker's ends of its pipes. Nothing else may use standard
// input and output from then on.
func Pipes() (in, out *os.File) {
	in, out = os.Stdin, os.Stdout
	if null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0); err == nil {
		os.Stdin, os.Stdout = null, null
	}
	return in, out
}
