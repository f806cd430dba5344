// Package vouch lets the packages of this library mark the tools that they make as
// trusted, in a way that no code outside the module can imitate. A chat offers such a
// tool without further configuration.
//
// A tool that is vouched for has a method
//
//	Vouch() vouch.Token
//
// which returns [For] of the receiver. The token names that one value. A type that embeds
// the tool inherits the method, but its value is not the one that the token names, and
// other modules cannot import this package to make their own token.
package vouch

import "github.com/localpass/localpass/toolspec"

// Token names the tool value that it vouches for. The zero Token vouches for nothing.
type Token struct{ tool toolspec.Tool }

// For returns the token of a tool. The tool's dynamic type must be comparable. Call it
// only for a tool that holds a pass, whose definition a person approved, or that is
// built into this library.
func For(tool toolspec.Tool) Token { return Token{tool} }

// Vouched reports whether a tool is vouched for: it has a token, and the token names this
// value and not a wrapped one.
func Vouched(tool toolspec.Tool) bool {
	own, ok := tool.(interface{ Vouch() Token })
	return ok && own.Vouch().tool == tool
}
