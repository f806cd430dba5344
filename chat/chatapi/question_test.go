package chatapi_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chatapi"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
)

// testImages returns an image of each accepted type, 3 by 2 pixels, by MIME type.
func testImages(t testing.TB) map[string][]byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 3, 2), color.Palette{color.Black, color.White})
	var p, j, g bytes.Buffer
	require.NoError(t, png.Encode(&p, img))
	require.NoError(t, jpeg.Encode(&j, img, nil))
	require.NoError(t, gif.Encode(&g, img, nil))
	return map[string][]byte{"image/png": p.Bytes(), "image/jpeg": j.Bytes(), "image/gif": g.Bytes(),
		"image/webp": webp("VP8X", 0, 0, 0, 0, 2, 0, 0, 1, 0, 0)}
}

// webp returns the beginning of a WebP file.
func webp(chunk string, header ...byte) []byte {
	body := append(make([]byte, 0, 30), header...)
	body = append(body, make([]byte, max(20-len(body), 0))...)
	out := append([]byte("RIFF\x00\x00\x00\x00WEBP"+chunk), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(out[4:], uint32(4+8+len(body)))
	return append(out, body...)
}

func TestAPIImages(t *testing.T) {
	m := chattest.NewModel()
	m.Rule = func(*llm.ModelRequest) chattest.Step { return chattest.Say("seen") }
	w := newServer(t, m, chat.ClientOptions{}, chatapi.Options{MaxImages: 2, MaxImageBytes: 4096})
	id := w.newConversation("")
	turns := "/api/conversations/" + id + "/turns"
	body := func(text string, images ...chatapi.APIImage) string {
		raw, err := json.Marshal(chatapi.APITurnRequest{Text: text, Images: images})
		require.NoError(t, err)
		return string(raw)
	}
	all := testImages(t)
	for kind, data := range all {
		checked(t, w.open("POST", turns, body("", chatapi.APIImage{Data: data, MIMEType: kind, Name: "a.bin", Detail: "low"})).Rest())
		asked := m.Asked()
		messages := asked[len(asked)-1].Messages
		got := messages[len(messages)-1].Parts[0].(llm.Image)
		assert.Equal(t, kind, got.MIMEType)
		assert.Equal(t, data, got.Data)
		assert.Equal(t, "a.bin", got.Name)
	}
	for _, lossless := range [][]byte{webp("VP8L", 0x2f, 2, 0x40, 0, 0), webp("VP8 ", 0, 0, 0, 0x9d, 0x01, 0x2a, 3, 0, 2, 0)} {
		checked(t, w.open("POST", turns, body("q", chatapi.APIImage{Data: lossless})).Rest())
	}
	one := chatapi.APIImage{Data: all["image/png"]}
	huge := bytes.Clone(all["image/gif"])
	binary.LittleEndian.PutUint16(huge[6:], 65535)
	for name, bad := range map[string]string{
		"nothing": `{}`, "blank": `{"text":" \n"}`, "too many": body("q", one, one, one), "not what it says": body("q", chatapi.APIImage{Data: all["image/png"], MIMEType: "image/gif"}),
		"no image": body("q", chatapi.APIImage{Data: []byte("<svg/>")}), "html": body("q", chatapi.APIImage{Data: []byte("<html>")}), "too large": body("q", chatapi.APIImage{Data: append(bytes.Clone(one.Data), make([]byte, 5000)...)}),
		"cut": body("q", chatapi.APIImage{Data: one.Data[:20]}), "too many pixels": body("q", chatapi.APIImage{Data: huge}), "detail": body("q", chatapi.APIImage{Data: one.Data, Detail: "all"}),
		"name": body("q", chatapi.APIImage{Data: one.Data, Name: strings.Repeat("x", 300)}), "odd webp": body("q", chatapi.APIImage{Data: webp("ALPH")}),
		"no key frame": body("q", chatapi.APIImage{Data: webp("VP8 ")}), "not lossless": body("q", chatapi.APIImage{Data: webp("VP8L")}), "short webp": body("q", chatapi.APIImage{Data: webp("VP8X")[:16]}),
		"long": body(strings.Repeat("x", 1<<20+1)), "tool": `{"text":"q","tools":["nope"]}`, "effort": `{"text":"q","reasoning":"hard"}`, "option": `{"text":"q","options":{"topP":2}}`,
	} {
		r := w.Do("POST", turns, bad)
		assert.Equal(t, 400, r.Status, "%s: %s", name, r.Body)
	}
	w.Do("POST", turns, `{"text":"q","images":[{"data":"`+strings.Repeat("A", 5<<20)+`"}]}`).Problem(413, "too_large")
	w.Do("POST", turns, `{"text":"q","images":[{"data":"%"}]}`).Problem(400, "invalid_json")
	w.Do("POST", turns, `{"text":"q","webhook":"x"}`).Problem(400, "invalid_json")

	// The protocol of the seven events accepts images too.
	link := "data:image/png;base64," + base64.StdEncoding.EncodeToString(one.Data)
	for _, part := range []string{`{"type":"image_url","image_url":{"url":"` + link + `","detail":"high"}}`, `{"type":"input_image","image_url":"` + link + `"}`} {
		w.open("POST", "/api/responses/stream", `{"payload":{"messages":[{"role":"user","content":[{"type":"text","text":"look"},`+part+`]}]}}`).Rest()
		asked := m.Asked()
		parts := asked[len(asked)-1].Messages[0].Parts
		require.Len(t, parts, 2)
		assert.Equal(t, one.Data, parts[1].(llm.Image).Data)
	}
}
