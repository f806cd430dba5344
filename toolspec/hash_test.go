package toolspec_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/toolspec"
)

// The vectors of the specification, section 14.1.
func TestCatalogHashVectors(t *testing.T) {
	spec := toolspec.New("echo")
	spec.Code = "return text;"
	assert.Equal(t, "8184579869dde4cf862fa66fd773cdfaab9ed50db3016e9fc4de6f58ca4cbb01", spec.CatalogHash())
	// The approval mode, test values and what the specification does not know
	// are no part of a pin.
	spec.ToolID, spec.Draft, spec.Created = "x", false, 5
	spec.Approval = &toolspec.Approval{Mode: toolspec.ApprovalRequired}
	spec.Extra = map[string]json.RawMessage{"x-a": json.RawMessage(`1`)}
	spec.Tests = []toolspec.Case{{Name: "c"}}
	assert.Equal(t, "8184579869dde4cf862fa66fd773cdfaab9ed50db3016e9fc4de6f58ca4cbb01", spec.CatalogHash())

	yes, no := true, false
	spec = &toolspec.Spec{Name: "fetchNote", Description: "Reads a note – <b>& more</b>/ok", Code: "const r = await fetch(u);\nreturn r.text();\n", CodeType: "Javascript",
		Params:          []toolspec.Param{{Name: "u", Type: toolspec.TypeString, Required: true, Description: "Note URL"}, {Name: "depth", Type: toolspec.TypeInteger}},
		StaticVariables: []toolspec.Variable{{Name: "token", Value: "${NOTE_TOKEN}"}}, Category: "WEB", Tags: []string{"util", "search"},
		Overrides: toolspec.Overrides{NetworkMode: toolspec.NetworkAllowlist, HostsAllow: []string{"b.example", "a.example"}, FileRead: &no, FileWrite: &yes, Destructive: &yes}}
	const want = "c1c99a444735578b9adc08b93c7acf419b4e788d8358a4f2c32006ffde261ea8"
	assert.Equal(t, want, spec.CatalogHash())
	spec.Params[0], spec.Params[1] = spec.Params[1], spec.Params[0]
	spec.Tags = []string{"search", "util", "search"}
	assert.Equal(t, want, spec.CatalogHash(), "sorted")
	assert.Equal(t, "depth", spec.Params[0].Name, "left alone")
	spec.StaticVariables = []toolspec.Variable{{Name: "b", Value: "2"}, {Name: "b", Value: "1"}, {Name: "a", Value: "3"}}
	sorted := spec.CatalogHash()
	spec.StaticVariables = []toolspec.Variable{{Name: "a", Value: "3"}, {Name: "b", Value: "1"}, {Name: "b", Value: "2"}}
	assert.Equal(t, sorted, spec.CatalogHash())
	spec.CodeType = "Python"
	other := spec.CatalogHash()
	spec.CodeType = ""
	assert.Equal(t, other, spec.CatalogHash())
}

