package repair

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRepairArguments(t *testing.T) {
	for _, c := range []struct {
		raw, want string // want is "" if raw is refused
		repaired  bool
	}{
		{"", "{}", false},
		{" \n", "{}", false},
		{`{"a":1}`, `{"a":1}`, false},
		{"null", "{}", true},
		{`{"a":1,}`, `{"a":1}`, true},
		{`{"a":[1,2,],}`, `{"a":[1,2]}`, true},
		{`{"a":"b`, `{"a":"b"}`, true},
		{`{"a":"b\`, `{"a":"b"}`, true},
		{`{"a":"b\u00`, `{"a":"b"}`, true},
		{`{"a":{"b":[1`, `{"a":{"b":[1]}}`, true},
		{`{"a":`, `{"a":null}`, true},
		{`{"a"`, `{"a":null}`, true},
		{`{'a':'it''s'}`, "", false},
		{`{'a':'it\'s "so"'}`, `{"a":"it's \"so\""}`, true},
		{`{"a":True,"b":None}`, `{"a":true,"b":null}`, true},
		{"```json\n{\"a\":1}\n```", `{"a":1}`, true},
		{"```\n{\"a\":1,}\n```", `{"a":1}`, true},
		{`"{\"a\":1}"`, `{"a":1}`, true},
		{`"{\"a\":1"`, `{"a":1}`, true},
		{`{"a":1}}`, `{"a":1}`, true},
		{"{\"a\":\"x\ny\"}", `{"a":"x\ny"}`, true},
		{`{"a":"\ud83d\ude00",}`, `{"a":"😀"}`, true},
		{`[1]`, "", false},
		{`5`, "", false},
		{`hello`, "", false},
		{`{a:1}`, "", false},
		{`{"a" 1}`, "", false},
		{`{"a":1]`, "", false},
		{`{"a":1} and more`, "", false},
		{`{"a":12x}`, "", false},
	} {
		got, repaired, err := Arguments(c.raw)
		if c.want == "" {
			assert.Error(t, err, c.raw)
			continue
		}
		assert.NoError(t, err, c.raw)
		assert.JSONEq(t, c.want, string(got), c.raw)
		assert.Equal(t, c.repaired, repaired, c.raw)
	}
}

func FuzzRepairArguments(f *testing.F) {
	for _, s := range []string{`{"a":1,}`, `{'a':'b`, "```json\n{}\n```", `"{\"a\":1}"`, `{"a":[{"b":`, `{"\u12`, `{"a":"\ud83d\u12`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, repaired, err := Arguments(raw)
		if err != nil {
			return
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(got, &object); err != nil {
			t.Fatalf("%q gave %q: %v", raw, got, err)
		}
		again, second, err := Arguments(string(got))
		if err != nil || second || string(again) != string(got) {
			t.Fatalf("%q gave %q, which is not well itself (%v)", raw, got, repaired)
		}
	})
}
