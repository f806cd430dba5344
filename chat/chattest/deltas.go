package chattest

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/localpass/localpass/chat/llm"
)

// CheckDeltas checks one exchange of a [llm.Model], given by its deltas and its final
// error, against the order rules of [llm.Delta], and reports every violation. failed is
// nil for a successful exchange.
func CheckDeltas(deltas []llm.Delta, failed error) error {
	c := deltaChecker{ids: map[string]bool{}}
	for i := range deltas {
		c.at = i
		c.see(&deltas[i])
	}
	c.at = len(deltas)
	c.checkEnd(failed)
	return errors.Join(c.bad...)
}

type deltaChecker struct {
	bad      []error
	at       int
	ids      map[string]bool
	open     bool // a call is being written
	call     string
	calls    int
	finished bool
	finish   llm.FinishReason
}

func (c *deltaChecker) fail(format string, args ...any) {
	c.bad = append(c.bad, fmt.Errorf("delta %d: %s", c.at, fmt.Sprintf(format, args...)))
}

func (c *deltaChecker) see(d *llm.Delta) {
	if c.finished {
		c.fail("it comes after the finish")
	}
	if !utf8.ValidString(d.Text) {
		c.fail("its text %q is not valid UTF-8: a character was split", d.Text)
	}
	switch d.Kind {
	case llm.DeltaText, llm.DeltaReasoning, llm.DeltaRefusal:
		if c.open {
			c.fail("the call %q is still being written", c.call)
		}
	case llm.DeltaToolStart:
		if c.open {
			c.fail("the call %q is still being written: calls do not interleave", c.call)
		}
		if d.Name == "" {
			c.fail("a call names no tool")
		}
		if d.CallID != "" && c.ids[d.CallID] {
			c.fail("the call id %q is used twice", d.CallID)
		}
		c.ids[d.CallID], c.open, c.call = true, true, d.CallID
		c.calls++
	case llm.DeltaToolArgs, llm.DeltaToolEnd:
		if !c.open || c.call != d.CallID {
			c.fail("the call %q is not being written", d.CallID)
		}
		if d.Kind == llm.DeltaToolEnd {
			c.open = false
		}
	case llm.DeltaUsage:
		c.usage(d.Usage)
	case llm.DeltaAdjusted:
		if d.Adjusted == nil || d.Adjusted.Name == "" {
			c.fail("it does not say which setting was adjusted")
		}
	case llm.DeltaRetry:
		if d.Retry == nil || d.Retry.Attempt < 2 {
			c.fail("it does not say which try begins")
		}
		c.ids, c.open, c.calls = map[string]bool{}, false, 0 // all before it is void
	case llm.DeltaState:
		if len(d.Provider) == 0 {
			c.fail("it brings no state")
		}
	case llm.DeltaWarning:
		if d.Name == "" {
			c.fail("a warning has no code")
		}
	case llm.DeltaRaw:
	case llm.DeltaFinish:
		if c.open {
			c.fail("the call %q is still being written", c.call)
		}
		c.finished, c.finish = true, d.Finish
	default:
		c.fail("its kind %d is unknown", d.Kind)
	}
}

func (c *deltaChecker) usage(u *llm.Usage) {
	switch {
	case u == nil:
		c.fail("it does not say what was used")
	case u.Input < 0 || u.Output < 0 || u.Total < 0 || u.Reasoning < 0 || u.CacheRead < 0 || u.CacheWrite < 0:
		c.fail("a number of tokens is negative: %+v", *u)
	case u.Reasoning > u.Output:
		c.fail("reasoning is a part of the output: %+v", *u)
	case u.CacheRead > u.Input || u.CacheWrite > u.Input:
		c.fail("the cache is a part of the input: %+v", *u)
	case u.Total != 0 && u.Total < u.Input+u.Output:
		c.fail("the total is less than its parts: %+v", *u)
	}
}

func (c *deltaChecker) checkEnd(failed error) {
	if failed != nil {
		var known *llm.Error
		if !errors.As(failed, &known) && !errors.Is(failed, context.Canceled) && !errors.Is(failed, context.DeadlineExceeded) {
			c.fail("the error is neither a *chat.Error nor the context's: %v", failed)
		}
		if c.finished {
			c.fail("after the finish comes the error %v", failed)
		}
		return
	}
	switch {
	case !c.finished:
		c.fail("the stream ends without a finish and without an error")
	case c.finish == llm.FinishToolCalls && c.calls == 0:
		c.fail("it finishes for tool calls, and there are none")
	}
	switch c.finish {
	case "", llm.FinishStop, llm.FinishLength, llm.FinishToolCalls, llm.FinishContentFilter, llm.FinishRefusal, llm.FinishOther:
	default:
		c.fail("%q is no reason of a model", c.finish)
	}
}
