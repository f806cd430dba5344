package client

import (
	"errors"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// waitGroup waits for the end of the program. What it started and left behind
// in its group ends with it, before the program is reaped: until then its
// number, which is that of the group, cannot come to belong to another.
func waitGroup(cmd *exec.Cmd) {
	pid := cmd.Process.Pid
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL) // usually no process is left
	_ = cmd.Wait()                          // how it ended is in the state
}
