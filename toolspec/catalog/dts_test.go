package catalog_test

import (
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/dts"
)

// compiles reports what a compiler of TypeScript says of a text.
func compiles(text string) []api.Message {
	result := api.Transform(text, api.TransformOptions{Loader: api.LoaderTS, Target: api.ESNext})
	return append(result.Errors, result.Warnings...)
}

// Whatever is declared of the tools is TypeScript, one by one and together.
func TestDeclarationsCompile(t *testing.T) {
	all := specs(t)
	for _, s := range all {
		text := dts.Declarations(s)
		assert.Empty(t, compiles(text), "%s\n%s", s.Name, text)
		assert.Contains(t, text, "declare function "+s.Name+"(args")
		for _, p := range s.Params {
			mark := "?: "
			if p.Required {
				mark = ": "
			}
			assert.Contains(t, text, "\n  "+p.Name+mark, s.Name)
		}
		if s.OutputSchema != nil {
			assert.NotContains(t, text, "Promise<unknown>", s.Name)
		}
	}
	together := dts.Declarations(all...)
	assert.Empty(t, compiles(together+"\nasync function main() { return await "+all[0].Name+"({} as any); }\n"))
	assert.Equal(t, len(all), strings.Count(together, "declare function "))

	odd := all[0].Clone()
	odd.Name, odd.Description = "odd-\u202e\"name\"\n", "Ends */ here. \u2028"
	odd.Params[0].Name = "a b\\"
	assert.Empty(t, compiles(dts.Declarations(odd)+`tools["odd-\u202e\"name\"\n"]({} as any);`), dts.Declarations(odd))

	require.NotEmpty(t, compiles(strings.Replace(dts.Declarations(all[0]), "): Promise<", ") Promise<", 1)), "the compiler does look")
}

// Whatever stands in a spec, its declaration is TypeScript.
func FuzzDeclarationCompiles(f *testing.F) {
	f.Add("get-x", "Says */ `${x}` \u2028", "a b", `{"type":"object","properties":{"a\u202e":{"type":["array","null"],"items":{"enum":["x",-1e400,{}]}}},"required":["b"]}`)
	f.Add("await", "", "__proto__", `{"oneOf":[{"$ref":"#"},{"prefixItems":[{},false],"minItems":1}],"allOf":[{"const":[{"é":-0}]}],"nullable":true}`)
	f.Fuzz(func(t *testing.T, name, description, param, schema string) {
		s := toolspec.New(name)
		s.Description = description
		s.Params = []toolspec.Param{{Name: param, Description: description, Type: toolspec.TypeArray}}
		s.OutputSchema = []byte(schema)
		text := dts.Declarations(s)
		require.Empty(t, compiles(text), text)
	})
}
