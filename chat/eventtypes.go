package chat

// The types of events.
const (
	EventTurnStarted         EventType = "turn.started"
	EventConversationChanged EventType = "conversation.status"
	EventOptionAdjusted      EventType = "option.adjusted"
	EventOptionIgnored       EventType = "option.ignored"
	EventRetrievalStarted    EventType = "rag.started"
	EventRetrievalFinished   EventType = "rag.retrieved"
	EventContextBudget       EventType = "context.budget"
	EventRoundStarted        EventType = "round.started"
	EventReasoningDelta      EventType = "reasoning.delta"
	EventReasoningEnd        EventType = "reasoning.end"
	EventTextDelta           EventType = "text.delta"
	EventTextEnd             EventType = "text.end"
	EventRefusalDelta        EventType = "refusal.delta"
	EventToolCallStarted     EventType = "tool_call.started"
	EventToolCallArguments   EventType = "tool_call.arguments.delta"
	EventToolCallReady       EventType = "tool_call.ready"
	EventToolCallUpdate      EventType = "tool_call.update"
	EventApprovalRequired    EventType = "approval.required"
	EventApprovalResolved    EventType = "approval.resolved"
	EventToolCallProgress    EventType = "tool_call.progress"
	EventToolCallResult      EventType = "tool_call.result"
	EventCardShown           EventType = "card"
	EventGuardSpoke          EventType = "guard"
	EventModelRetry          EventType = "model.retry"
	EventUsageReported       EventType = "usage"
	EventRoundFinished       EventType = "round.finished"
	EventMessageCompleted    EventType = "message.completed"
	EventStructuredInvalid   EventType = "structured.invalid"
	EventWarned              EventType = "warning"
	EventTurnFailed          EventType = "error"
	EventTurnFinished        EventType = "turn.finished"
	EventHeartbeat           EventType = "heartbeat"
)

// Type is the name of the event in JSON.
func (*TurnStarted) Type() EventType { return EventTurnStarted }

// Type is the name of the event in JSON.
func (*ConversationChanged) Type() EventType { return EventConversationChanged }

// Type is the name of the event in JSON.
func (*OptionAdjusted) Type() EventType { return EventOptionAdjusted }

// Type is the name of the event in JSON.
func (*OptionIgnored) Type() EventType { return EventOptionIgnored }

// Type is the name of the event in JSON.
func (*RetrievalStarted) Type() EventType { return EventRetrievalStarted }

// Type is the name of the event in JSON.
func (*RetrievalFinished) Type() EventType { return EventRetrievalFinished }

// Type is the name of the event in JSON.
func (*ContextBudget) Type() EventType { return EventContextBudget }

// Type is the name of the event in JSON.
func (*RoundStarted) Type() EventType { return EventRoundStarted }

// Type is the name of the event in JSON.
func (*ReasoningDelta) Type() EventType { return EventReasoningDelta }

// Type is the name of the event in JSON.
func (*ReasoningEnd) Type() EventType { return EventReasoningEnd }

// Type is the name of the event in JSON.
func (*TextDelta) Type() EventType { return EventTextDelta }

// Type is the name of the event in JSON.
func (*TextEnd) Type() EventType { return EventTextEnd }

// Type is the name of the event in JSON.
func (*RefusalDelta) Type() EventType { return EventRefusalDelta }

// Type is the name of the event in JSON.
func (*ToolCallStarted) Type() EventType { return EventToolCallStarted }

// Type is the name of the event in JSON.
func (*ToolCallArguments) Type() EventType { return EventToolCallArguments }

// Type is the name of the event in JSON.
func (*ToolCallReady) Type() EventType { return EventToolCallReady }

// Type is the name of the event in JSON.
func (*ToolCallUpdate) Type() EventType { return EventToolCallUpdate }

// Type is the name of the event in JSON.
func (*ApprovalRequired) Type() EventType { return EventApprovalRequired }

// Type is the name of the event in JSON.
func (*ApprovalResolved) Type() EventType { return EventApprovalResolved }

// Type is the name of the event in JSON.
func (*ToolCallProgress) Type() EventType { return EventToolCallProgress }

// Type is the name of the event in JSON.
func (*ToolCallResult) Type() EventType { return EventToolCallResult }

// Type is the name of the event in JSON.
func (*CardShown) Type() EventType { return EventCardShown }

// Type is the name of the event in JSON.
func (*GuardSpoke) Type() EventType { return EventGuardSpoke }

// Type is the name of the event in JSON.
func (*ModelRetry) Type() EventType { return EventModelRetry }

// Type is the name of the event in JSON.
func (*UsageReported) Type() EventType { return EventUsageReported }

// Type is the name of the event in JSON.
func (*RoundFinished) Type() EventType { return EventRoundFinished }

// Type is the name of the event in JSON.
func (*MessageCompleted) Type() EventType { return EventMessageCompleted }

// Type is the name of the event in JSON.
func (*StructuredInvalid) Type() EventType { return EventStructuredInvalid }

// Type is the name of the event in JSON.
func (*Warned) Type() EventType { return EventWarned }

// Type is the name of the event in JSON.
func (*TurnFailed) Type() EventType { return EventTurnFailed }

// Type is the name of the event in JSON.
func (*TurnFinished) Type() EventType { return EventTurnFinished }

// Type is the name of the event in JSON.
func (*Heartbeat) Type() EventType { return EventHeartbeat }

// Type is the name that was written.
func (e *UnknownEvent) Type() EventType { return e.Name }

// newEvent returns an empty event of a type, or nil if the type is unknown.
func newEvent(t EventType) Event {
	switch t {
	case EventTurnStarted:
		return new(TurnStarted)
	case EventConversationChanged:
		return new(ConversationChanged)
	case EventOptionAdjusted:
		return new(OptionAdjusted)
	case EventOptionIgnored:
		return new(OptionIgnored)
	case EventRetrievalStarted:
		return new(RetrievalStarted)
	case EventRetrievalFinished:
		return new(RetrievalFinished)
	case EventContextBudget:
		return new(ContextBudget)
	case EventRoundStarted:
		return new(RoundStarted)
	case EventReasoningDelta:
		return new(ReasoningDelta)
	case EventReasoningEnd:
		return new(ReasoningEnd)
	case EventTextDelta:
		return new(TextDelta)
	case EventTextEnd:
		return new(TextEnd)
	case EventRefusalDelta:
		return new(RefusalDelta)
	case EventToolCallStarted:
		return new(ToolCallStarted)
	case EventToolCallArguments:
		return new(ToolCallArguments)
	case EventToolCallReady:
		return new(ToolCallReady)
	case EventToolCallUpdate:
		return new(ToolCallUpdate)
	case EventApprovalRequired:
		return new(ApprovalRequired)
	case EventApprovalResolved:
		return new(ApprovalResolved)
	case EventToolCallProgress:
		return new(ToolCallProgress)
	case EventToolCallResult:
		return new(ToolCallResult)
	case EventCardShown:
		return new(CardShown)
	case EventGuardSpoke:
		return new(GuardSpoke)
	case EventModelRetry:
		return new(ModelRetry)
	case EventUsageReported:
		return new(UsageReported)
	case EventRoundFinished:
		return new(RoundFinished)
	case EventMessageCompleted:
		return new(MessageCompleted)
	case EventStructuredInvalid:
		return new(StructuredInvalid)
	case EventWarned:
		return new(Warned)
	case EventTurnFailed:
		return new(TurnFailed)
	case EventTurnFinished:
		return new(TurnFinished)
	case EventHeartbeat:
		return new(Heartbeat)
	}
	return nil
}
