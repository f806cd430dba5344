package openai_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/openai"
	"github.com/localpass/localpass/toolspec"
)

// withImage returns a history with an image in an earlier question.
func withImage() *llm.ModelRequest {
	req := request()
	req.Messages = []llm.Message{
		{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "What is this?"}, llm.Image{MIMEType: "image/png", Data: []byte("png")}}},
		llm.AssistantText("An image."), llm.UserText("And now?"),
	}
	return req
}

// The errors of servers whose model does not support images.
var refusedImages = []answer{
	{status: 500, body: `{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}`},
	{status: 500, body: `{"error":{"message":"this model is missing data required for image input","type":"api_error"}}`},
	{status: 400, body: `{"object":"error","message":"Qwen/Qwen3-0.6B is not a multimodal model None","type":"BadRequestError","param":null,"code":400}`},
	{status: 400, body: `{"error":"Model does not support images. Please use a model that does."}`},
	{status: 400, body: `{"error":{"message":"Invalid content type. image_url is only supported by certain models.","type":"invalid_request_error","param":"messages.[0].content.[1].type","code":null}}`},
	{status: 404, body: `{"error":{"message":"No endpoints found that support image input","code":404}}`},
	{status: 422, body: `{"error":{"message":"messages[0]: unknown variant ` + "`image_url`, expected `text`" + `"}}`},
	{status: 422, body: `{"detail":[{"loc":["body","messages",0,"content"],"msg":"Input should be a valid string"}]}`},
}

// A model without image support is asked again without the images, and gets no more
// images. Otherwise an image would end the conversation, since it is sent with every
// question.
func TestRefusedImagesAreLeftOut(t *testing.T) {
	for _, refused := range refusedImages {
		for _, api := range []openai.API{openai.APIChat, openai.APIResponses} {
			good := fine
			if api == openai.APIResponses {
				good = sse(`{"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}`)
			}
			s := &server{answers: []answer{refused, {body: good}}}
			m := ask(t, s, openai.Options{API: api}, "any")
			assert.True(t, m.Info().Capabilities.Vision)
			for range 2 {
				r := run(t, m, withImage())
				require.NoError(t, r.err, refused.body)
				assert.Equal(t, []string{"content_omitted"}, r.warned, refused.body)
			}
			require.Len(t, s.bodies, 3, refused.body)
			for i, body := range s.bodies {
				assert.Equal(t, i == 0, strings.Contains(body, "base64"), "request %d: %s", i, body)
				assert.Equal(t, i > 0, strings.Contains(body, "image omitted") || strings.Contains(body, "left out") || strings.Contains(body, "omitted"), "request %d: %s", i, body)
			}
		}
	}
}

// An error about one image, or for another reason, is returned.
func TestOtherRefusalsOfImagesAreErrors(t *testing.T) {
	for _, refused := range []answer{
		{status: 400, body: `{"error":{"message":"You uploaded an unsupported image. Please make sure your image has one of the following formats: png, jpeg"}}`},
		{status: 400, body: `{"error":{"message":"image URLs are not currently supported, please use base64 encoded data instead"}}`},
		{status: 400, body: `{"error":{"message":"the image is too large and not supported"}}`},
		{status: 403, body: `{"error":{"message":"images are not supported in your plan"}}`},
	} {
		s := &server{answers: []answer{refused}}
		r := run(t, ask(t, s, openai.Options{API: openai.APIChat}, "any"), withImage())
		assert.Error(t, r.err, refused.body)
		assert.Len(t, s.bodies, 1)
	}
}

// If a server does not support tools, the error says so, with advice.
func TestRefusedToolsAreNamed(t *testing.T) {
	for body, help := range map[string]string{
		`500 {"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`:                                                                  "start llama-server with --jinja",
		`400 {"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","code":400}`: "start vLLM with both",
		`400 {"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error"}}`:                                                       "choose another model",
		`404 {"error":{"message":"No endpoints found that support tool use.","code":404}}`:                                                                                "choose another model",
		`400 {"error":{"message":"litellm.UnsupportedParamsError: x does not support parameters: ['tools'], for model=y","code":"400"}}`:                                  "choose another model",
	} {
		status := map[string]int{"400": 400, "404": 404, "500": 500}[body[:3]]
		s := &server{answers: []answer{{status: status, body: body[4:]}}}
		req := request()
		req.Tools = []toolspec.Definition{{Name: "getTime", InputSchema: []byte(`{"type":"object"}`)}}
		for _, api := range []openai.API{openai.APIChat, openai.APIResponses} {
			r := run(t, ask(t, s, openai.Options{API: api}, "any"), req)
			var e *llm.Error
			require.ErrorAs(t, r.err, &e, body)
			assert.Equal(t, llm.CodeModelLacksTools, e.Code, body)
			assert.False(t, e.Retryable, body)
			assert.Contains(t, e.Message, help)
		}
		r := run(t, ask(t, s, openai.Options{}, "any"), request())
		assert.NotEqual(t, llm.CodeModelLacksTools, llm.CodeOf(r.err), "there was none")
	}
}
