package mcphub

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/internal/rpc"

	"github.com/localpass/localpass/toolspec"
)

// CompleteRequest asks for suggestions for one argument of a prompt, or one variable of a
// resource template.
type CompleteRequest struct {
	Request
	// Argument is its name, and Value the text typed so far.
	Argument, Value string
	// Arguments are the arguments that already have a value.
	Arguments map[string]string
}

// Completion lists the possible values.
type Completion struct {
	// Values are the suggestions, the best first. A client gets at most 100.
	Values []string
	// Total is the total number of suggestions; 0 is not sent. More says that there are
	// more than in Values.
	Total int
	More  bool
}

// CompleteFunc suggests values. It is called concurrently, and must end soon after ctx
// does. A nil result means no suggestions. An [*client.RPCError] is sent to the client;
// the text of any other error is not.
type CompleteFunc func(ctx context.Context, req *CompleteRequest) (*Completion, error)

// CompleteFrom returns a CompleteFunc that suggests the given values that begin with the
// typed text, ignoring case, in the given order.
func CompleteFrom(values ...string) CompleteFunc {
	values = slices.Clone(values)
	return func(_ context.Context, req *CompleteRequest) (*Completion, error) {
		c := &Completion{}
		for _, v := range values {
			if n := len(req.Value); len(v) >= n && strings.EqualFold(v[:n], req.Value) {
				c.Total++
				if len(c.Values) < maxCompletions {
					c.Values = append(c.Values, v)
				}
			}
		}
		return c, nil
	}
}

// maxCompletions is the maximum that the protocol allows.
const maxCompletions = 100

// answerComplete serves completion/complete. An argument without suggestions gets an
// empty list.
func (h *Hub) answerComplete(ctx context.Context, x *exchange) ([]byte, *rpc.Error) {
	params, bad := x.msg.Pick("ref", "argument", "context")
	if bad != nil {
		return nil, bad
	}
	f, bad := h.findCompleted(params[0])
	if bad != nil {
		return nil, bad
	}
	argument := rpc.Object(params[1])
	name, named := rpc.Text(argument["name"])
	value, valued := rpc.Text(argument["value"])
	if !named || !valued {
		return nil, rpc.BadParams(`"argument" must have a "name" and a "value", both strings`)
	}
	return h.handlePlain(ctx, x, f, func(ctx context.Context, call *toolspec.Call) (writer, error) {
		if f.remote != nil {
			return f.remote.complete(ctx, h, x, call)
		}
		given, bad := textMembers(rpc.Object(params[2])["arguments"], "argument")
		if bad != nil {
			return nil, bad
		}
		c := &Completion{}
		if complete := f.complete[name]; complete != nil {
			got, err := complete(ctx, &CompleteRequest{Request: requestOf(call), Argument: name, Value: value, Arguments: given})
			if err != nil {
				return nil, err
			}
			if got != nil {
				c = got
			}
		}
		return h.completionWriter(c)
	})
}

// findCompleted finds the prompt or template that a completion request refers to.
func (h *Hub) findCompleted(raw []byte) (*feature, *rpc.Error) {
	ref, set := rpc.Object(raw), h.features.Load()
	var f *feature
	switch kind, _ := rpc.Text(ref["type"]); kind {
	case "ref/prompt":
		name, _ := rpc.Text(ref["name"])
		if f = set.prompts.find(name); f == nil {
			return nil, rpc.BadParams("Unknown prompt: %s", clip.To(name, 200))
		}
	case "ref/resource":
		uri, _ := rpc.Text(ref["uri"])
		if f = set.templates.find(uri); f == nil {
			f = set.resources.find(uri)
		}
		if f == nil {
			return nil, rpc.BadParams("Unknown resource template: %s", clip.To(uri, 200))
		}
	default:
		return nil, rpc.BadParams(`"ref" must be of the type "ref/prompt" or "ref/resource"`)
	}
	return f, nil
}

// completionWriter writes the answer to completion/complete.
func (h *Hub) completionWriter(c *Completion) (writer, error) {
	if c.Total < 0 {
		return nil, errors.New("a completion has a negative total")
	}
	values, more := c.Values, c.More
	if len(values) > maxCompletions {
		values, more = values[:maxCompletions], true
	}
	more = more || c.Total > len(values)
	return func(x *exchange) []byte {
		b := append(rpc.AppendHead(make([]byte, 0, 256), x.msg.ID), `,"result":{"completion":{"values":`...)
		b = rpc.AppendStrings(b, values)
		if c.Total >= len(c.Values) && c.Total > 0 {
			b = strconv.AppendInt(append(b, `,"total":`...), int64(c.Total), 10)
		}
		b = strconv.AppendBool(append(b, `,"hasMore":`...), more)
		return h.appendEnd(append(b, '}'), x, nil)
	}, nil
}
