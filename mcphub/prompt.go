package mcphub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/internal/rpc"

	"github.com/localpass/localpass/toolspec"
)

// Prompt is a text or a conversation that a user selects and a client fills in.
type Prompt struct {
	// Name identifies the prompt: 1 to 128 characters of A-Z a-z 0-9 . _ and -, unique in
	// a hub.
	Name               string
	Title, Description string
	// Arguments are its arguments, in the order in which a client should ask for them.
	Arguments []PromptArgument
	Icons     []toolspec.Icon
	// Meta is sent as _meta of the description.
	Meta map[string]json.RawMessage
}

// PromptArgument is an argument of a prompt. Its value is always a text.
type PromptArgument struct {
	Name, Title, Description string
	// Required refuses a request without this argument before the handler is called.
	Required bool
	// Complete suggests values. Optional.
	Complete CompleteFunc
}

// PromptRequest asks for a prompt.
type PromptRequest struct {
	Request
	// Name is the name of the prompt, and Arguments are the given values; the required
	// ones are present.
	Name      string
	Arguments map[string]string
}

// PromptResult is the filled-in prompt.
type PromptResult struct {
	// Description replaces the description in the list. Optional.
	Description string
	// Messages are for the model. Role is "user" by default.
	Messages []toolspec.SampleMessage
	// Meta is sent as _meta.
	Meta map[string]json.RawMessage
}

// PromptFunc fills in a prompt. It is called concurrently, and must end soon after ctx
// does. An [*client.RPCError] is sent to the client; the text of any other error is not.
type PromptFunc func(ctx context.Context, req *PromptRequest) (*PromptResult, error)

// AddPrompt serves a prompt from now on, and notifies clients. The error says what is
// wrong with the prompt, or matches toolspec.ErrNameTaken.
func (h *Hub) AddPrompt(p Prompt, get PromptFunc) error {
	f, err := newPrompt(&p, get)
	if err != nil {
		return fmt.Errorf("mcphub: add prompt %q: %w", clip.To(p.Name, 200), err)
	}
	return h.addFeature(f)
}

// RemovePrompt stops serving a prompt that was added by AddPrompt. Running requests
// finish. The error is ErrUnknownPrompt if there is none.
func (h *Hub) RemovePrompt(name string) error { return h.removeFeature(kindPrompt, name) }

func newPrompt(p *Prompt, get PromptFunc) (*feature, error) {
	if toolspec.CheckToolName(p.Name) != nil {
		return nil, errors.New("its name must be 1 to 128 characters of A-Z a-z 0-9 . _ and -")
	}
	if get == nil {
		return nil, errors.New("the function that fills it in is nil")
	}
	if err := checkDescription(p.Icons, &toolspec.Content{Meta: p.Meta}); err != nil {
		return nil, err
	}
	f := &feature{kind: kindPrompt, key: p.Name, get: get}
	b := rpc.AppendString([]byte(`{"name":`), p.Name)
	b = rpc.AppendField(rpc.AppendField(b, "title", p.Title), "description", p.Description)
	if len(p.Arguments) > 0 {
		b = append(b, `,"arguments":[`...)
	}
	seen := map[string]bool{}
	for i, a := range p.Arguments {
		if a.Name == "" || seen[a.Name] {
			return nil, fmt.Errorf("argument %d has no name of its own: %q", i+1, a.Name)
		}
		seen[a.Name] = true
		if a.Required {
			f.required = append(f.required, a.Name)
		}
		f.completes(a.Name, a.Complete)
		b = rpc.AppendString(append(rpc.Comma(b), `{"name":`...), a.Name)
		b = rpc.AppendField(rpc.AppendField(b, "title", a.Title), "description", a.Description)
		if a.Required {
			b = append(b, `,"required":true`...)
		}
		b = append(b, '}')
	}
	if len(p.Arguments) > 0 {
		b = append(b, ']')
	}
	f.listed = append(rpc.AppendMeta(appendIcons(b, p.Icons), p.Meta, nil), '}')
	return f, nil
}

// answerPrompt serves prompts/get.
func (h *Hub) answerPrompt(ctx context.Context, x *exchange) ([]byte, *rpc.Error) {
	name, ok := rpc.Text(x.msg.Name)
	if !ok {
		return nil, rpc.BadParams(`"name" must be a string: the name of the prompt`)
	}
	f := h.features.Load().prompts.find(name)
	if f == nil {
		return nil, rpc.BadParams("Unknown prompt: %s", name)
	}
	return h.handle(ctx, x, f, name, x.msg.Arguments, func(ctx context.Context, call *toolspec.Call) (writer, error) {
		if f.remote != nil {
			return f.remote.get(ctx, h, x, call)
		}
		arguments, bad := textMembers(x.msg.Arguments, "argument")
		if bad != nil {
			return nil, bad
		}
		for _, required := range f.required {
			if _, given := arguments[required]; !given {
				return nil, rpc.BadParams("the prompt %q needs the argument %q", name, required)
			}
		}
		result, err := f.get(ctx, &PromptRequest{Request: requestOf(call), Name: name, Arguments: arguments})
		if err != nil {
			return nil, err
		}
		return h.promptWriter(result)
	})
}

// promptWriter writes the answer to prompts/get.
func (h *Hub) promptWriter(result *PromptResult) (writer, error) {
	if result == nil {
		return nil, errors.New("the prompt gave no result")
	}
	err := rpc.CheckMeta(result.Meta)
	for i := range result.Messages {
		err = errors.Join(err, rpc.CheckMeta(result.Messages[i].Content.Meta))
	}
	if err != nil {
		return nil, err
	}
	return func(x *exchange) []byte {
		b := append(rpc.AppendHead(make([]byte, 0, 512), x.msg.ID), `,"result":{"messages":[`...)
		for i := range result.Messages {
			m := &result.Messages[i]
			b = rpc.AppendString(append(rpc.Comma(b), `{"role":`...), cmp.Or(m.Role, "user"))
			b = append(rpc.AppendContent(append(b, `,"content":`...), &m.Content, x.version), '}')
		}
		return h.appendEnd(rpc.AppendField(append(b, ']'), "description", result.Description), x, result.Meta)
	}, nil
}

// textMembers reads an object whose values are texts. what describes a value in errors.
func textMembers(raw []byte, what string) (map[string]string, *rpc.Error) {
	all := map[string]string{}
	if raw == nil || string(raw) == "null" {
		return all, nil
	}
	if !rpc.IsObject(raw) {
		return nil, rpc.BadParams("the %ss must be an object", what)
	}
	err := rpc.Members(raw, func(name, value []byte) error {
		s, ok := rpc.Text(value)
		if !ok {
			return fmt.Errorf("the %s %q must be a string", what, name)
		}
		if _, twice := all[string(name)]; twice {
			return fmt.Errorf("the %s %q stands there twice", what, name)
		}
		all[string(name)] = s
		return nil
	})
	if err != nil {
		return nil, rpc.BadParams("%v", err)
	}
	return all, nil
}
