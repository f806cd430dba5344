//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly && !windows

package terminal

import "errors"

func openConsole(string) (console, error) {
	return nil, errors.New("terminals of this system are not supported")
}
