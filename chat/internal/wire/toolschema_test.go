package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/internal/wire"
)

func TestToolSchema(t *testing.T) {
	for in, want := range map[string]string{
		``:                                  `{"type":"object","properties":{}}`,
		`{"type":"object","properties":{}}`: `{"type":"object","properties":{}}`,
		`{"properties":{"b":true,"a":1},"x":[true]}`:                    `{"properties":{"b":{},"a":1},"x":[true]}`,
		`{"properties":{"b":false,"a":{}}}`:                             `{"properties":{"a":{}}}`,
		`{"properties":{"b":false}}`:                                    `{"properties":{}}`,
		`{"type":["object","null"]}`:                                    `{"type":"object"}`,
		`{"properties":{"a":{"type":["string","null"]}}}`:               `{"properties":{"a":{"type":["string","null"]}}}`,
		`{"properties":{"a":{"anyOf":[true,{"type":"null"},false]}}}`:   `{"properties":{"a":{"anyOf":[{},{"type":"null"},{"not":{}}]}}}`,
		`{"properties":{"a":{"anyOf":[{"type":"null"}]}}, "b" : "c d"}`: `{"properties":{"a":{"anyOf":[{"type":"null"}]}}, "b" : "c d"}`,
		`{"properties":{"a":{"anyOf":true}}}`:                           `{"properties":{"a":{"anyOf":true}}}`,
		`{"properties":{"\u00e9<":true}}`:                               `{"properties":{"é\u003c":{}}}`,
		`true`:                                                          `true`,
		`{"properties":{"a":true`:                                       `{"properties":{"a":true`,
		`{"properties":{"a":true},`:                                     `{"properties":{"a":true},`,
	} {
		assert.Equal(t, want, string(wire.ToolSchema(json.RawMessage(in))), in)
	}
}

// Valid JSON stays valid, and the conversion is idempotent.
func FuzzToolSchema(f *testing.F) {
	f.Add(`{"type":["object"],"properties":{"a":true,"b":{"anyOf":[false,{"properties":{"c":true}}]}}}`)
	f.Add(`{"properties":{"properties":{"properties":{"x":false}}}}`)
	f.Fuzz(func(t *testing.T, in string) {
		out := wire.ToolSchema(json.RawMessage(in))
		if json.Valid([]byte(in)) {
			require.True(t, json.Valid(out), string(out))
		}
		require.Equal(t, string(out), string(wire.ToolSchema(out)))
	})
}

func TestToolSchemaHasBounds(t *testing.T) {
	deep := func(levels int) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"properties":{"a":`, levels) + `true` + strings.Repeat(`}}`, levels))
	}
	assert.Contains(t, string(wire.ToolSchema(deep(10))), `{"a":{}}`)
	assert.Equal(t, string(deep(150)), string(wire.ToolSchema(deep(150))))
	large := json.RawMessage(`{"properties":{"a":true},"description":"` + strings.Repeat("x", 1<<20) + `"}`)
	assert.Len(t, wire.ToolSchema(large), len(large))
}
