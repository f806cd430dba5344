package inspector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/mcphub/servers"
)

// CheckStatus is the result of one check of a server.
type CheckStatus string

// The outcomes.
const (
	CheckPass CheckStatus = "pass"
	// CheckWarn: allowed, but likely to cause trouble.
	CheckWarn CheckStatus = "warn"
	// CheckFail: violates the protocol.
	CheckFail CheckStatus = "fail"
	// CheckSkip: the server declares nothing to check.
	CheckSkip CheckStatus = "skip"
)

// CheckRow is one check of a server.
type CheckRow struct {
	// Name is stable, such as "unknown-method".
	Name   string      `json:"name"`
	Status CheckStatus `json:"status"`
	// Detail says what was found; empty when there is nothing to say.
	Detail string `json:"detail,omitempty"`
}

// CheckReport is what a quick check of a server found.
type CheckReport struct {
	// Server is the id of its record, At the time at which the check started.
	Server  string        `json:"serverId"`
	At      time.Time     `json:"at"`
	Elapsed time.Duration `json:"-"`
	// OK says that nothing failed.
	OK   bool       `json:"ok"`
	Rows []CheckRow `json:"rows"`
}

// Limits of the lists that are read to check them.
const (
	maxCheckPages = 1_000
	maxCheckItems = 10_000
)

// serverChecker makes a report.
type serverChecker struct {
	o    *inspecting
	info *client.SessionInfo
	rows []CheckRow
}

// nobody is a name that no server uses.
const nobody = "localpass-check-no-such-thing"

// Check tests with a few harmless requests whether a server follows the protocol. It runs
// no tool, and does not replace the official conformance suite. The history keeps its
// record, with the report as the Result.
func (i *Inspector) Check(ctx context.Context, server string) (*CheckReport, error) {
	o, err := i.begin(ctx, server, "check")
	if err != nil {
		return nil, err
	}
	c := &serverChecker{o: o}
	l, err := i.c.Lease(o.ctx, server)
	if err == nil {
		c.info = l.Session().Info()
		c.all()
		l.Release()
	} else {
		c.add("connect", CheckFail, "%v", err)
	}
	report := &CheckReport{Server: server, At: o.rec.At, Rows: c.rows, Elapsed: time.Since(o.began),
		OK: !slices.ContainsFunc(c.rows, func(r CheckRow) bool { return r.Status == CheckFail })}
	result, err := json.Marshal(report)
	o.end(nil, result, err)
	return report, err
}

func (c *serverChecker) add(name string, status CheckStatus, format string, args ...any) {
	c.rows = append(c.rows, CheckRow{Name: name, Status: status, Detail: clip.To(fmt.Sprintf(format, args...), 500)})
}

func (c *serverChecker) call(method string, params json.RawMessage) (map[string]json.RawMessage, error) {
	raw, err := c.o.request(method, params, servers.CallRules{Reads: true}, &client.CallOptions{Wire: c.o.wire})
	if err == nil && !rpc.IsObject(raw) {
		err = fmt.Errorf("%w: the result of %s is no object", client.ErrProtocol, method)
	}
	return rpc.Object(raw), err
}

func (c *serverChecker) all() {
	c.introduction()
	c.liveness()
	c.unknownMethod()
	can := &c.info.Capabilities
	for _, list := range []struct {
		declared       bool
		method, member string
		each           func(raw json.RawMessage) error
	}{
		{can.Tools, rpc.MethodToolsList, "tools", checkTool},
		{can.Resources, "resources/list", "resources", checkNamed("uri")},
		{can.Prompts, "prompts/list", "prompts", checkNamed("name")},
	} {
		c.list(list.declared, list.method, list.member, list.each)
	}
	c.unknownTool()
	c.unknownResource()
}

// introduction checks the server's description of itself.
func (c *serverChecker) introduction() {
	switch s := c.info.Server; {
	case s.Name == "":
		c.add("introduction", CheckWarn, "the server has no name")
	case s.Version == "":
		c.add("introduction", CheckWarn, "%s has no version", s.Name)
	default:
		c.add("introduction", CheckPass, "%s %s speaks %s", s.Name, s.Version, c.info.Version)
	}
	if !rpc.IsObject(c.info.Capabilities.Raw) {
		c.add("capabilities", CheckFail, "the server declares no capabilities, not even an empty object")
		return
	}
	c.add("capabilities", CheckPass, "")
}

func (c *serverChecker) liveness() {
	method := rpc.MethodPing
	if c.info.Era == client.EraStateless {
		method = rpc.MethodDiscover
	}
	if _, err := c.call(method, nil); err != nil {
		c.add("liveness", CheckFail, "%s: %v", method, err)
		return
	}
	c.add("liveness", CheckPass, "")
}

func (c *serverChecker) unknownMethod() {
	_, err := c.call(nobody, nil)
	var refused *client.RPCError
	switch {
	case errors.As(err, &refused) && refused.Code == rpc.CodeMethodNotFound:
		c.add("unknown-method", CheckPass, "")
	case errors.As(err, &refused):
		c.add("unknown-method", CheckFail, "an unknown method is refused with the code %d, and not with %d", refused.Code, rpc.CodeMethodNotFound)
	case err != nil:
		c.add("unknown-method", CheckFail, "an unknown method is not refused: %v", err)
	default:
		c.add("unknown-method", CheckFail, "an unknown method is answered with a result")
	}
}

