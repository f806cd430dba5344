package server_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

// A preset says before its first turn which of its tools are not offered here, and why.
func TestPresetsSayWhatIsMissing(t *testing.T) {
	t.Parallel()
	w := serve(t, &server.Options{Config: configured(t, "", "-set", "chat.preset=general-assistant")})
	status, _, made := w.do("POST", "/api/presets", map[string]any{"displayName": "Seoul", "prompt": "Find places.", "tools": []string{"getCurrentTime", "searchKakaoLocal", "stats", "nothing"}})
	require.Equal(t, http.StatusCreated, status, made)
	reasons := func(answer map[string]any) map[string]any {
		out := map[string]any{}
		for _, m := range answer["missingTools"].([]any) {
			out[m.(map[string]any)["name"].(string)] = m.(map[string]any)["message"]
		}
		return out
	}
	want := map[string]any{"searchKakaoLocal": "searchKakaoLocal needs a value for KAKAO_REST_API_KEY", "stats": "stats holds no valid Local Pass: test it", "nothing": "there is no tool nothing here"}
	_, _, list := w.do("GET", "/api/presets", nil)
	items := list["items"].([]any)
	require.Len(t, items, 28)
	assert.Equal(t, want, reasons(items[27].(map[string]any)))
	status, _, conv := w.do("POST", "/api/conversations", map[string]any{"presetId": "user-seoul"})
	require.Equal(t, http.StatusCreated, status)
	assert.Equal(t, want, reasons(conv))
	_, _, conv = w.do("GET", "/api/conversations/"+conv["id"].(string), nil)
	assert.Equal(t, want, reasons(conv))

	_, _, plain := w.do("POST", "/api/conversations", map[string]any{})
	assert.Equal(t, "general-assistant", plain["presetId"])
	assert.Nil(t, plain["missingTools"])
	status, _, problem := w.do("POST", "/api/conversations", map[string]any{"presetId": "translator"})
	assert.Equal(t, http.StatusUnprocessableEntity, status)
	assert.Contains(t, problem["detail"], "target_language")
}
