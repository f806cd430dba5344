// Package modelservers imitates model servers for tests: OpenAI, the LiteLLM proxy,
// llama.cpp's llama-server, vLLM, LM Studio and Ollama's /v1. Each imitation follows
// published behaviour, which the comment of its [Kind] cites. It lists its models,
// streams, reports tokens and rejects requests in the format of the original, so that a
// program that works with an imitation by configuration alone also works with the
// original.
//
// The answers of a model are fixed, and are selected by the last word of the question:
//
//	hello    a greeting
//	long     four words, the last three when the test allows it (see Server.Continue)
//	time     a call of getTime, then what the tool answered
//	both     calls of getTime and add side by side, then what they answered
//	why      an answer after some reasoning, where the model reasons
//	json     an object, in the format that the request asks for
//	colour   the colour in the middle of the image, when there is one
//
// The words are the same as in chat/internal/tinymodel, as far as both have them, so that
// the same test can also use a real server.
package modelservers
