package openai

import (
	"fmt"
	"slices"

	"github.com/localpass/localpass/chat/llm"
)

// ladder lists the values of reasoning_effort in ascending order.
var ladder = [...]string{effortNone, effortMinimal, effortLow, effortMedium, effortHigh, effortXHigh, effortMax}

// effortFor returns the value to send for an effort, from those that the model lists, and
// what to report if it differs from the requested one. If the value is empty, none is
// sent.
func effortFor(asked llm.Effort, listed []string) (value string, adjustment *llm.Adjustment) {
	adjusted := func(used, reason string) *llm.Adjustment {
		return &llm.Adjustment{Name: "effort", Asked: string(asked), Used: used, Reason: reason}
	}
	if asked == llm.EffortDefault {
		return "", nil
	}
	if len(listed) == 0 {
		return "", adjusted("", "the model has no levels of effort that are known")
	}
	if asked == llm.EffortOff {
		if slices.Contains(listed, effortNone) {
			return effortNone, nil
		}
		return "", adjusted("", "the model cannot stop thinking")
	}
	top := slices.Index(ladder[:], string(asked))
	for i := top; i > 0; i-- { // stop before "none", which is not a lower effort
		if slices.Contains(listed, ladder[i]) {
			if i == top {
				return ladder[i], nil
			}
			return ladder[i], adjusted(ladder[i], "it is the nearest level that the model has")
		}
	}
	return "", adjusted("", fmt.Sprintf("the model has no level of %s or lower", asked))
}
