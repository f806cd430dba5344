// Package oauth is the client side of MCP authorization, as OAuth 2.1 and the
// revisions of the protocol from 2025-03-26 to 2026-07-28 have it: a [Client] gets
// the tokens for one server, renews them and puts them into requests.
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
// [Clients] does the same for the connections of a hub, from their definitions.
//
// # What happens when a server refuses
//
// The refusal, or a well-known place, leads to the metadata of the server, and
// these to its authorization server. The metadata must name the server that was
// addressed, the authorization server's metadata must name the issuer that was
// asked for, and it must support PKCE with S256. This program's id there is, in
// this order: one that the operator wrote down, the address of its Client ID
// Metadata Document, one that it registers for. Then a user grants the
// authorization in a browser, or another [Grant] works without a user. A refusal
// for missing scopes asks for the old and the new ones together.
//
// Answers are accepted once, from the server that was asked, in the attempt that
// asked. One request at a time renews a token, for all callers that need it; it
// continues when its caller gives up. A user is asked at most five times in ten
// minutes, except for attempts that are started with [Client.Begin].
//
// # What is trusted
//
// Servers name the addresses that are fetched, so each is judged: https, public,
// and again behind each redirect; answers are small and soon, or refused. A server
// on this machine may name others on this machine. Tokens and client ids are kept
// by the authorization server that gave them, and never go to another; a token
// goes to its resource only. With [NewStore] they are sealed where they are stored.
//
// No error and no log line holds a token, a secret, a code or a verifier.
//
// # Own code
//
// Keys and signatures are those of go-jose. Tried for exchange and refresh:
// golang.org/x/oauth2 0.37.0. It sends a request once, with no place for the proof
// or the assertion that each try needs anew, and its errors hold the body of the
// answer; the code around it would be as long as the present code.
package oauth
