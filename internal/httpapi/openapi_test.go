package httpapi_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/httpapi"
)

type levelled string

func (l levelled) MarshalText() ([]byte, error) { return []byte(l), nil }

type itself struct{}

func (itself) MarshalJSON() ([]byte, error) { return []byte(`"x"`), nil }

type everything struct {
	base
	At     time.Time       `json:"at"`
	Level  levelled        `json:"level"`
	Raw    json.RawMessage `json:"raw"`
	Any    any             `json:"any,omitempty"`
	Own    itself          `json:"own"`
	Maybe  *inner          `json:"maybe"`
	List   []*inner        `json:"list"`
	Sets   []string        `json:"sets" enum:"a,b"`
	Map    map[string]bool `json:"map"`
	Bytes  []byte          `json:"bytes"`
	Count  uint            `json:"count" doc:"How many."`
	Inline struct {
		X float64 `json:"x"`
	} `json:"inline"`
	Self *everything `json:"self,omitempty"`
}

func everythingTable() httpapi.Table {
	return httpapi.Table{Tag: "all", Description: "All of it.",
		Schemas: map[reflect.Type]json.RawMessage{reflect.TypeFor[itself](): json.RawMessage(`{"const":"x"}`)},
		Routes: []httpapi.Route{{
			Method: http.MethodGet, Path: "/api/all/{id}/{rest...}", ID: "all", Summary: "All.", Description: "Really all.",
			Params: []httpapi.Param{{In: httpapi.InPath, Name: "id"}, {In: httpapi.InPath, Name: "rest"},
				{In: httpapi.InQuery, Name: "tag", Many: true, Enum: []string{"a"}, Description: "Which."}, {In: httpapi.InHeader, Name: "If-Match", Required: true}},
			Answers: []httpapi.Answer{{Status: 200, Content: httpapi.Of[everything](), Headers: []httpapi.Param{{Name: "ETag", Description: "The version."}}}},
			Errors:  []httpapi.Kind{httpapi.NotFound, httpapi.StaleVersion},
			Handle:  func(http.ResponseWriter, *http.Request) error { return nil },
		}}}
}

func TestOpenAPI(t *testing.T) {
	api, err := httpapi.New(&httpapi.Options{Title: "notes", Version: "1.2.3", Description: "About."}, table(), everythingTable())
	require.NoError(t, err)
	again, err := httpapi.New(&httpapi.Options{Title: "notes", Version: "1.2.3", Description: "About."}, table(), everythingTable())
	require.NoError(t, err)
	assert.Equal(t, string(api.OpenAPI()), string(again.OpenAPI()), "the same tables, the same bytes")

	at := func(path ...string) any {
		var v any
		require.NoError(t, json.Unmarshal(api.OpenAPI(), &v))
		for _, name := range path {
			m, ok := v.(map[string]any)
			require.True(t, ok, "%v", path)
			require.Contains(t, m, name, "%v", path)
			v = m[name]
		}
		return v
	}
	text := func(path ...string) string {
		raw, err := json.Marshal(at(path...))
		require.NoError(t, err)
		return string(raw)
	}
	assert.Equal(t, `"3.1.1"`, text("openapi"))
	assert.Equal(t, `{"description":"About.","title":"notes","version":"1.2.3"}`, text("info"))
	assert.Equal(t, `[{"description":"Notes.","name":"notes"},{"description":"All of it.","name":"all"},{"description":"About this API.","name":"api"}]`, text("tags"))
	assert.Equal(t, `{"additionalProperties":false,"properties":{"kind":{"enum":["plain","loud"],"type":"string"},"next":{"$ref":"#/components/schemas/httpapi_test.Note"},`+
		`"tags":{"items":{"type":"string"},"type":"array"},"text":{"description":"What it says.","type":"string"}},"required":["text"],"type":"object"}`,
		text("components", "schemas", "httpapi_test.Note"))
	create := []string{"paths", "/api/notes", "post"}
	assert.Equal(t, `{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/httpapi_test.Note"}}},"required":true}`, text(append(create, "requestBody")...))
	assert.Equal(t, `"teapot: No coffee."`, text(append(create, "responses", "418", "description")...))
	assert.Contains(t, text(append(create, "responses", "403", "description")...), "forbidden_origin: The request comes from another site. forbidden_peer")
	assert.Equal(t, `{"description":"Done."}`, text("paths", "/api/notes/{id}", "delete", "responses", "204"))

	all := []string{"paths", "/api/all/{id}/{rest}", "get"}
	assert.Equal(t, `[{"in":"path","name":"id","required":true,"schema":{"type":"string"}},{"in":"path","name":"rest","required":true,"schema":{"type":"string"}},`+
		`{"description":"Which.","in":"query","name":"tag","schema":{"items":{"enum":["a"],"type":"string"},"type":"array"}},{"in":"header","name":"If-Match","required":true,"schema":{"type":"string"}}]`,
		text(append(all, "parameters")...))
	assert.Equal(t, `{"ETag":{"description":"The version.","schema":{"type":"string"}}}`, text(append(all, "responses", "200", "headers")...))
	properties := []string{"components", "schemas", "httpapi_test.Everything", "properties"}
	for name, want := range map[string]string{
		"common": `{"type":"string"}`, "at": `{"format":"date-time","type":"string"}`, "level": `{"type":"string"}`, "raw": `{}`, "any": `{}`, "own": `{"const":"x"}`,
		"maybe": `{"anyOf":[{"$ref":"#/components/schemas/httpapi_test.Inner"},{"type":"null"}]}`,
		"list":  `{"items":{"$ref":"#/components/schemas/httpapi_test.Inner"},"type":"array"}`,
		"sets":  `{"items":{"enum":["a","b"],"type":"string"},"type":"array"}`, "map": `{"additionalProperties":{"type":"boolean"},"type":"object"}`,
		"bytes": `{"contentEncoding":"base64","type":"string"}`, "count": `{"description":"How many.","minimum":0,"type":"integer"}`,
		"inline": `{"properties":{"x":{"type":"number"}},"required":["x"],"type":"object"}`, "self": `{"$ref":"#/components/schemas/httpapi_test.Everything"}`,
	} {
		assert.Equal(t, want, text(append(properties, name)...), name)
	}
	assert.NotContains(t, string(api.OpenAPI()), "securitySchemes")

	// Every reference leads somewhere.
	for _, part := range strings.Split(string(api.OpenAPI()), `"$ref":"#/`)[1:] {
		ref, _, _ := strings.Cut(part, `"`)
		at(strings.Split(ref, "/")...)
	}
}

