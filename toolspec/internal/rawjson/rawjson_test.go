package rawjson_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/toolspec/internal/rawjson"
)

func TestMembers(t *testing.T) {
	object := []byte(`{"b": [1, "x"], "a\u0062": null, "b": 2}`)
	members := rawjson.Members(object)
	assert.Equal(t, []rawjson.Member{
		{Name: "b", Raw: json.RawMessage(`[1, "x"]`)}, {Name: "ab", Raw: json.RawMessage(`null`)}, {Name: "b", Raw: json.RawMessage(`2`)}}, members)
	assert.Equal(t, []json.RawMessage{json.RawMessage(`1`), json.RawMessage(`"x"`)}, rawjson.Elements(members[0].Raw))
	for _, other := range []string{"", "null", "1", `"{}"`} {
		assert.Nil(t, rawjson.Members([]byte(other)), other)
		assert.Nil(t, rawjson.Elements([]byte(other)), other)
	}
	assert.Nil(t, rawjson.Members([]byte(`[]`)))
	assert.Nil(t, rawjson.Elements([]byte(`{}`)))

	value, there := rawjson.Lookup(members, "b")
	assert.Equal(t, `[1, "x"]`, string(value))
	assert.True(t, there)
	_, there = rawjson.Lookup(members, "ab")
	assert.False(t, there, "null")
	_, there = rawjson.Lookup(members, "c")
	assert.False(t, there)
}

func TestCanonical(t *testing.T) {
	for raw, want := range map[string]string{
		"": "", "null": "", " 1.0 ": "1", `{"b": 1, "a": "\u0041"}`: `{"a":"A","b":1}`, "{": "{",
	} {
		assert.Equal(t, want, rawjson.Canonical([]byte(raw)), raw)
	}
}
