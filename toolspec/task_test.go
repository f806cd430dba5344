package toolspec_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

func TestTaskSupportAsText(t *testing.T) {
	for _, s := range []toolspec.TaskSupport{toolspec.TaskNever, toolspec.TaskOptional, toolspec.TaskRequired} {
		text, err := json.Marshal(s)
		require.NoError(t, err)
		assert.Equal(t, `"`+s.String()+`"`, string(text))
		again := toolspec.TaskSupport(9)
		require.NoError(t, json.Unmarshal(text, &again))
		assert.Equal(t, s, again)
	}
	var s toolspec.TaskSupport
	assert.Equal(t, toolspec.TaskNever, s)
	s = toolspec.TaskRequired
	require.NoError(t, s.UnmarshalText([]byte("forbidden")))
	assert.Equal(t, toolspec.TaskNever, s)
	assert.ErrorContains(t, s.UnmarshalText([]byte("sometimes")), "use never, optional or required")
	assert.Equal(t, "never", toolspec.TaskSupport(200).String(), "what is unknown is no task")
}

func TestFuncSaysWhetherItIsATask(t *testing.T) {
	tool, err := toolspec.Func("slow", "Slow.", func(context.Context, struct{}) (string, error) { return "", nil },
		&toolspec.FuncOptions{Task: toolspec.TaskRequired})
	require.NoError(t, err)
	assert.Equal(t, toolspec.TaskRequired, tool.Definition().Task)
}
