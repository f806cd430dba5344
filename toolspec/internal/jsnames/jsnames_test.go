package jsnames_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/toolspec/internal/jsnames"
)

func TestNames(t *testing.T) {
	type is struct{ identifier, reserved, injected, builtin bool }
	for name, want := range map[string]is{
		"a": {identifier: true}, "_$1": {identifier: true}, "größe": {identifier: true}, "a\u200db": {identifier: true},
		"": {}, "1a": {}, "a-b": {}, "a b": {}, "\u0301a": {},
		"class": {identifier: true, reserved: true}, "await": {identifier: true, reserved: true}, "undefined": {identifier: true, reserved: true},
		"fetch": {identifier: true, injected: true}, "safety": {identifier: true, injected: true},
		"Map": {identifier: true, builtin: true}, "parseInt": {identifier: true, builtin: true},
	} {
		assert.Equal(t, want, is{jsnames.IsIdentifier(name), jsnames.IsReserved(name), jsnames.IsInjected(name), jsnames.IsBuiltin(name)}, name)
	}
}
