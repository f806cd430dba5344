package inspector

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// Inspection is the record of one operation of an [Inspector]. The secrets of the
// connection are masked.
type Inspection struct {
	ID     string `json:"id"`
	Server string `json:"serverId"`
	// Operation names the operation: the method, or a word such as "discover".
	Operation string        `json:"operation"`
	At        time.Time     `json:"at"`
	Elapsed   time.Duration `json:"-"`
	// OK says that it succeeded. Otherwise Error says what went wrong; if the tool itself
	// failed, there is a Result too.
	OK bool `json:"ok"`
	// Because says what let a tool run: the decision, the grant or the policy. Empty for
	// other operations, for calls that were refused, and without a gate.
	Because string `json:"because,omitempty"`
	// DecidedBy names it as a reference: see [approval.CallOutcome].
	DecidedBy string           `json:"decidedBy,omitempty"`
	Error     *InspectionError `json:"error,omitempty"`
	// Params and Result are the raw params of the request and the raw result. Kept records
	// leave out values above 256 KiB, and Shortened says so.
	Params    json.RawMessage `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Shortened bool            `json:"shortened,omitempty"`
	// Wire holds the messages in order, at most 64 and 512 KiB. WireCut is how many are
	// left out.
	Wire    []client.WireMessage `json:"wire"`
	WireCut int                  `json:"wireCut,omitempty"`
	// Logs holds the server's log messages that belong to the operation and came before its
	// end, in order: at most 200 and 64 KiB of text. LogsCut is how many are left out. A
	// message belongs to it by the rule of [client.CallOptions].Request;
	// [Inspector.Notifications] contains all messages.
	Logs    []CallLog `json:"logs,omitempty"`
	LogsCut int       `json:"logsCut,omitempty"`

	// Seq grows with each record that is kept.
	Seq uint64 `json:"-"`

	method string          // method of a request that can be sent again
	params json.RawMessage // its params, unmasked; nil if they are too large
}

// InspectionError says why an operation did not succeed.
type InspectionError struct {
	// Kind is "tool" if the tool itself failed, "refused" for an error of the server,
	// "denied" if the gate or its rules refused, "audit" if the call could not be
	// recorded, "timeout", "cancelled", "withheld" if the tool is not what was approved,
	// "left-out" if the record of the server leaves it out, "input-required" if a
	// question of the server was not answered, "not-connected" if there is no session and
	// none can be opened now, the class of a [client.ConnError], or otherwise "failed".
	Kind    string `json:"kind"`
	Message string `json:"message"`
	// Code and Data are the code and the data of the server's error.
	Code int             `json:"code,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
	// Err is the error itself.
	Err error `json:"-"`
}

// Error returns the message.
func (e *InspectionError) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *InspectionError) Unwrap() error { return e.Err }

const (
	maxWireMessages = 64
	maxWireBytes    = 512 << 10
	maxKeptBody     = 256 << 10
	maxReplay       = 1 << 20
	// maxHistory is the maximum total size of the records of one server.
	maxHistory = 8 << 20
)

// size returns roughly how many bytes a record takes.
func (rec *Inspection) size() int {
	n := 1 << 10
	for _, raw := range [][]byte{rec.Params, rec.Result, rec.params} {
		n += len(raw)
	}
	for i := range rec.Wire {
		n += len(rec.Wire[i].Text)
	}
	for i := range rec.Logs {
		n += len(rec.Logs[i].Text) + maxLogger
	}
	return n
}

// inspectionError describes an error of an operation.
func inspectionError(ctx context.Context, err error) *InspectionError {
	e := &InspectionError{Kind: "failed", Message: err.Error(), Err: err}
	var refused *client.RPCError
	var asks *client.InputRequired
	var conn *client.ConnError
	var call *toolspec.CallError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.Kind, e.Message, e.Err = "timeout", "the server did not answer in time", fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
	case errors.As(err, &refused):
		e.Kind, e.Message, e.Code, e.Data = "refused", refused.Message, refused.Code, refused.Data
	case errors.As(err, &call):
		e.Kind = "denied"
		if call.Kind == toolspec.KindCancelled {
			e.Kind = "cancelled"
		}
	case errors.As(err, &asks):
		e.Kind = "input-required"
	case errors.Is(err, servers.ErrLeftOut):
		e.Kind = "left-out"
	case errors.Is(err, servers.ErrWithheld):
		e.Kind = "withheld"
	case errors.Is(err, servers.ErrDisabled), errors.Is(err, servers.ErrCircuitOpen), errors.Is(err, client.ErrMissingConfig), errors.Is(err, toolspec.ErrClosed):
		e.Kind = "not-connected"
	case errors.As(err, &conn):
		e.Kind = conn.Class.String()
	case errors.Is(err, context.DeadlineExceeded):
		e.Kind = "timeout"
	case errors.Is(err, context.Canceled):
		e.Kind = "cancelled"
	}
	return e
}

// inspecting is an operation in progress.
type inspecting struct {
	i      *Inspector
	server servers.Server
	ctx    *rpc.CallClock // stopped while a user is asked
	stop   context.CancelFunc
	began  time.Time
	quiet  bool // no record is kept

	mu       sync.Mutex // guards the fields below
	rec      Inspection
	bytes    int // total size of the messages
	logBytes int
	over     bool
}

// begin starts an operation. end must be called.
func (i *Inspector) begin(ctx context.Context, server, operation string) (*inspecting, error) {
	return i.beginAs(ctx, server, operation, "")
}

