//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly && !windows

package terminal

import "errors"

func openConsole(string) (console, error) {
	return nil, errors.New("this system has none that is known here")
}
