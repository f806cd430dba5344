package openai

import (
	"fmt"

	"github.com/localpass/localpass/chat/llm"
)

// warnRescued is the code of the warning about a call that was found in text.
const warnRescued = "rescued_tool_call"

// rescued sends the calls that were found in the text. If the server also sent regular
// calls, those in the text stay text.
func (a *assembler) rescued() {
	for _, c := range a.texts.found {
		if len(a.calls.slots) > 0 {
			a.say(c.Block)
			continue
		}
		id := a.calls.newID(a.calls.emitted)
		a.send(llm.Delta{Kind: llm.DeltaWarning, Name: warnRescued, Text: fmt.Sprintf("the model wrote a call of %s into its text", c.Name)})
		a.send(llm.Delta{Kind: llm.DeltaToolStart, CallID: id, Name: c.Name, Index: a.calls.emitted})
		a.send(llm.Delta{Kind: llm.DeltaToolArgs, CallID: id, Index: a.calls.emitted, Text: string(c.Arguments)})
		a.send(llm.Delta{Kind: llm.DeltaToolEnd, CallID: id, Index: a.calls.emitted})
		a.calls.emitted++
	}
}
