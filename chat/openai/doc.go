// Package openai serves models of servers that speak the API of OpenAI: its own,
// and the many that are compatible with it, on other machines or on this one.
//
//	provider, err := openai.New(&openai.Options{BaseURL: "http://localhost:8000/v1"})
//	model, err := provider.Model(ctx, "qwen3")
//	client, err := chat.NewClient(model, nil)
//
// # Servers differ
//
// What a server does in another way than OpenAI's own is data: a [Quirks], chosen
// by the base URL and the name of the model, and replaceable. A setting that a
// server refuses by name is left out, the request is made once more, and the
// server is asked without it from then on; so are pictures, which every model is sent
// of which it is not known that it sees none. Whatever is not sent as it was asked
// for is reported by a [llm.DeltaAdjusted].
//
// # Reasoning
//
// An effort is sent as reasoning_effort, in the values that the model lists: "off"
// as none, or not at all; "max" as the highest; one that is not listed
// as the nearest lower one. A model of which nothing is known gets low to high as
// they are from OpenAI itself, and nothing from other servers. Reasoning is
// read from reasoning_content, reasoning, reasoning_details and from tags in the
// text, and sent back where [Quirks.ReturnReasoning] says so.
//
// # The Responses API
//
// [Options.API] asks for it; OpenAI's own models get it where they need it. Nothing
// is stored at the provider: what it wants back of its reasoning comes encrypted,
// is kept with the message, and goes back within the same turn, to the same model.
// Parts that a server sends side by side come out one after another. A tool that
// the provider runs itself is never asked for; when one was used all the same, a
// warning tells it. Citations are kept in [llm.Message.Provider].
//
// # One exchange
//
// A model makes one exchange for each call; package chat repeats it where that
// makes sense. A stream that ends without a reason is an error, as is one that
// carries one. Keys go to the server alone: neither to another host by a redirect,
// nor into texts, nor over plain HTTP to another machine unless
// [Options.AllowKeyOverHTTP] says so.
//
// # Own code
//
// Pieces of a stream are read by a cursor of this package. Tried: tidwall/gjson
// 1.20.1. Its validation recurses without a bound, so that a line of 16 MB of
// brackets ends the process with a stack overflow; without validation {"a":} is
// accepted. It makes U+FFFD of half a surrogate pair, and some servers send the
// halves in two pieces. 1,000 pieces take 0.28 of the CPU time of go-openai's
// receive loop here (bench, BenchmarkChunks).
package openai