// Each edit of one member gives another content hash, all of them different.
func TestContentHashEdits(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	text := func(s string) *string { return &s }
	yes := true
	edits := map[string]func(s *toolspec.Spec){
		"name":              func(s *toolspec.Spec) { s.Name += "2" },
		"description":       func(s *toolspec.Spec) { s.Description += "." },
		"category":          func(s *toolspec.Spec) { s.Category = "WEB" },
		"tag":               func(s *toolspec.Spec) { s.Tags = s.Tags[:1] },
		"param order":       func(s *toolspec.Spec) { s.Params[0], s.Params[1] = s.Params[1], s.Params[0] },
		"param name":        func(s *toolspec.Spec) { s.Params[1].Name = "deep" },
		"param description": func(s *toolspec.Spec) { s.Params[1].Description = "x" },
		"param required":    func(s *toolspec.Spec) { s.Params[1].Required = true },
		"param type":        func(s *toolspec.Spec) { s.Params[1].Type = toolspec.TypeNumber },
		"test value":        func(s *toolspec.Spec) { s.Params[0].TestValue = text("x") },
		"test value away":   func(s *toolspec.Spec) { s.Params[0].TestValue = nil },
		"allow empty":       func(s *toolspec.Spec) { s.Params[0].AllowEmpty = true },
		"param extra":       func(s *toolspec.Spec) { s.Params[0].Extra["x-unit"] = raw(`2`) },
		"param added":       func(s *toolspec.Spec) { s.Params = append(s.Params, toolspec.Param{Name: "z"}) },
		"static variable order": func(s *toolspec.Spec) {
			s.StaticVariables[0], s.StaticVariables[1] = s.StaticVariables[1], s.StaticVariables[0]
		},
		"static variable name":  func(s *toolspec.Spec) { s.StaticVariables[2].Name = "url" },
		"static variable value": func(s *toolspec.Spec) { s.StaticVariables[2].Value = "https://y" },
		"code":                  func(s *toolspec.Spec) { s.Code += " " },
		"code type":             func(s *toolspec.Spec) { s.CodeType = "Wasm" },
		"network mode":          func(s *toolspec.Spec) { s.Overrides.NetworkMode = toolspec.NetworkOpen },
		"hosts":                 func(s *toolspec.Spec) { s.Overrides.HostsAllow[0] = "c.example" },
		"file read":             func(s *toolspec.Spec) { s.Overrides.FileRead = &yes },
		"file read inherits":    func(s *toolspec.Spec) { s.Overrides.FileRead = nil },
		"file write":            func(s *toolspec.Spec) { s.Overrides.FileWrite = &yes },
		"destructive":           func(s *toolspec.Spec) { s.Overrides.Destructive = &yes },
		"base path":             func(s *toolspec.Spec) { s.Overrides.FSBasePath = text("/x") },
		"allow class":           func(s *toolspec.Spec) { s.Overrides.AddAllowClasses = []string{"a.B"} },
		"no allow class":        func(s *toolspec.Spec) { s.Overrides.RemoveAllowClasses = []string{"a.B"} },
		"deny class":            func(s *toolspec.Spec) { s.Overrides.AddDenyClasses = []string{"a.B"} },
		"no deny class":         func(s *toolspec.Spec) { s.Overrides.RemoveDenyClasses = []string{"a.B"} },
		"override extra":        func(s *toolspec.Spec) { s.Overrides.Extra["future"] = raw(`{"k":2}`) },
		"approval":              func(s *toolspec.Spec) { s.Approval.Mode = toolspec.ApprovalDisabled },
		"approval away":         func(s *toolspec.Spec) { s.Approval = nil },
		"approval prompt":       func(s *toolspec.Spec) { s.Approval.PromptTemplate = "?" },
		"approval extra":        func(s *toolspec.Spec) { delete(s.Approval.Extra, "reviewer") },
		"output schema":         func(s *toolspec.Spec) { s.OutputSchema = raw(`{"type":"object"}`) },
		"case name":             func(s *toolspec.Spec) { s.Tests[0].Name = "m" },
		"case args":             func(s *toolspec.Spec) { s.Tests[0].Args = raw(`{"text":"b","depth":1}`) },
		"case wants nothing":    func(s *toolspec.Spec) { s.Tests[0].Want = nil },
		"case wants":            func(s *toolspec.Spec) { s.Tests[0].Want = raw(`1`) },
		"case fails":            func(s *toolspec.Spec) { s.Tests[1].WantError.Reason = "x" },
		"case fails with":       func(s *toolspec.Spec) { s.Tests[1].WantError.Message = "x" },
		"case extra":            func(s *toolspec.Spec) { s.Tests[0].Extra = nil },
		"case order":            func(s *toolspec.Spec) { s.Tests[0], s.Tests[1] = s.Tests[1], s.Tests[0] },
		"unknown member":        func(s *toolspec.Spec) { s.Extra["x-first"] = raw(`{"b":1.5,"a":[]}`) },
		"unknown member added":  func(s *toolspec.Spec) { s.Extra["x-new"] = raw(`0`) },
		"unknown member away":   func(s *toolspec.Spec) { delete(s.Extra, "x-first") },
	}
	hash := load(t, fullDocument).ContentHash()
	assert.Len(t, hash, 64)
	seen := map[string]string{hash: "nothing"}
	for name, edit := range edits {
		spec := load(t, fullDocument)
		edit(spec)
		got := spec.ContentHash()
		assert.Empty(t, seen[got], "%s gives the same hash as %s", name, seen[got])
		seen[got] = name
	}

	for name, edit := range map[string]func(s *toolspec.Spec){
		"tool id":             func(s *toolspec.Spec) { s.ToolID = "" },
		"draft":               func(s *toolspec.Spec) { s.Draft = true },
		"created":             func(s *toolspec.Spec) { s.Created = 0 },
		"updated":             func(s *toolspec.Spec) { s.Updated++ },
		"tool safety":         func(s *toolspec.Spec) { s.ToolSafety = nil },
		"tag order":           func(s *toolspec.Spec) { s.Tags = []string{"search", "util"} },
		"host order":          func(s *toolspec.Spec) { s.Overrides.HostsAllow = []string{"a.example", "b.example"} },
		"spelling of numbers": func(s *toolspec.Spec) { s.Extra["x-first"] = raw(`{"a":[100,0,"é/"],"b":15e-1}`) },
		"unknown null":        func(s *toolspec.Spec) { delete(s.Extra, "x-last"); s.Extra["x-other"] = raw(` null `) },
		"spelling of a case":  func(s *toolspec.Spec) { s.Tests[0].Args = raw(`{ "depth": 1, "text": "a" }`) },
	} {
		spec := load(t, fullDocument)
		edit(spec)
		assert.Equal(t, hash, spec.ContentHash(), name)
	}
	spec := toolspec.New("x")
	hash = spec.ContentHash()
	spec.Approval = &toolspec.Approval{Mode: toolspec.ApprovalDisabled}
	assert.Equal(t, hash, spec.ContentHash(), "absent is disabled")
}

