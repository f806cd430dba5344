package mcphub

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

const flatExample = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","title":"T","properties":{
	"s":{"type":"string","description":"A text."},"i":{"type":"integer","default":1},"n":{"type":"number"},"b":{"type":"boolean"},
	"o":{"type":"object"},"a":{"type":"array"}},"required":["s","i"],"additionalProperties":false}`

func TestFlatten(t *testing.T) {
	require.NotNil(t, flatten(json.RawMessage(flatExample)))
	for name, raw := range map[string]string{
		"not JSON":            `{`,
		"no object":           `7`,
		"other type":          `{"type":"array"}`,
		"wrong keyword value": `{"type":"object","required":7}`,
		"a keyword more":      `{"type":"object","minProperties":1}`,
		"an enumeration":      `{"type":"object","properties":{"a":{"type":"string","enum":["x"]}}}`,
		"two types":           `{"type":"object","properties":{"a":{"type":["string","null"]}}}`,
		"no type":             `{"type":"object","properties":{"a":{}}}`,
		"null":                `{"type":"object","properties":{"a":{"type":"null"}}}`,
		"a boolean schema":    `{"type":"object","properties":{"a":true}}`,
		"a schema of others":  `{"type":"object","additionalProperties":{"type":"string"}}`,
		"required unknown":    `{"type":"object","required":["a"]}`,
		"required twice":      `{"type":"object","properties":{"a":{"type":"string"}},"required":["a","a"]}`,
	} {
		assert.Nil(t, flatten(json.RawMessage(raw)), name)
	}
}

// FuzzFlatSchema: what the quick check accepts, the validator accepts too.
func FuzzFlatSchema(f *testing.F) {
	flat := flatten(json.RawMessage(flatExample))
	full, err := schema.CompileObject(json.RawMessage(flatExample))
	require.NoError(f, err)
	for _, arguments := range []string{`{"s":"x","i":1}`, `{"s":"x","i":1.0}`, `{"s":"x"}`, `{"s":"x","i":"1"}`, `{"s":"x","i":1,"n":-0.5e3,"b":false,"o":{},"a":[]}`,
		`{"s":"x","i":1,"z":1}`, `{"s":"x","i":1,"s":7}`, `{"s":null,"i":1}`, `{"\u0073":"x","i":1}`, `{}`, `{"S":"x","I":1}`, `{"s":"x","i":1e400}`, ` {"s":"x","i":-1} `} {
		f.Add(arguments)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		if !rpc.ValidJSON([]byte(arguments)) || !flat.accepts([]byte(arguments)) {
			return
		}
		require.NoError(t, full.Validate(json.RawMessage(arguments)))
	})
}

func TestFlatSchemaAccepts(t *testing.T) {
	closed := flatten(json.RawMessage(flatExample))
	open := flatten(json.RawMessage(`{"type":"object","properties":{"s":{"type":"string"}}}`))
	for arguments, want := range map[string][2]bool{
		`{"s":"x","i":1}`:          {true, true},
		`{"i":7,"\u0073":"x"}`:     {true, true},
		`{"s":"x","i":1,"more":1}`: {false, true},
		`{"s":"x"}`:                {false, true},
		`{"s":7,"i":1}`:            {false, false},
		`{}`:                       {false, true},
	} {
		assert.Equal(t, want[0], closed.accepts([]byte(arguments)), arguments)
		assert.Equal(t, want[1], open.accepts([]byte(arguments)), arguments)
	}
	assert.False(t, (*flatSchema)(nil).accepts([]byte(`{}`)))
}
