package servers

import (
	"strings"

	"github.com/localpass/localpass/mcphub/client"
)

// Authorized connects again to the servers at an address that wait for an
// authorization, in the background: a person has given it. Servers whose address
// holds placeholders are tried, too. An address that no server waits for changes
// nothing.
func (c *Connections) Authorized(address string) {
	for _, u := range c.allServers() {
		u.mu.Lock()
		again := false
		if u.link.state == StateAwaitingAuthorization && u.settings.transport != nil && u.link.live == nil && u.link.opening == nil {
			own := u.settings.transport.Describe().Address
			again = strings.Contains(own, "${") || client.SameAddress(own, address)
		}
		u.mu.Unlock()
		if again {
			u.reconnect()
		}
	}
}

// AwaitAuthorization notes that a user was asked: a server without a session is
// connected to once the user has agreed.
func (c *Connections) AwaitAuthorization(id string) {
	u, err := c.server(id)
	if err != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.link.live == nil && u.link.opening == nil && !u.settings.record.Disabled && u.link.state != StateAwaitingAuthorization {
		u.toState(StateAwaitingAuthorization, nil)
	}
}
