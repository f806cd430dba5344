//go:build unix && !linux

package worker

import (
	"os"
	"os/exec"
	"syscall"
)

// rootDir is the working directory of a worker.
const rootDir = "/"

// self is this program.
func self() (string, error) { return os.Executable() }

// attributes puts a worker in a session of its own, out of reach of the
// terminal's signals.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// connect gives the worker its pipes as descriptors 3 and 4.
func connect(cmd *exec.Cmd, in, out *os.File) { cmd.ExtraFiles = []*os.File{in, out} }

// Pipes returns the worker's ends of its pipes.
func Pipes() (in, out *os.File) { return os.NewFile(3, "orders"), os.NewFile(4, "answers") }
