package directory

import (
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/risk"
	"github.com/localpass/localpass/mcphub/servers"
)

// Facts returns what is known about the server of a record that [Entry.Instantiate] made, before
// it is connected to. [risk.AssessServer] scores it. Missing values do not change it.
func (e *Entry) Facts(r servers.Record) risk.ServerFacts {
	curated := e.Trust != risk.TrustNone
	f := risk.ServerFacts{Endpoint: client.Endpoint{Kind: e.Transport}, Cataloged: curated, Trust: e.Trust, Documented: e.Docs != "", Adequate: curated}
	if t, err := client.NewRegistry(nil).Transport(r.Kind, r.Connection); err == nil {
		f.Endpoint = t.Describe()
	}
	if f.Endpoint.Auth == client.AuthNone { // such as a key in the path of the address
		f.Endpoint.Auth = e.Auth
	}
	if e.OAuth != nil && f.Endpoint.Auth == client.AuthOAuth {
		f.Scopes = e.OAuth.Scopes
	}
	return f
}
