package mcphub

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// checkArguments checks the arguments against the tool's input schema. A spec checks its
// arguments itself, by rules stricter than the schema (specification 2.4).
func checkArguments(e *entry, call *toolspec.Call) error {
	call.Arguments = bytes.TrimSpace(call.Arguments)
	if len(call.Arguments) == 0 || string(call.Arguments) == "null" {
		call.Arguments = json.RawMessage(`{}`)
	}
	if !rpc.IsObject(call.Arguments) || !rpc.ValidJSON(call.Arguments) {
		return errors.New("the arguments must be a JSON object")
	}
	if e.args == nil {
		return nil
	}
	if err := e.args.Validate(call.Arguments); err != nil {
		return fmt.Errorf("the arguments do not match the tool's input schema: %w", err)
	}
	return nil
}

// compileArguments prepares the check of a tool's arguments.
func (e *entry) compileArguments() {
	// A tool whose schema does not compile cannot get a pass.
	e.args, _ = schema.CompileObject(e.def.InputSchema)
}
