package hubtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// Chatty returns a tool that sends progress and log messages right before it returns.
func Chatty(t testing.TB) *studio.Passed {
	return ToolDoing(t, "chatty", func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		var errs []string
		for i := 1; i <= 3; i++ {
			if err := call.Peer.Progress(ctx, toolspec.Progress{Done: float64(i), Total: 3, Message: fmt.Sprint("step ", i)}); err != nil {
				errs = append(errs, err.Error())
			}
			if err := call.Peer.Log(ctx, toolspec.LogMessage{Level: "warning", Logger: "chatty", Data: json.RawMessage("{\"n\":\n" + fmt.Sprint(i) + "}")}); err != nil {
				errs = append(errs, err.Error())
			}
		}
		return toolspec.TextResult(strings.Join(errs, "; ")), nil
	})
}