func TestOpenAPIOfAnAuthorizedServer(t *testing.T) {
	w := serve(t, &httpapi.Options{Authenticate: func(*http.Request) error { return nil }}, table())
	r := w.do("GET", httpapi.DescriptionPath, "")
	assert.Contains(t, r.body, `"security":[{"bearer":[]}]`)
	assert.Contains(t, r.body, `"securitySchemes":{"bearer":{"scheme":"bearer","type":"http"}}`)
	assert.Contains(t, r.body, "unauthenticated: Valid credentials are required")
	assert.NotContains(t, r.body, "forbidden_peer")
	assert.Equal(t, http.StatusNotModified, w.do("GET", httpapi.DescriptionPath, "", "If-None-Match: "+r.Header.Get("ETag")).StatusCode)
}

func TestTypesThatCannotBeDescribed(t *testing.T) {
	for want, body := range map[string]httpapi.Content{
		"marshals itself":          httpapi.Of[itself](),
		"keys that are no strings": httpapi.Of[map[int]string](),
		"no JSON":                  httpapi.Of[struct{ F func() }](),
	} {
		one := table().Routes[0]
		one.Body = body
		w := serve(t, nil, httpapi.Table{Tag: "t", Routes: []httpapi.Route{one}})
		assert.Nil(t, w.Config.Handler.(*httpapi.Service).OpenAPI())
		assert.Equal(t, http.StatusInternalServerError, w.do("GET", httpapi.DescriptionPath, "").StatusCode)
		assert.Contains(t, w.log.String(), want)
	}
}

func TestIfMatch(t *testing.T) {
	read := func(header string) (int64, bool, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "/", nil)
		require.NoError(t, err)
		if header != "" {
			r.Header.Set("If-Match", header)
		}
		return httpapi.IfMatch(r)
	}
	version, anyVersion, err := read(httpapi.VersionTag(12))
	assert.NoError(t, err)
	assert.EqualValues(t, 12, version)
	assert.False(t, anyVersion)
	_, anyVersion, err = read("*")
	assert.NoError(t, err)
	assert.True(t, anyVersion)
	for header, want := range map[string]httpapi.Kind{"": httpapi.PreconditionNeeded, `"x"`: httpapi.StaleVersion, `"v0"`: httpapi.StaleVersion, `v1`: httpapi.StaleVersion, `"v1`: httpapi.StaleVersion} {
		var p *httpapi.Problem
		_, _, err = read(header)
		require.ErrorAs(t, err, &p, header)
		assert.Equal(t, want, p.Kind, header)
	}
	assert.True(t, httpapi.Matches(`"a", W/"b"`, `"b"`))
	assert.True(t, httpapi.Matches(`*`, `"b"`))
	assert.False(t, httpapi.Matches(``, `"b"`))
}

// One status may come in several formats.
func TestOpenAPIOfSeveralFormats(t *testing.T) {
	plain := httpapi.Of[string]()
	plain.Media = "text/plain"
	api, err := httpapi.New(nil, httpapi.Table{Tag: "t", Routes: []httpapi.Route{{
		Method: http.MethodGet, Path: "/api/text", ID: "text", Summary: "Text.",
		Answers: []httpapi.Answer{{Status: 200, Description: "Either.", Content: httpapi.Of[map[string]string]()}, {Status: 200, Content: plain}},
		Handle:  func(http.ResponseWriter, *http.Request) error { return nil },
	}}})
	require.NoError(t, err)
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Description string
				Content     map[string]any
			}
		}
	}
	require.NoError(t, json.Unmarshal(api.OpenAPI(), &doc))
	answer := doc.Paths["/api/text"]["get"].Responses["200"]
	assert.Equal(t, "Either.", answer.Description)
	assert.Len(t, answer.Content, 2)
}
