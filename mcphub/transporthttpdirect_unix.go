//go:build unix

package mcphub

import (
	"errors"
	"syscall"
)

// canDirect says that this system can tell whether a connection is still good.
const canDirect = true

// quiet reports whether a connection that waited is good: the server has neither
// closed it nor said anything.
func (c *directConn) quiet() (quiet bool) {
	err := c.raw.Read(func(fd uintptr) bool {
		var one [1]byte
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK)
		quiet = errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR)
		return true
	})
	return quiet && err == nil
}
