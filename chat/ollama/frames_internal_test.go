package ollama

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const piece = `{"model":"qwen3.5:4b","created_at":"2026-01-01T00:00:00.123456789Z","message":{"role":"assistant","content":" wörd"},"done":false}`

func TestPlain(t *testing.T) {
	text, ok := plainFrameText([]byte(piece))
	assert.True(t, ok, "the quick way is taken")
	assert.Equal(t, " wörd", text)
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = plainFrameText([]byte(piece)) }), 2.0)
}

// The fast path never disagrees with the decoder.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{
		piece,
		`{"model":"m","created_at":"x","message":{"role":"assistant","content":""},"done":false}`,
		`{"model":"m","created_at":"x","error":"e","message":{"role":"assistant","content":"a"},"done":false}`,
		`{"model":"m","created_at":"x","message":{"role":"assistant","content":"a","thinking":"b"},"done":false}`,
		`{"model":"m","created_at":"x","message":{"role":"assistant","content":"a"},"done":true,"x":{"y":"z"},"done":false}`,
		`{"model":"m","created_at":"x","message":{"role":"assistant","content":"a\"},"done":false}`,
		`{"model":"m","created_at":"x","message":{"role":"assistant","content":"},"done":false}`,
		`{"model":"m","created_at":"x" ,"message":{"role":"assistant","content":"a"},"done":false}`,
		`{"model":"m","created_at":","message":{"role":"assistant","content":"a"},"done":false}`,
		`{"model":"m","message":{"role":"assistant","content":"a"},"done":false}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		text, ok := plainFrameText(line)
		if !ok {
			return
		}
		var want, got frame
		require.NoError(t, json.Unmarshal(line, &want), string(line))
		got.Message.Content = text
		require.Equal(t, want, got, string(line))
	})
}
