// Package modelservers imitates servers of models for tests: OpenAI, the LiteLLM
// proxy, llama.cpp's llama-server, vLLM, LM Studio and Ollama's /v1. Each one is
// written from published behaviour, which the comment of its [Kind] names. It lists
// its models, streams, reports tokens and refuses in the form of the original, so
// that a program which works here by its configuration alone works there.
//
// What a model says is fixed, and chosen by the last word of the question:
//
//	hello    a greeting
//	long     four words, the last three when the test allows it (see Server.Continue)
//	time     a call of getTime, then what the tool answered
//	both     calls of getTime and add side by side, then what they answered
//	why      an answer after some reasoning, where the model reasons
//	json     an object, in the format that the request asks for
//	colour   the colour in the middle of the picture, when there is one
//
// The words are those of chat/internal/tinymodel, as far as both have them, so that
// one test can ask a real server too.
package modelservers
