package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/toolspec/activity"
	"io/fs"
	"strings"
	"time"

	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
)

// Service performs the file operations of one run. It must be used by one goroutine at a
// time, and closed when the run has ended.
type Service struct {
	read, write, destructive bool

	readOnly  string // why nothing is written; empty: writing is as granted
	own       bool   // whether the workspace is a directory of the user
	withheld  withheld
	limits    Limits
	now       func() time.Time
	roots     []*root // the workspace first
	workspace *root
	located   bool

	// base is the directory that holds the workspaces of conversations, and segment is
	// the name of the one for this run; both are empty without a conversation.
	base, segment string
	baseInfo      fs.FileInfo

	quotas *Quotas
	usage  *usage // of the workspace, set by the first write

	staged  []byte // parts received of the body for the next operation
	pending []byte // the part of the last result not yet fetched
	denials []activity.Denial
	refused *activity.Denial // by the current or last operation
	closed  bool

	renaming func() // for tests: called just before a new file is renamed to its final name
}

var _ hostcall.Service = (*Service)(nil)

// answer is the result of an operation: a small value, or data.
type answer struct {
	value any
	data  []byte
	count int64
}

// call is one operation in progress.
type call struct {
	*Service
	ctx  context.Context
	args arguments
	body []byte
}

// group is the permission that an operation needs.
type group int

const (
	groupAny         group = iota // read or write
	groupRead                     // fileRead
	groupWrite                    // fileWrite
	groupDestructive              // fileWrite and destructive
)

// operation returns the function of an operation and the group that it needs.
func operation(name string) (g group, f func(*call) (answer, error)) {
	switch name {
	case opStage:
		return groupWrite, nil // opStage and opNext are handled separately
	case opNext:
		return groupAny, nil
	case "workspace":
		return groupAny, (*call).workspacePath
	case "readRoots":
		return groupAny, (*call).readRoots
	case "readText":
		return groupRead, (*call).readText
	case "readBytes":
		return groupRead, (*call).readBytes
	case "list":
		return groupRead, (*call).list
	case "exists":
		return groupRead, (*call).exists
	case "stat":
		return groupRead, (*call).stat
	case "grep":
		return groupRead, (*call).grep
	case "lineCount":
		return groupRead, (*call).lineCount
	case "slice":
		return groupRead, (*call).slice
	case "cut":
		return groupRead, (*call).cut
	case "sort":
		return groupRead, (*call).sort
	case "find":
		return groupRead, (*call).find
	case "searchInFiles":
		return groupRead, (*call).searchInFiles
	case "writeText":
		return groupWrite, (*call).writeText
	case "writeBytes":
		return groupWrite, (*call).writeBytes
	case "appendText":
		return groupWrite, (*call).appendText
	case "editText":
		return groupWrite, (*call).editText
	case "copy":
		return groupWrite, (*call).copy
	case "move":
		return groupDestructive, (*call).move
	case "delete":
		return groupDestructive, (*call).delete
	case "deleteDir":
		return groupDestructive, (*call).deleteDir
	}
	return groupAny, nil
}

// Serve performs one operation. It records a refusal for Denials. It returns soon after
// ctx is done.
func (s *Service) Serve(ctx context.Context, req hostcall.Request) (reply hostcall.Reply, failure *toolspec.CallError) {
	name := strings.TrimPrefix(req.Op, OpPrefix)
	s.refused = nil
	defer func() {
		if x := recover(); x != nil {
			reply, failure = hostcall.Reply{}, &toolspec.CallError{Kind: toolspec.KindHelperRuntime, Reason: toolspec.ReasonPanic,
				Component: Helper, Message: clip.To(name, 40) + ": the operation failed", Err: fmt.Errorf("files: %q panicked: %v", clip.To(req.Op, 40), x)}
		}
	}()
	reply, err := s.serve(ctx, name, req)
	if err == nil {
		return reply, nil
	}
	if !errors.As(err, &failure) {
		errors.As(failed(err, "%s", cause(err)), &failure)
	}
	if failure.Kind == toolspec.KindSecurity {
		s.deny(failure.Reason, clip.To(name, 40)+": "+failure.Message)
	}
	failure.Message = clip.To(name, 40) + ": " + failure.Message
	return hostcall.Reply{}, failure
}

