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
	for _, u := range c.all() {
		u.mu.Lock()
		again := false
		if u.state == StateAwaitingAuthorization && u.transport != nil && u.live == nil && u.opening == nil {
			own := u.transport.Describe().Address
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
	if u.live == nil && u.opening == nil && !u.record.Disabled && u.state != StateAwaitingAuthorization {
		u.to(StateAwaitingAuthorization, nil)
	}
}