// A text that no file can hold, set by a program, hashes and is reported.
func TestContentHashOfWhatIsNoJSON(t *testing.T) {
	spec := toolspec.New("x")
	spec.OutputSchema = json.RawMessage(`{`)
	a := spec.ContentHash()
	spec.OutputSchema = json.RawMessage(`{"`)
	assert.NotEqual(t, a, spec.ContentHash())
}

func TestID(t *testing.T) {
	spec := toolspec.New("echo")
	assert.Equal(t, "650bc95b-1d4f-540e-a3ee-0069f8f30d32", spec.ID(), "as any other implementation of version 5 makes it")
	spec.ToolID = "any text"
	assert.Equal(t, "any text", spec.ID())
	assert.NotEqual(t, toolspec.New("a").ID(), toolspec.New("b").ID())
}

func BenchmarkContentHash(b *testing.B) {
	spec := &toolspec.Spec{}
	if err := spec.UnmarshalJSON([]byte(fullDocument)); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		_ = spec.ContentHash()
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(fullDocument)))
	for b.Loop() {
		if _, err := toolspec.Parse([]byte(fullDocument), nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkResolve(b *testing.B) {
	spec := &toolspec.Spec{}
	if err := spec.UnmarshalJSON([]byte(fullDocument)); err != nil {
		b.Fatal(err)
	}
	for name, spec := range map[string]*toolspec.Spec{"plain": toolspec.New("x"), "with a recorded block": spec} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				spec.Resolve(nil)
			}
		})
	}
}

func ExampleSpec_ContentHash() {
	spec := toolspec.New("greet")
	spec.Code = "return 'hi';"
	before := spec.ContentHash()
	spec.Draft = false
	fmt.Println(spec.ContentHash() == before)
	spec.Code = "return 'ho';"
	fmt.Println(spec.ContentHash() == before)
	// Output:
	// true
	// false
}