func (s *Service) serve(ctx context.Context, name string, req hostcall.Request) (hostcall.Reply, error) {
	g, f := operation(name)
	if f == nil && name != opStage && name != opNext || !strings.HasPrefix(req.Op, OpPrefix) {
		return hostcall.Reply{}, invalid("unknown-operation", "there is no such operation")
	}
	if s.closed {
		return hostcall.Reply{}, failed(fs.ErrClosed, "the run has ended")
	}
	if err := ended(ctx); err != nil {
		return hostcall.Reply{}, err
	}
	if err := s.granted(g); err != nil {
		return hostcall.Reply{}, err
	}
	if name == opNext {
		return s.part(struct{}{})
	}
	s.pending = nil
	c := &call{Service: s, ctx: ctx}
	if err := c.decode(req); err != nil {
		return hostcall.Reply{}, err
	}
	if name == opStage {
		return hostcall.Reply{Value: json.RawMessage("null")}, s.stage(c.args.First, req.Data)
	}
	if c.body = req.Data; c.args.Staged {
		if err := s.stage(false, req.Data); err != nil {
			return hostcall.Reply{}, err
		}
		c.body = s.staged
	}
	s.staged = nil
	a, err := f(c)
	if err != nil {
		return hostcall.Reply{}, err
	}
	if a.value != nil {
		v, err := resultJSON(a.value)
		return hostcall.Reply{Value: v}, err
	}
	s.pending = a.data
	return s.part(size{Bytes: int64(len(a.data)), Count: a.count})
}

// granted returns an error that names the missing permission if the group is not granted.
func (s *Service) granted(g group) error {
	missing := ""
	switch {
	case g == groupAny && !s.read && !s.write:
		missing = "fileRead or fileWrite"
	case g == groupRead && !s.read:
		missing = "fileRead"
	case g >= groupWrite && !s.write:
		missing = "fileWrite"
	case g == groupDestructive && !s.destructive:
		return refuse(ReasonNotDestructive, "removing and moving files is not granted; the spec must say destructive: true in sandboxOverrides")
	}
	switch {
	case missing != "":
		return notGranted(missing)
	case g >= groupWrite && s.readOnly != "":
		return refuse(ReasonReadOnly, "%s", s.readOnly)
	}
	return nil
}

func notGranted(capability string) error {
	return refuse(ReasonNotGranted, "%s is not granted; the spec must say %[1]s: true in sandboxOverrides", capability)
}

func (c *call) decode(req hostcall.Request) error {
	if len(req.Args) > c.limits.ArgumentBytes {
		return invalid("invalid-arguments", "the arguments are larger than %d bytes", c.limits.ArgumentBytes)
	}
	if len(req.Data) > hostcall.MaxData {
		return invalid("invalid-arguments", "one part of a body is larger than %d bytes", hostcall.MaxData)
	}
	if len(req.Args) == 0 {
		return nil
	}
	if err := json.Unmarshal(req.Args, &c.args); err != nil {
		return invalid("invalid-arguments", "the arguments are not what the operation takes")
	}
	return nil
}

// stage adds a part to the body of the next operation. The body of editText consists of
// two texts.
func (s *Service) stage(first bool, part []byte) error {
	if first {
		s.staged = nil
	}
	if int64(len(s.staged)+len(part)) > 2*s.limits.WriteBytes {
		s.staged = nil
		return limit(ReasonFileTooLarge, "more than %d bytes to write", s.limits.WriteBytes)
	}
	s.staged = append(s.staged, part...)
	return nil
}

// part returns a reply with as much of the result as fits.
func (s *Service) part(v any) (hostcall.Reply, error) {
	n := min(len(s.pending), hostcall.MaxData)
	data := s.pending[:n:n]
	if s.pending = s.pending[n:]; len(s.pending) == 0 {
		s.pending = nil
	}
	encoded, err := resultJSON(v)
	return hostcall.Reply{Value: encoded, Data: data}, err
}

// deny records a refusal, each one only once and up to a limit.
func (s *Service) deny(reason, detail string) {
	d := activity.Denial{Component: Helper, Reason: reason, Detail: detail}
	s.refused = &d
	if len(s.denials) >= s.limits.Denials {
		return
	}
	for _, old := range s.denials {
		if old == d {
			return
		}
	}
	s.denials = append(s.denials, d)
}

// Refusal returns the denial of the last operation, nil if it was not refused. An exists
// that returned false because of the scope counts as refused.
func (s *Service) Refusal() *activity.Denial { return s.refused }

// Denials returns the refusals so far, each once, at most [Limits].Denials of them. They
// include an exists that returned false because of the scope.
func (s *Service) Denials() []activity.Denial {
	return append([]activity.Denial(nil), s.denials...)
}

// Close releases what the run left open. It may be called repeatedly.
func (s *Service) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	var errs []error
	for _, r := range s.roots {
		if r.handle != nil {
			errs = append(errs, r.handle.Close())
			r.handle = nil
		}
	}
	s.quotas.release(s.workspace.real, s.usage)
	s.staged, s.pending, s.usage = nil, nil, nil
	return errors.Join(errs...)
}
