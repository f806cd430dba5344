package rpc

import (
	"strings"
	"time"
)

// Limits of names and texts that hub, composition and the records of servers share.
const (
	MaxServerID    = 64             // bytes of the id of a server
	MaxToolName    = 64             // bytes of a name that every model provider takes
	MaxName        = 255            // bytes of a name for people
	MaxDescription = 8 << 10        // bytes of what is said about a server or a tool
	MaxURI         = 8 << 10        // bytes of the URI of a resource
	MaxServedTools = 1_000          // tools of other servers that one hub serves
	MaxPatterns    = 1_000          // patterns that choose what of a server is shared
	MaxTTL         = 24 * time.Hour // a list or a result is not kept longer, whatever its server says
)

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// IsServerID reports whether a server may have the id: 1 to 64 characters of A-Z a-z
// 0-9 . _ and -.
func IsServerID(id string) bool {
	return id != "" && len(id) <= MaxServerID && strings.Trim(id, letters+"._-") == ""
}

// IsModelToolName reports whether every client and model provider takes the name of a
// tool: 1 to 64 characters of A-Z a-z 0-9 _ and -.
func IsModelToolName(name string) bool {
	return name != "" && len(name) <= MaxToolName && strings.Trim(name, letters+"_-") == ""
}
