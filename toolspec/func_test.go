package toolspec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

type box struct {
	Value any   `json:"value"`
	List  []any `json:"list"`
}

func returnsOf[Out any](context.Context, box) (out Out, err error) { return out, nil }

func TestFuncTypes(t *testing.T) {
	of := func(in string, tool toolspec.Tool, err error) {
		t.Helper()
		require.NoError(t, err)
		result, err := tool.Call(t.Context(), &toolspec.Call{Arguments: []byte(in)})
		require.NoError(t, err)
		assert.False(t, result.IsError, result.Text())
		assert.Equal(t, "x", result.Text())
	}
	byMap, err := toolspec.Func("map", "", func(_ context.Context, in map[string]any) (string, error) { return in["value"].(string), nil }, nil)
	of(`{"value":"x"}`, byMap, err)
	assert.JSONEq(t, `{"type":"object","additionalProperties":{}}`, string(byMap.Definition().InputSchema))
	byPointer, err := toolspec.Func("pointer", "", func(_ context.Context, in *box) (string, error) { return in.Value.(string), nil }, nil)
	of(`{"value":"x","list":[1]}`, byPointer, err)
	schema := string(byPointer.Definition().InputSchema)
	assert.Contains(t, schema, `"value":{}`)
	assert.Contains(t, schema, `"items":{}`)
	assert.NotContains(t, schema, "true")

	for want, make := range map[string]func() (toolspec.Tool, error){
		"chan int":   func() (toolspec.Tool, error) { return toolspec.Func("f", "", returnsOf[chan int], nil) },
		"func()":     func() (toolspec.Tool, error) { return toolspec.Func("f", "", returnsOf[[]func()], nil) },
		"complex128": func() (toolspec.Tool, error) { return toolspec.Func("f", "", returnsOf[*struct{ C complex128 }], nil) },
		"not map[int]string": func() (toolspec.Tool, error) {
			return toolspec.Func("f", "", func(context.Context, map[int]string) (string, error) { return "", nil }, nil)
		},
		"not string": func() (toolspec.Tool, error) {
			return toolspec.Func("f", "", func(context.Context, string) (string, error) { return "", nil }, nil)
		},
	} {
		_, err := make()
		assert.ErrorContains(t, err, want)
	}
	for _, make := range []func() (toolspec.Tool, error){
		func() (toolspec.Tool, error) { return toolspec.Func("f", "", returnsOf[*toolspec.Result], nil) },
		func() (toolspec.Tool, error) { return toolspec.Func("f", "", returnsOf[[]toolspec.Content], nil) },
		func() (toolspec.Tool, error) { return toolspec.Func("f", "", returnsOf[any], nil) },
	} {
		_, err := make()
		assert.NoError(t, err)
	}
	asks := &toolspec.Approval{Mode: toolspec.ApprovalRequired}
	tool, err := toolspec.Func("f", "", returnsOf[string], &toolspec.FuncOptions{Approval: asks})
	require.NoError(t, err)
	assert.Equal(t, asks, tool.Definition().Approval)
}

func TestTools(t *testing.T) {
	named := func(name string) toolspec.Tool {
		tool, err := toolspec.Func(name, "", returnsOf[string], nil)
		require.NoError(t, err)
		return tool
	}
	tools, err := toolspec.Tools(named("b"), named("a")).Tools(t.Context())
	require.NoError(t, err)
	require.Len(t, tools, 2)
	assert.Equal(t, "a", tools[0].Definition().Name)
	_, err = toolspec.Tools(named("a"), named("a")).Tools(t.Context())
	assert.ErrorIs(t, err, toolspec.ErrNameTaken)
	_, err = toolspec.Tools(named("a"), nil).Tools(t.Context())
	assert.ErrorContains(t, err, "tool 2 of 2 is nil")
	tools, err = toolspec.Tools().Tools(t.Context())
	require.NoError(t, err)
	assert.Empty(t, tools)
}
