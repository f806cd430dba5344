package mcphub_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
)

// A client of 2025-03-26 may send several messages as one, and no other may.
func TestBatches(t *testing.T) {
	leak.Check(t)
	h := hubtest.NewHub(t, nil)
	w := serve(t, h)
	const batch = `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":"two","method":"tools/list"},` +
		`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{}},7]`
	old := w.open("2025-03-26", `{}`)
	a := old.post(batch)
	require.Equal(t, 200, a.status, a.body)
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.body), &all), a.body)
	require.Len(t, all, 4)
	assert.Equal(t, []any{1.0, "two", 3.0}, []any{all[0]["id"], all[1]["id"], all[2]["id"]})
	assert.Contains(t, all[1], "result")
	assert.Contains(t, all[2], "error")
	assert.Contains(t, all[3], "error")
	assert.Equal(t, 202, old.post(`[{"jsonrpc":"2.0","method":"notifications/initialized"}]`).status)
	for _, bad := range []string{`[]`, `[`, "[" + strings.Repeat(`7,`, 100) + "7]"} {
		assert.Equal(t, 400, old.post(bad).status, bad)
	}
	assert.Equal(t, 400, w.open("2025-06-18", `{}`).post(batch).status)
	assert.Equal(t, 400, w.open("2025-11-25", `{}`).post(batch).status)
}
