package tsgen_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/internal/tsgen"
)

const description = `{"components":{"schemas":{
"pkg.Tool":{"type":"object","description":"A tool */ of people.","required":["id","level"],"properties":{
 "id":{"type":"string"},"level":{"type":"string","enum":["L0","L1"],"description":"How risky."},"n":{"type":"integer"},"x-odd":{"type":"boolean"},
 "origin":{"$ref":"#/components/schemas/pkg.Origin"},"maybe":{"anyOf":[{"$ref":"#/components/schemas/pkg.Origin"},{"type":"null"}]},
 "tags":{"type":"array","items":{"type":"string"}},"ways":{"type":"array","items":{"enum":["a","b"]}},
 "counts":{"type":"object","additionalProperties":{"type":"number"}},"any":{},"several":{"type":["object","array"]},"open":{"type":"object"}}},
"pkg.Origin":{"type":"object","properties":{"name":{"type":"string"}}}}}}`

func ExampleTypes() {
	types, err := tsgen.Types([]byte(`{"components":{"schemas":{"pkg.Tool":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"n":{"type":"integer"}}}}}}`))
	fmt.Printf("%s%v\n", types, err)
	// Output:
	// // Made from the description of the API; do not edit. See server/types_test.go.
	// export type PkgTool = {
	//   id: string;
	//   n?: number;
	// };
	// <nil>
}

func TestTypes(t *testing.T) {
	got, err := tsgen.Types([]byte(description))
	require.NoError(t, err)
	for _, want := range []string{
		"/** A tool * / of people. */\nexport type PkgTool = {\n", "  id: string;\n", "  /** How risky. */\n  level: \"L0\" | \"L1\";\n", "  n?: number;\n", "  \"x-odd\"?: boolean;\n",
		"  origin?: PkgOrigin;\n", "  maybe?: PkgOrigin | null;\n", "  tags?: string[];\n", "  ways?: (\"a\" | \"b\")[];\n", "  counts?: Record<string, number>;\n", "  any?: unknown;\n",
		"  several?: unknown;\n", "  open?: Record<string, unknown>;\n",
	} {
		assert.Contains(t, string(got), want)
	}
}

func TestTypesRefuses(t *testing.T) {
	for name, in := range map[string]string{
		"no JSON":             `{`,
		"no schemas":          `{}`,
		"a foreign reference": `{"components":{"schemas":{"a":{"$ref":"http://elsewhere"}}}}`,
		"an unknown type":     `{"components":{"schemas":{"a":{"type":"object","properties":{"b":{"type":"widget"}}}}}}`,
		"a bad alternative":   `{"components":{"schemas":{"a":{"anyOf":[{"type":"widget"}]}}}}`,
		"one name for two":    `{"components":{"schemas":{"a.b":{"type":"string"},"a.B":{"type":"string"}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tsgen.Types([]byte(in))
			assert.Error(t, err)
		})
	}
}
