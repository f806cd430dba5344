// Package wire contains code that the adapters of model servers share: converting
// failures of a server to [llm.Error] values, merging a user's own settings into a
// request, and assembling streamed text.
package wire
