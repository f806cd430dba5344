// Package openai embeds texts with OpenAI, or with a server that speaks as OpenAI does:
// llama.cpp, vLLM, LM Studio, LiteLLM.
//
// The library is github.com/sashabaranov/go-openai. Requests of 64 texts are sent, several
// at a time, and repeated where that can help (see package embedding). The key goes to the
// server of BaseURL alone, and never into an error.
package openai
