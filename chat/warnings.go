package chat

// Codes of warnings.
const (
	WarnRepaired    = "arguments_repaired" // a call's arguments were no JSON, and could be made some
	WarnLength      = "length"             // the answer was cut off at its limit
	WarnEmptyAnswer = "empty_answer"
	WarnArchive     = "archive" // something could not be stored
	// WarnProviderTool tells that the provider used a tool that it runs itself.
	WarnProviderTool = "provider_tool"
	// WarnMismatch tells that a provider's final text differs from its stream.
	WarnMismatch = "text_mismatch"
)
