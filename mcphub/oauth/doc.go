// Package oauth is the client side of MCP authorization, as defined by OAuth 2.1 and the protocol revisions from 2025-03-26 to
// 2026-07-28: a [Client] obtains the tokens for one server, renews them and adds them to requests.
//
//	callback, err := oauth.ListenCallback("")
//	...
//	authorizer, err := oauth.New("https://mcp.example.com/mcp", &oauth.Options{
//		Redirect: callback,
//		Open:     openInBrowser,
//		Wait:     2 * time.Minute,
//	})
//	...
//	transport, err := client.NewHTTP(client.HTTPConfig{URL: authorizer.Resource()}, &client.HTTPOptions{Credentials: authorizer})
//
// [Clients] does the same for the connections of a hub, using their definitions.
//
// # What happens when a server refuses
//
// The refusal, or a well-known address, leads to the metadata of the server, which names the authorization server. The server's
// metadata must name the address that was used, the authorization server's metadata must name the expected issuer, and that
// server must support PKCE with S256. This program's client id there is the first that exists of: an id that the operator
// configured, the address of the Client ID Metadata Document, an id from dynamic registration. Then a user grants the
// authorization in a browser, or another [Grant] works without a user. If a server refuses because scopes are missing, the old
// and the new scopes are requested together.
//
// Each answer is accepted once, from the server that was asked, and only for the attempt that asked. One request at a time
// renews a token, for all callers that need it; it continues if its caller gives up. A user is asked at most five times in ten
// minutes, not counting attempts that start with [Client.Begin].
//
// # What is trusted
//
// Servers name the addresses that this package fetches, so each address is checked, also after each redirect: it must be https
// and public. Responses have limits of size and time. A server on this machine may name others on this machine. Tokens and
// client ids are stored per authorization server and never sent to another; a token is sent only to its resource. [NewStore]
// encrypts them in the store.
//
// No error and no log line holds a token, a secret, a code or a verifier.
//
// # Own code
//
// go-jose handles keys and signatures. golang.org/x/oauth2 0.37.0 was tried for exchange and refresh. It sends a request once
// and cannot make a new proof or assertion for each attempt, and its errors contain the body of the response; the code around
// it would be as long as the present code.
package oauth
