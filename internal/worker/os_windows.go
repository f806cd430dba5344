package worker

import (
	"os"
	"os/exec"
	"syscall"
)

// rootDir is empty, which leaves the choice to the system: there is no single root.
const rootDir = ""

// self returns the path of this program.
func self() (string, error) { return os.Executable() }

// attributes keeps a console window from opening and the parent's Ctrl-C from
// reaching the worker.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// connect passes the pipes to the worker as standard input and output: on Windows it
// would inherit no others.
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
