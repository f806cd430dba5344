//go:build !linux

package client

import (
	"fmt"
	"os/exec"
	"runtime"
)

func (s *StdioSandbox) startLimited(*exec.Cmd) error {
	return fmt.Errorf("%w: it needs Linux, and this is %s: take \"sandbox\" out to start it with the rights of this program", ErrNoSandbox, runtime.GOOS)
}
