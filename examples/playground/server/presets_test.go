package server_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

// A preset says which of its tools are not offered here, and why, before its first turn.
func TestPresetsSayWhatIsMissing(t *testing.T) {
	t.Parallel()
	w := serve(t, &server.Options{Config: configured(t, "", "-set", "chat.preset=general-assistant")})
	w.must(http.StatusCreated, "POST", "/api/presets", jsonObject{"displayName": "Seoul", "prompt": "Find places.", "tools": []string{"getCurrentTime", "searchKakaoLocal", "stats", "nothing"}})
	reasons := func(answer jsonObject) jsonObject {
		out := jsonObject{}
		for _, m := range answer["missingTools"].([]any) {
			out[m.(jsonObject)["name"].(string)] = m.(jsonObject)["message"]
		}
		return out
	}
	want := jsonObject{"searchKakaoLocal": "searchKakaoLocal needs a value for KAKAO_REST_API_KEY", "stats": "stats holds no valid Local Pass: test it", "nothing": "there is no tool nothing here"}
	list := w.get("/api/presets")
	items := list["items"].([]any)
	require.Len(t, items, 28)
	assert.Equal(t, want, reasons(items[27].(jsonObject)))
	conv := w.must(http.StatusCreated, "POST", "/api/conversations", jsonObject{"presetId": "user-seoul"})
	assert.Equal(t, want, reasons(conv))
	conv = w.get("/api/conversations/" + conv["id"].(string))
	assert.Equal(t, want, reasons(conv))

	_, _, plain := w.do("POST", "/api/conversations", jsonObject{})
	assert.Equal(t, "general-assistant", plain["presetId"])
	assert.Nil(t, plain["missingTools"])
	problem := w.must(http.StatusUnprocessableEntity, "POST", "/api/conversations", jsonObject{"presetId": "translator"})
	assert.Contains(t, problem["detail"], "target_language")
}
