package turntest

import (
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
)

// Find returns the events of one type.
func Find[E chat.Event](events []chat.Event) (found []E) {
	for _, ev := range events {
		if e, ok := ev.(E); ok {
			found = append(found, e)
		}
	}
	return found
}

// Answer returns the text of the last complete message, or "" if there is none.
func Answer(events []chat.Event) string {
	done := Find[*chat.MessageCompleted](events)
	if len(done) == 0 {
		return ""
	}
	return done[len(done)-1].Message.Text()
}

// Outcomes returns the outcomes of the calls, in the order of their results.
func Outcomes(events []chat.Event) (outcomes []llm.Outcome) {
	for _, e := range Find[*chat.ToolCallResult](events) {
		outcomes = append(outcomes, e.Outcome)
	}
	return outcomes
}

// Warnings returns the codes of the warnings.
func Warnings(events []chat.Event) (codes []string) {
	for _, w := range Find[*chat.Warned](events) {
		codes = append(codes, w.Code)
	}
	return codes
}

// Response collects the events of a turn into a response.
func Response(events []chat.Event) *chat.Response {
	c := chat.NewCollector()
	for _, ev := range events {
		c.Add(ev)
	}
	return c.Response()
}
