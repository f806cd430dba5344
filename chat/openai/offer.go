package openai

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/localpass/localpass/chat/internal/wire"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

// offer decides which tools to send. If the server ignores the tool choice, offer
// implements the choice by selecting the tools.
func (p *plan) offer(req *llm.ModelRequest, q *Quirks, provider string) error {
	p.tools, p.choice = req.Tools, req.ToolChoice
	if !q.NoToolChoice || len(req.Tools) == 0 {
		return nil
	}
	p.choice = llm.ToolChoice{}
	const reason = "the server passes over tool_choice"
	switch c := req.ToolChoice; c.Mode {
	case llm.ToolNone:
		p.tools = nil
		p.adjusted("toolChoice", c.Mode, "no tool is offered", reason)
	case llm.ToolRequired:
		p.adjusted("toolChoice", c.Mode, "auto", reason)
	case llm.ToolNamed:
		at := slices.IndexFunc(req.Tools, func(d toolspec.Definition) bool { return d.Name == c.Name })
		if at < 0 {
			return &llm.Error{Code: llm.CodeInvalidArgument, Provider: provider,
				Message: fmt.Sprintf("tool choice: the tool %q is not among those of the request", c.Name)}
		}
		p.tools = req.Tools[at : at+1]
		p.adjusted("toolChoice", "named "+c.Name, "only "+c.Name+" is offered", reason)
	}
	return nil
}

// parameters returns the schema of a tool's arguments in a form that the server supports.
func parameters(d *toolspec.Definition, q *Quirks) json.RawMessage {
	if q.FixedToolSchemas || len(d.InputSchema) == 0 {
		return wire.ToolSchema(d.InputSchema)
	}
	return d.InputSchema
}
