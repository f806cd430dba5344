package worker

import (
	"os"
	"os/exec"
	"syscall"
)

// rootDir is the working directory of a worker.
const rootDir = "/"

// self returns the path of this program, which works even if its file has been replaced
// or removed.
func self() (string, error) { return "/proc/self/exe", nil }

// attributes puts a worker in a session of its own, so that the terminal's signals do not
// reach it, and makes the kernel end it with its parent.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// connect passes the pipes to the worker as descriptors 3 and 4.
func connect(cmd *exec.Cmd, in, out *os.File) { cmd.ExtraFiles = []*os.File{in, out} }

// Pipes returns the worker's ends of its pipes.
func Pipes() (in, out *os.File) { return os.NewFile(3, "orders"), os.NewFile(4, "answers") }
