package mcphub_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
)

func TestCallByName(t *testing.T) {
	leak.Check(t)
	h := hubtest.NewHub(t, nil, hubtest.EchoTool(t, "echo"))
	for name, c := range map[string]struct {
		args any
		want string
	}{
		"a map": {map[string]any{"text": "hi"}, "hi"},
		"a struct": {struct {
			Text string `json:"text"`
		}{"hi"}, "hi"},
		"raw": {json.RawMessage(`{"text": "hi"}`), "hi"},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := h.Call(t.Context(), "echo", c.args)
			require.NoError(t, err)
			require.False(t, result.IsError, result.Err)
			assert.Contains(t, result.Content[0].Text, c.want)
		})
	}
	var records []audit.Record
	for record, err := range h.AuditRecords(t.Context()) {
		require.NoError(t, err)
		records = append(records, record)
	}
	require.Len(t, records, 3)
	assert.Equal(t, toolspec.Principal{Subject: "local", Via: "in-process"}, records[0].Principal)

	// What is wrong with the arguments is a result; what no call can be made of, an error.
	for _, args := range []any{nil, []int{1}, "hi", map[string]int{"text": 1}} {
		result, err := h.Call(t.Context(), "echo", args)
		require.NoError(t, err)
		require.True(t, result.IsError, "%v", args)
		assert.Equal(t, toolspec.KindInvalidInput, result.Err.Kind, "%v", args)
	}
	_, err := h.Call(t.Context(), "echo", func() {})
	assert.ErrorContains(t, err, `call "echo": the arguments: json`)
	_, err = h.Call(t.Context(), "other", nil)
	assert.ErrorIs(t, err, mcphub.ErrUnknownTool)

	// A tool of the hub takes a call that is nil for one without arguments.
	tools, err := h.Tools(t.Context())
	require.NoError(t, err)
	result, err := tools[0].Call(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, toolspec.KindInvalidInput, result.Err.Kind)

	require.NoError(t, h.Close())
	result, err = h.Call(t.Context(), "echo", map[string]any{"text": "hi"})
	if err == nil {
		assert.Equal(t, toolspec.KindCancelled, result.Err.Kind)
	} else {
		assert.ErrorIs(t, err, mcphub.ErrUnknownTool)
	}
}
