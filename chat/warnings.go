package chat

// Codes of warnings.
const (
	WarnRepaired     = "arguments_repaired" // a call's arguments were no JSON, and could be made some
	WarnUnknownTools = "unknown_tools"      // the model calls tools that do not exist
	WarnLength       = "length"             // the answer was cut off at its limit
	WarnEmptyAnswer  = "empty_answer"
	WarnTools        = "tools_large"     // the descriptions of the tools take much of the model's context
	WarnArchive      = "archive"         // something could not be stored
	WarnRetrieval    = "rag_unavailable" // documents could not be looked for
	// WarnSuspicious tells that what another server gave reads like instructions to the
	// model, which is told to follow none of them.
	WarnSuspicious = "suspicious_result"
)
