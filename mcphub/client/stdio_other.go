//go:build !linux

package client

import "os/exec"

// waitGroup waits for the end of the program. Processes that it started and
// left behind are not touched: once the program is reaped, its group's number
// may belong to another.
func waitGroup(cmd *exec.Cmd) {
	_ = cmd.Wait() // how it ended is in the state
}
