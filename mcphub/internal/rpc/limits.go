package rpc

import (
	"strings"
	"time"
)

// Limits of names and texts that the hub, the composition and the records of servers
// share.
const (
	MaxServerID    = 64             // bytes of a server's id
	MaxToolName    = 64             // bytes of a name that every model provider accepts
	MaxName        = 255            // bytes of a display name
	MaxDescription = 8 << 10        // bytes of the description of a server or a tool
	MaxURI         = 8 << 10        // bytes of a resource's URI
	MaxServedTools = 1_000          // tools of other servers served by one hub
	MaxPatterns    = 1_000          // patterns that choose what a server shares
	MaxTTL         = 24 * time.Hour // the maximum time to keep a list or a result, whatever its server says
)

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// IsServerID reports whether a text is a valid server id: 1 to 64 characters of A-Z a-z
// 0-9 . _ and -.
func IsServerID(id string) bool {
	return id != "" && len(id) <= MaxServerID && strings.Trim(id, letters+"._-") == ""
}

// IsModelToolName reports whether every client and model provider accepts the name of a
// tool: 1 to 64 characters of A-Z a-z 0-9 _ and -.
func IsModelToolName(name string) bool {
	return name != "" && len(name) <= MaxToolName && strings.Trim(name, letters+"_-") == ""
}
