package httpapi_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/httpapi"
)

type inner struct {
	N int `json:"n"`
}

type base struct {
	Common string `json:"common,omitempty"`
}

type sample struct {
	base
	Name    string           `json:"name"`
	Flag    *bool            `json:"flag,omitempty"`
	List    []inner          `json:"list,omitempty"`
	Map     map[string]inner `json:"map,omitempty"`
	Raw     json.RawMessage  `json:"raw,omitempty"`
	Any     any              `json:"any,omitempty"`
	At      time.Time        `json:"at,omitzero"`
	Data    []byte           `json:"data,omitempty"`
	Ratio   float64          `json:"ratio,omitempty"`
	Small   int8             `json:"small,omitempty"`
	Hidden  string           `json:"-"`
	private string
}

func TestDecode(t *testing.T) {
	var v sample
	require.NoError(t, httpapi.DecodeBytes([]byte(` {"name":"x","common":"c","flag":true,"list":[{"n":1},{"n":2}],"map":{"a b":{"n":3}},
		"raw":{"Anything":[{"goes":1}]},"any":{"x":1},"at":"2026-01-02T03:04:05Z","data":"aGk=","ratio":0.5,"small":-3} `), &v))
	yes := true
	want := sample{base: base{"c"}, Name: "x", Flag: &yes, List: []inner{{1}, {2}}, Map: map[string]inner{"a b": {3}}, Raw: json.RawMessage(`{"Anything":[{"goes":1}]}`),
		Any: map[string]any{"x": 1.0}, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Data: []byte("hi"), Ratio: 0.5, Small: -3}
	assert.Equal(t, want, v)
	assert.Empty(t, v.private+v.Hidden)
}

func TestDecodeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"x","nmae":1}`:                 "nmae: is not known here",
		`{"Name":"x"}`:                          `Name: is not known here; write "name"`,
		`{}`:                                    "name: must be there",
		`{"name":null}`:                         "name: must not be null",
		`{"name":1}`:                            "name: must be a string, is a number",
		`{"name":"x","hidden":1}`:               "hidden: is not known here",
		`{"name":"x","private":1}`:              "private: is not known here",
		`{"name":"x","name":"y"}`:               "name: occurs twice",
		`{"name":"x","na\u006de":"y"}`:          "name: occurs twice",
		`{"name":"x","raw":{"a":1,"a":2}}`:      "raw.a: occurs twice",
		`{"name":"x","list":[{"n":1},{"m":1}]}`: "list[1].m: is not known here",
		`{"name":"x","list":{}}`:                "list: must be an array, is an object",
		`{"name":"x","map":{"a b":{"x":1}}}`:    `map["a b"].x: is not known here`,
		`{"name":"x","flag":"yes"}`:             "flag: must be a boolean, is a string",
		`{"name":"x","list":[{"n":"1"}]}`:       "list[0].n: must be a number, is a string",
		`{"name":"x","data":[1]}`:               "data: must be a string, is an array",
		`{"name":"x","data":"?"}`:               "illegal base64",
		`{"name":"x","at":"yesterday"}`:         "cannot parse",
		`{"name":"x","small":300}`:              "small: found number 300",
		`{"name":"x","list":[{"n":1.5}]}`:       "found number 1.5",
		`[]`:                                    "found an array where an object should be",
		`null`:                                  "found null where an object should be",
		`{"name":"x"} {}`:                       "line 1, column 14",
		"{\"name\":\n'x'}":                      "line 2, column 1",
		`{"raw":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `,"name":"x"}`: "nest deeper than 64",
		"{\"name\":\"\xff\"}": "not UTF-8",
	} {
		var v sample
		err := httpapi.DecodeBytes([]byte(text), &v)
		var p *httpapi.Problem
		require.ErrorAs(t, err, &p, text)
		assert.Equal(t, httpapi.InvalidJSON, p.Kind, text)
		assert.Contains(t, p.Detail, want, text)
	}
}

func TestDecodeNamesEveryWrongMember(t *testing.T) {
	var v sample
	err := httpapi.DecodeBytes([]byte(`{"a":1,"b":2,"flag":1,"list":[{"x":1}]}`), &v)
	var p *httpapi.Problem
	require.ErrorAs(t, err, &p)
	var paths []string
	for _, f := range p.Fields {
		paths = append(paths, f.Code+" "+f.Path)
	}
	assert.Equal(t, []string{"unknown_member a", "unknown_member b", "wrong_type flag", "unknown_member list[0].x", "missing_member list[0].n", "missing_member name"}, paths)

	many := `{"name":"x"` + strings.Repeat(`,"z`, 0)
	for i := range 100 {
		many += `,"z` + strings.Repeat("z", i) + `":1`
	}
	require.ErrorAs(t, httpapi.DecodeBytes([]byte(many+`}`), &v), &p)
	assert.Len(t, p.Fields, 20)
}

// Whatever comes in: a problem of one kind, or a value that encoding/json reads
// from the text too.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"name":"x"}`, `{"name":"x","list":[{"n":1}],"map":{"k":{"n":2}},"raw":[1,{}],"any":null,"at":"2026-01-02T03:04:05Z"}`, `{"NAME":1}`, `[`, `{"name":"x","data":"aGk="}`, `{"list":null,"name":"\ud800"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v, w sample
		err := httpapi.DecodeBytes(data, &v)
		if err != nil {
			var p *httpapi.Problem
			if !errors.As(err, &p) || p.Kind != httpapi.InvalidJSON || p.Detail == "" {
				t.Fatalf("%q gave %v", data, err)
			}
			return
		}
		if err := json.Unmarshal(data, &w); err != nil || !reflect.DeepEqual(v, w) {
			t.Fatalf("%q was read as %+v; encoding/json gives %+v, %v", data, v, w, err)
		}
	})
}
