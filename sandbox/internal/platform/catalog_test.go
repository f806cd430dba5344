package platform_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/sandbox/internal/platform"
	"github.com/localpass/localpass/sandbox/internal/platform/intl"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
)

// The computing specs of the catalogue are the platform's first users. They run here on a
// plain goja runtime; the catalogue itself links no engine.

// tool is a spec of the catalogue, compiled.
type tool struct {
	spec    *toolspec.Spec
	program *goja.Program
	zones   *intl.Zones
}

func tools(t testing.TB) map[string]*tool {
	t.Helper()
	specs, err := catalog.Specs()
	require.NoError(t, err)
	zones, all := &intl.Zones{}, make(map[string]*tool)
	for _, s := range specs {
		if strings.Contains(s.Code, "fetch(") || strings.Contains(s.Code, "safety.") {
			continue // it needs more than the platform: the catalogue's own test runs it
		}
		program, err := goja.Compile(s.Name, "(async function () {\n"+s.Code+"\n})()", false)
		require.NoError(t, err, s.Name)
		all[s.Name] = &tool{s, program, zones}
	}
	return all
}

// call runs the tool once and returns the JSON of its result, or what it threw.
func (c *tool) call(arguments []byte) (json.RawMessage, error) {
	bound, refused := c.spec.Bind(arguments, nil)
	if refused != nil {
		return nil, refused
	}
	vm := goja.New()
	vm.SetMaxCallStackSize(2048)
	platform.Install(vm, &platform.Options{Zones: c.zones.Load})
	for _, name := range bound.Unset {
		_ = vm.Set(name, goja.Undefined())
	}
	for _, g := range bound.Globals {
		_ = vm.Set("$bind", string(g.Value))
		value, err := vm.RunString("JSON.parse($bind)")
		if err != nil {
			return nil, err
		}
		_ = vm.Set(g.Name, value)
	}
	v, err := vm.RunProgram(c.program)
	if err != nil {
		return nil, err
	}
	promise, ok := v.Export().(*goja.Promise)
	if !ok {
		return nil, fmt.Errorf("an async function gave %v", v)
	}
	switch promise.State() {
	case goja.PromiseStateFulfilled:
		_ = vm.Set("$result", promise.Result())
		text, err := vm.RunString("JSON.stringify($result)")
		if err != nil {
			return nil, err
		}
		return json.RawMessage(text.String()), nil
	case goja.PromiseStateRejected:
		return nil, errors.New(promise.Result().String())
	}
	return nil, errors.New("the promise never settles")
}

// ask runs the tool with arguments as a Go value and decodes its result.
func ask[T any](t testing.TB, c *tool, arguments map[string]any) T {
	t.Helper()
	raw, err := json.Marshal(arguments)
	require.NoError(t, err)
	result, err := c.call(raw)
	require.NoError(t, err, "%s %s", c.spec.Name, raw)
	var out T
	require.NoError(t, json.Unmarshal(result, &out))
	return out
}

func TestCatalogueCases(t *testing.T) {
	for name, c := range tools(t) {
		t.Run(name, func(t *testing.T) {
			for _, one := range c.spec.Tests {
				result, err := c.call(one.Args)
				if one.WantError != nil {
					if assert.Error(t, err, one.Name) {
						assert.True(t, strings.HasPrefix(err.Error(), "Error: "), "%s: %v", one.Name, err)
						assert.Contains(t, err.Error(), one.WantError.Message, one.Name)
					}
					continue
				}
				if assert.NoError(t, err, one.Name) {
					assert.NoError(t, one.CheckResult(result), one.Name)
					assertSchema(t, c.spec, result)
				}
			}
		})
	}
}

// The run with the test values is what a Local Pass begins with.
func TestCatalogueTestValues(t *testing.T) {
	for name, c := range tools(t) {
		arguments, problems := c.spec.TestArguments()
		require.Empty(t, problems, name)
		result, err := c.call(arguments)
		require.NoError(t, err, name)
		assertSchema(t, c.spec, result)
	}
}

func assertSchema(t *testing.T, s *toolspec.Spec, result json.RawMessage) {
	t.Helper()
	if len(s.OutputSchema) == 0 {
		assert.True(t, json.Valid(result) && result[0] == '"', "%s gives a text", s.Name)
		return
	}
	compiled, err := schema.Compile(s.OutputSchema)
	require.NoError(t, err, s.Name)
	assert.NoError(t, compiled.Validate(result), s.Name)
}
