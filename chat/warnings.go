package chat

// Codes of warnings.
const (
	WarnRepaired    = "arguments_repaired" // a call's arguments were no JSON, and could be made some
	WarnLength      = "length"             // the answer was cut off at its limit
	WarnEmptyAnswer = "empty_answer"
	WarnArchive     = "archive"         // something could not be stored
	WarnRetrieval   = "rag_unavailable" // documents could not be looked for
)
