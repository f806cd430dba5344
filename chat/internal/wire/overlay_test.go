package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/internal/wire"
)

var rules = wire.OverlayRules{
	Fields: map[string]string{"service_tier": "string", "seed": "integer", "temperature": "number", "stop": "string array", "think": ""},
	Deny:   []string{"messages", "stream"},
	Open:   true,
}

func lay(t *testing.T, body, overlay string, rules wire.OverlayRules) (string, map[string]string) {
	t.Helper()
	var b map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(body), &b))
	told := map[string]string{}
	for _, a := range wire.Overlay(b, json.RawMessage(overlay), rules) {
		assert.Empty(t, a.Used)
		assert.NotEmpty(t, a.Reason)
		told[a.Name] = a.Asked
	}
	out, err := json.Marshal(b)
	require.NoError(t, err)
	return string(out), told
}

func TestOverlayMergesAndTells(t *testing.T) {
	for name, c := range map[string]struct {
		body, overlay, want string
		told                map[string]string
	}{
		"nothing":        {`{"a":1}`, ` `, `{"a":1}`, nil},
		"no object":      {`{"a":1}`, `[1]`, `{"a":1}`, map[string]string{"overlay": "(not shown)"}},
		"broken":         {`{"a":1}`, `{"a":`, `{"a":1}`, map[string]string{"overlay": "(not shown)"}},
		"null":           {`{"a":1}`, `null`, `{"a":1}`, map[string]string{"overlay": "(not shown)"}},
		"camel":          {`{}`, `{"serviceTier":"flex","SEED":7}`, `{"seed":7,"service_tier":"flex"}`, nil},
		"wins":           {`{"temperature":1}`, `{"temperature":0}`, `{"temperature":0}`, nil},
		"taken out":      {`{"temperature":1,"x":2}`, `{"temperature":null,"x":null}`, `{}`, nil},
		"wrong type":     {`{}`, `{"seed":1.5,"service_tier":3,"stop":true,"temperature":2}`, `{"temperature":2}`, map[string]string{"seed": "1.5", "service_tier": "3", "stop": "true"}},
		"unknown passes": {`{}`, `{"top_k":4}`, `{"top_k":4}`, nil},
		"objects merge":  {`{"o":{"a":1,"b":{"c":2}}}`, `{"o":{"b":{"d":3},"a":null}}`, `{"o":{"b":{"c":2,"d":3}}}`, nil},
		"object instead": {`{"o":1}`, `{"o":{"a":null,"b":2}}`, `{"o":{"b":2}}`, nil},
		"denied":         {`{"messages":[1]}`, `{"Messages":[],"STREAM":false}`, `{"messages":[1]}`, map[string]string{"Messages": "(not shown)", "STREAM": "(not shown)"}},
		"protected":      {`{}`, `{"apiKey":"k","API_KEY":"k","base-url":"u","toolContext":{},"extra_body":{"messages":[]}}`, `{}`, map[string]string{"apiKey": "(not shown)", "API_KEY": "(not shown)", "base-url": "(not shown)", "toolContext": "(not shown)", "extra_body": "(not shown)"}},
		"look-alike":     {`{}`, `{"meſſages":[],"":1}`, `{}`, map[string]string{"meſſages": "(not shown)", "": "(not shown)"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, told := lay(t, c.body, c.overlay, rules)
			assert.JSONEq(t, c.want, got)
			if c.told == nil {
				c.told = map[string]string{}
			}
			assert.Equal(t, c.told, told)
		})
	}
}

func TestOverlayOfANestedObject(t *testing.T) {
	nested := wire.OverlayRules{
		Fields: map[string]string{"keep_alive": "string integer", "think": "boolean string"},
		Nest:   "options", Nested: map[string]string{"top_k": "integer", "num_ctx": "integer", "stop": "array"},
	}
	got, told := lay(t, `{"options":{"seed":1}}`, `{"topK":3,"options":{"numCtx":5,"secret":1},"keepAlive":-1,"think":true,"verbosity":"low"}`, nested)
	assert.JSONEq(t, `{"keep_alive":-1,"think":true,"options":{"seed":1,"top_k":3,"num_ctx":5}}`, got)
	assert.Equal(t, map[string]string{"secret": "1", "verbosity": `"low"`}, told)
	got, told = lay(t, `{}`, `{"options":3,"top_k":"x"}`, nested)
	assert.JSONEq(t, `{}`, got)
	assert.Len(t, told, 2)
}

func FuzzOverlay(f *testing.F) {
	f.Add(`{"messages":1,"Api_Key":"x","seed":3}`)
	f.Add(`{"o":{"a":{"b":null}}}`)
	f.Fuzz(func(t *testing.T, overlay string) {
		body := map[string]json.RawMessage{"messages": json.RawMessage(`["m"]`), "stream": json.RawMessage("true"), "o": json.RawMessage(`{"a":1}`)}
		for _, a := range wire.Overlay(body, json.RawMessage(overlay), rules) {
			if a.Used != "" || a.Reason == "" {
				t.Fatalf("%+v", a)
			}
		}
		if string(body["messages"]) != `["m"]` || string(body["stream"]) != "true" {
			t.Fatalf("%q changed what it must not: %s", overlay, body)
		}
		for name := range body {
			if name != "messages" && name != "stream" {
				for _, never := range []string{"messages", "stream", "api_key", "apikey", "base_url", "baseurl"} {
					if strings.EqualFold(name, never) {
						t.Fatalf("%q set %q", overlay, name)
					}
				}
			}
		}
		if _, err := json.Marshal(body); err != nil {
			t.Fatalf("%q: %v", overlay, err)
		}
	})
}
