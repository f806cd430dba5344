package chat

// Codes of warnings.
const (
	WarnRepaired      = "arguments_repaired" // a call's arguments were no JSON, and could be made some
	WarnLength        = "length"             // the answer was cut off at its limit
	WarnEmptyAnswer   = "empty_answer"
	WarnRetrieval     = "rag_unavailable"
	WarnArchive       = "archive" // something could not be stored
	WarnRescuedCall   = "rescued_tool_call"
	WarnUnknownTools  = "unknown_tools"
	WarnUsageEstimate = "usage_estimated"
)
