//go:build !unix

package mcphub

// canDirect says that this system can tell whether a connection is still good.
const canDirect = false

func (c *directConn) quiet() bool { return false }
