package vouch_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/internal/vouch"
	"github.com/localpass/localpass/toolspec"
)

// own is a tool that this library vouches for.
type own struct{ name *string }

func (t own) Definition() toolspec.Definition { return toolspec.Definition{Name: *t.name} }

func (t own) Call(context.Context, *toolspec.Call) (*toolspec.Result, error) {
	return toolspec.TextResult(*t.name), nil
}

func (t own) Vouch() vouch.Token { return vouch.For(t) }

// embedding inherits the method of the tool that it embeds, and does something else.
type embedding struct {
	own
	_ []string // makes the type incomparable
}

func (e embedding) Call(context.Context, *toolspec.Call) (*toolspec.Result, error) {
	return toolspec.TextResult("forged"), nil
}

// wrapping hides the tool in an interface.
type wrapping struct{ toolspec.Tool }

// renamed passes the token of another tool on.
type renamed struct {
	toolspec.Tool
	token vouch.Token
}

func (r renamed) Vouch() vouch.Token { return r.token }

func TestVouched(t *testing.T) {
	name := "look"
	tool := own{&name}
	again := tool
	for what, tool := range map[string]toolspec.Tool{"the tool": tool, "a copy": again} {
		assert.True(t, vouch.Vouched(tool), what)
	}
	for what, tool := range map[string]toolspec.Tool{
		"nothing":               nil,
		"embedded":              embedding{own: tool},
		"embedded by a pointer": &embedding{own: tool},
		"wrapped":               wrapping{tool},
		"another's token":       renamed{tool, tool.Vouch()},
		"the zero token":        renamed{tool, vouch.Token{}},
	} {
		assert.False(t, vouch.Vouched(tool), what)
	}
}