// list reads a whole list, and checks each of its items.
func (c *serverChecker) list(declared bool, method, member string, each func(raw json.RawMessage) error) {
	if !declared {
		c.add(method, CheckSkip, "not declared")
		return
	}
	seen, cursors := map[string]bool{}, map[string]bool{}
	var params json.RawMessage
	items := 0
	for page := 1; ; page++ {
		all, err := c.call(method, params)
		if err != nil {
			c.add(method, CheckFail, "%v", err)
			return
		}
		if kind := all[member]; len(kind) == 0 || kind[0] != '[' {
			c.add(method, CheckFail, "the result has no list %q", member)
			return
		}
		var bad error
		rpc.Elements(all[member], func(raw []byte) {
			items++
			name, _ := rpc.Text(rpc.Object(raw)["name"])
			key := name
			if member == "resources" {
				key, _ = rpc.Text(rpc.Object(raw)["uri"])
			}
			if err := each(raw); err != nil && bad == nil {
				bad = fmt.Errorf("%q: %w", key, err)
			}
			if seen[key] && bad == nil {
				bad = fmt.Errorf("%q is there twice", key)
			}
			seen[key] = true
		})
		if bad != nil {
			c.add(method, CheckFail, "%v", bad)
			return
		}
		if c.info.Era == client.EraStateless {
			if err := checkHints(all); err != nil {
				c.add(method, CheckFail, "%v", err)
				return
			}
		}
		next, _ := rpc.Text(all["nextCursor"])
		switch {
		case next == "":
			c.add(method, CheckPass, "%d on %d pages", items, page)
			return
		case cursors[next]:
			c.add(method, CheckFail, "the cursor %q comes a second time", clip.To(next, 100))
			return
		case page == maxCheckPages || items > maxCheckItems:
			c.add(method, CheckWarn, "the list does not end within %d items", items)
			return
		}
		cursors[next] = true
		params = append(append([]byte(`{"cursor":`), all["nextCursor"]...), '}')
	}
}

// checkHints checks the hints that every list contains since 2026-07-28.
func checkHints(all map[string]json.RawMessage) error {
	if kind, _ := rpc.Text(all["resultType"]); kind != "complete" {
		return fmt.Errorf(`the result has not the resultType "complete"`)
	}
	if n, err := strconv.ParseFloat(string(all["ttlMs"]), 64); err != nil || n < 0 {
		return errors.New(`the result has no "ttlMs" of 0 or more`)
	}
	if scope, _ := rpc.Text(all["cacheScope"]); scope != "public" && scope != "private" {
		return errors.New(`the "cacheScope" of the result is neither public nor private`)
	}
	return nil
}

// checkTool checks the description of a tool.
func checkTool(raw json.RawMessage) error {
	t, err := servers.ParseTool(raw)
	if err != nil {
		return err
	}
	if kind, _ := rpc.Text(rpc.Object(t.InputSchema)["type"]); kind != "object" {
		return errors.New(`the input schema is not of the type "object"`)
	}
	if _, err := schema.CompileObject(t.InputSchema); err != nil {
		return fmt.Errorf("the input schema is no good: %w", err)
	}
	if t.OutputSchema != nil {
		if _, err := schema.CompileObject(t.OutputSchema); err != nil {
			return fmt.Errorf("the output schema is no good: %w", err)
		}
	}
	return nil
}

func checkNamed(member string) func(raw json.RawMessage) error {
	return func(raw json.RawMessage) error {
		all := rpc.Object(raw)
		for _, name := range []string{"name", member} {
			if value, _ := rpc.Text(all[name]); value == "" {
				return fmt.Errorf("it has no %s", name)
			}
		}
		return nil
	}
}

func (c *serverChecker) unknownTool() {
	if !c.info.Capabilities.Tools {
		c.add("unknown-tool", CheckSkip, "not declared")
		return
	}
	result, err := c.call(rpc.MethodToolsCall, toolParams(nobody, json.RawMessage("{}")))
	var refused *client.RPCError
	switch {
	case errors.As(err, &refused), err == nil && string(result["isError"]) == "true":
		c.add("unknown-tool", CheckPass, "")
	case errors.Is(err, servers.ErrLeftOut):
		c.add("unknown-tool", CheckSkip, "the tool selection of the server lets no such call through")
	case err != nil:
		c.add("unknown-tool", CheckFail, "%v", err)
	default:
		c.add("unknown-tool", CheckFail, "the call of a tool that is not there succeeds")
	}
}

func (c *serverChecker) unknownResource() {
	if !c.info.Capabilities.Resources {
		c.add("unknown-resource", CheckSkip, "not declared")
		return
	}
	_, err := c.call("resources/read", json.RawMessage(`{"uri":"`+nobody+`:///"}`))
	var refused *client.RPCError
	want := -32002
	if c.info.Era == client.EraStateless {
		want = rpc.CodeInvalidParams
	}
	switch {
	case errors.As(err, &refused) && refused.Code == want:
		c.add("unknown-resource", CheckPass, "")
	case errors.As(err, &refused):
		c.add("unknown-resource", CheckWarn, "a resource that is not there is refused with the code %d, and not with %d", refused.Code, want)
	case err != nil:
		c.add("unknown-resource", CheckFail, "%v", err)
	default:
		c.add("unknown-resource", CheckFail, "a resource that is not there can be read")
	}
}
