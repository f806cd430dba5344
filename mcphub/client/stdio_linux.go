package client

import (
	"errors"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// waitGroup waits until the program exits. Processes that it left behind in its group are
// killed before the program is reaped: until then its process id, which is also the id of
// the group, cannot be reused.
func waitGroup(cmd *exec.Cmd) {
	pid := cmd.Process.Pid
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL) // usually no process is left
	_ = cmd.Wait()                          // the exit status is in the state
}