// beginAs is begin with an id that the caller chose; empty: a new one.
func (i *Inspector) beginAs(ctx context.Context, server, operation, id string) (*inspecting, error) {
	id = cmp.Or(id, i.clock.ID())
	s, err := i.c.Server(server)
	if err != nil {
		return nil, err
	}
	used := false
	err = i.state(server, func(s *inspected) {
		used = i.running[id] || slices.ContainsFunc(s.history, func(rec *Inspection) bool { return rec.ID == id })
		if !used {
			i.running[id] = true
		}
	})
	switch {
	case err != nil:
		return nil, err
	case used:
		return nil, invalidOperation("there is an operation with the id %q already", id)
	}
	o := &inspecting{i: i, server: s, began: time.Now(), rec: Inspection{ID: id, Server: server, Operation: operation, At: i.clock.Now(), Wire: []client.WireMessage{}}}
	ctx, cancel := context.WithCancel(ctx)
	unwatch := context.AfterFunc(i.ctx, cancel)
	o.ctx, o.stop = rpc.NewCallClock(ctx, cmp.Or(s.Timeout(), i.opts.CallTimeout), nil)
	stop := o.stop
	o.stop = func() {
		stop()
		unwatch()
		cancel()
	}
	return o, nil
}

// wire records a message.
func (o *inspecting) wire(m client.WireMessage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over || len(o.rec.Wire) == maxWireMessages || o.bytes+len(m.Text) > maxWireBytes {
		o.rec.WireCut++
		return
	}
	o.bytes += len(m.Text)
	m.TakeRaw() // the sent message may contain secrets
	o.rec.Wire = append(o.rec.Wire, m)
}

// options returns the options of a call that belongs to the operation.
func (o *inspecting) options() *client.CallOptions {
	server := o.rec.Server
	opts := &client.CallOptions{Rounds: askRounds, Wire: o.wire, Logged: o.logged, Request: func(ctx context.Context, r client.ServerRequest) (json.RawMessage, error) {
		return o.i.ask(ctx, o.ctx, server, o.rec.ID, r)
	}, Progress: func(p toolspec.Progress) { o.i.progressed(server, p) }}
	if meta := o.i.logMeta(o.server); meta != nil {
		opts.Meta = meta
	}
	return opts
}

// request sends one request as part of the operation.
func (o *inspecting) request(method string, params json.RawMessage, rules servers.CallRules, opts *client.CallOptions) (json.RawMessage, error) {
	rules.Timeout = longest // the operation has its own clock
	return o.i.c.CallWith(o.ctx, o.rec.Server, method, params, opts, rules)
}

// end completes the record, stores it and returns it.
func (o *inspecting) end(params, result json.RawMessage, err error) *Inspection {
	mask := o.server.Mask()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.over = true
	rec := &o.rec
	rec.Elapsed = time.Since(o.began)
	rec.OK = err == nil
	rec.Params, rec.Result = masked(mask, params), masked(mask, result)
	if err != nil {
		var known *InspectionError
		if !errors.As(err, &known) {
			known = inspectionError(o.ctx, err)
		}
		rec.Error = known
	}
	o.stop()
	out := *rec
	if !o.quiet {
		o.i.keep(out)
	}
	o.i.mu.Lock()
	delete(o.i.running, out.ID)
	o.i.mu.Unlock()
	return &out
}

func masked(mask client.Mask, raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	return slices.Clone(mask.JSON(raw))
}

// keep adds a record to the history of its server.
func (i *Inspector) keep(rec Inspection) {
	if len(rec.Params) > maxKeptBody {
		rec.Params, rec.Shortened = nil, true
	}
	if len(rec.Result) > maxKeptBody {
		rec.Result, rec.Shortened = nil, true
	}
	_ = i.state(rec.Server, func(s *inspected) { // nothing is kept for a server that is gone
		s.kept += rec.size()
		for len(s.history) == keptInspections || len(s.history) > 0 && s.kept > maxHistory {
			s.kept -= s.history[0].size()
			s.history = slices.Delete(s.history, 0, 1)
		}
		i.seq++
		rec.Seq = i.seq
		s.history = append(s.history, &rec)
	})
}

// History returns the records of a server, the newest first: the last 100, or fewer if they
// take more than 8 MiB.
func (i *Inspector) History(server string) (list []Inspection, err error) {
	err = i.state(server, func(s *inspected) {
		for _, rec := range slices.Backward(s.history) {
			list = append(list, *rec)
		}
	})
	return list, err
}

// Inspection returns one kept record. The error is ErrNoInspection if there is none.
func (i *Inspector) Inspection(server, id string) (rec Inspection, err error) {
	found := false
	err = i.state(server, func(s *inspected) {
		for _, r := range s.history {
			if r.ID == id {
				rec, found = *r, true
			}
		}
	})
	if err == nil && !found {
		err = fmt.Errorf("%w: %q", ErrNoInspection, clip.To(id, maxShown))
	}
	return rec, err
}

// Replay repeats the operation of a record. Operations that are not a single request cannot
// be repeated. caller is the caller of a tool, as in [ToolTrial].
func (i *Inspector) Replay(ctx context.Context, server, id string, caller toolspec.Principal) (*Inspection, error) {
	rec, err := i.Inspection(server, id)
	if err != nil {
		return nil, err
	}
	switch {
	case rec.method == "":
		return nil, invalidOperation("%s is no request that can be sent again", rec.Operation)
	case strings.HasPrefix(rec.method, "notifications/"):
		return i.Notify(ctx, server, rec.method, rec.params)
	}
	return i.raw(ctx, server, rec.method, rec.params, caller)
}
