package servers

import (
	"strings"

	"github.com/localpass/localpass/mcphub/client"
)

// Authorized reconnects, in the background, the servers at an address that wait for an
// authorization, after a user has granted it. Servers whose address contains placeholders
// are tried too. If no server waits for this address, nothing changes.
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

// AwaitAuthorization records that a user was asked: a server without a session is
// connected once the user has agreed.
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
