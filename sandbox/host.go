package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/localpass/localpass/internal/clip"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/sandbox/internal/fetch"
	"github.com/localpass/localpass/sandbox/internal/files"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/secret"
)

// NetworkOptions are the operator's settings for fetch: the posture of a spec says what
// it may reach, and these options define what that means on this host.
type NetworkOptions struct {
	// OperatorHosts are exact hosts and addresses, with or without ports, that tools may
	// reach although they are internal. Without them every network mode, including open,
	// means the public internet: a spec alone cannot open an internal address.
	// egress.AnyInternal in the list opens all internal hosts to the mode open, and to
	// specs that list a host by its exact name. Listing a host here does not grant it to
	// any spec.
	OperatorHosts []string
	// Deny lists rules, in the form of egress.Rule, for what no tool may reach, whatever
	// its posture says.
	Deny []string
	// Secrets are secrets that tools can send without seeing their values: a tool writes
	// {{secret:NAME}}, and the value is sent only to the hosts that the Secret names.
	// Lookup finds the values.
	Secrets []egress.Secret
	Lookup  secret.Lookup
	// Charsets decodes the text of responses in charsets other than UTF-8, UTF-16 and
	// windows-1252. nil: code that reads such a text gets an error. Package
	// sandbox/charsets has all charsets of the web.
	Charsets func(label string, body []byte) (text []byte, ok bool)
	// Guard configures the resolver, dialer, TLS and limits; its other fields are
	// ignored. nil: the defaults.
	Guard *egress.Options
}

// FileOptions are the operator's settings for safety.fs.
type FileOptions struct {
	// Workspace is the directory to which tools write, or which contains the workspaces
	// of conversations: an absolute path. A base path of the host's baseline or of a spec
	// takes precedence. Without any of these, a spec that requests files is refused.
	Workspace string
	// BasePaths are directories, besides Workspace, within which a spec may name its own
	// base path (its fsBasePath): absolute paths. A spec that names a path elsewhere is
	// refused: a spec alone cannot open a directory.
	BasePaths []string
	// ReadRoots are directories, besides the workspace, that tools with the grant to read
	// may read: absolute paths. If empty, only the workspace can be read. They do not
	// apply to a spec that names its own base path.
	ReadRoots []string
	// Directory, if not nil, chooses the directory of each run in place of Workspace and
	// the workspaces of conversations. It is called when the code uses a file for the
	// first time, and must be safe for concurrent use. An error refuses all files to the run; the code and the model
	// read its text. A spec that names its own base path still works there, and a test
	// without files of its own ([toolspec.RunRequest].Scratch) in an empty directory.
	Directory func(ctx context.Context) (Directory, error)
	// Withheld are files and directories that no tool may use, with everything below
	// them, wherever its directories lie: absolute paths. WithheldName, if not nil,
	// reports whether everything with a name is withheld in the same way; it is not
	// called for the name of a directory that the operator chose. It must be safe for
	// concurrent use.
	Withheld     []string
	WithheldName func(name string) bool
	// LooseDestructive lets tools with the grant to write also move and delete files.
	LooseDestructive bool
	// CopyBytes and CopyFiles bound the copy of a workspace in which a test runs: the
	// total size of all files in bytes, and the number of files, directories and links. 0
	// means 64 MiB and 10,000. Each run of a test has its own copy. A larger workspace is
	// not copied, and the test is refused.
	CopyBytes int64
	CopyFiles int
	// ScratchDir is the directory for these copies and for the directories of tests with
	// their own files; each is removed when its run has ended. Empty means os.TempDir.
	// The next New with the same directory removes what a crashed program left there.
	ScratchDir string
	// Limits bound the operations; zero fields mean the defaults.
	Limits FileLimits
}

// Directory is the directory in which one run works: a directory of the user, whose
// contents are not counted, and in which new files have the usual permissions.
type Directory struct {
	// Path is an absolute path of an existing directory.
	Path string
	// ReadOnly, if not empty, is why nothing may be written there.
	ReadOnly string
}

// FileLimits bound what safety.fs does. The fields and their defaults, all whole
// numbers:
//
//	ReadBytes       16 MiB   one file that is read
//	WriteBytes      16 MiB   one write
//	WorkspaceBytes   1 GiB   all files of a workspace
//	Entries        100,000   of one walk, and of a workspace that is written to
//	GrepLines       10,000   lines of one grep
//	SearchHits       1,000   hits of one searchInFiles
//	ResultBytes     16 MiB   the strings of one list
//	Lines          500,000   strings in one list, and lines of a file to sort
//	ArgumentBytes   64 KiB   the JSON arguments of one operation
//	PathBytes        4,096   one path
//	NameBytes          255   one name in a path
//	Depth              100   directories below a root
//	Links               40   symbolic links on the way to one file
//	PatternBytes     1,000   a regular expression
//	PatternSize     20,000   its instructions with repetitions written out
//	GlobBytes        1,000   a glob
//	Fields           1,000   fields of one cut
//	Denials            100   refusals that are reported one by one
//
// The first six are those of section 6.4 of the Safe Tool Specification.
type FileLimits = files.Limits

// setUpHost prepares what the runs share.
func (s *Sandbox) setUpHost() error {
	if n := s.opts.Network; n != nil {
		// A policy with only the operator's settings reveals mistakes in them now.
		guard, err := egress.New(egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: n.OperatorHosts, Deny: n.Deny}, n.Guard)
		if err != nil {
			return fmt.Errorf("sandbox: Options.Network: %w", err)
		}
		guard.Close()
	}
	var guard egress.Options
	if n := s.opts.Network; n != nil && n.Guard != nil {
		guard = *n.Guard
	}
	// Each run reports its refusals itself.
	guard.Call, guard.Telemetry = egress.CallOptions{}, nil
	s.guards = egress.NewPool(&guard)
	s.quotas = new(files.Quotas)
	scratchDir := ""
	if f := s.opts.Files; f != nil {
		scratchDir = f.ScratchDir
	}
	s.scratches = newScratches(scratchDir)
	if f := s.opts.Files; f != nil {
		for _, dir := range slices.Concat([]string{f.Workspace}, f.BasePaths, f.ReadRoots, f.Withheld) {
			if dir != "" && !filepath.IsAbs(dir) {
				return fmt.Errorf("sandbox: Options.Files: %q is not an absolute path", dir)
			}
		}
	}
	return nil
}

// mayName reports whether a spec may name dir as its base path: links are
// followed as far as there is something to follow.
func (s *Sandbox) mayName(dir string) bool {
	f := s.opts.Files
	if f == nil || !filepath.IsAbs(dir) {
		return false
	}
	real := followed(dir)
	return slices.ContainsFunc(append([]string{f.Workspace}, f.BasePaths...), func(base string) bool {
		if base == "" {
			return false
		}
		rel, err := filepath.Rel(followed(base), real)
		return err == nil && filepath.IsLocal(rel)
	})
}

// followed returns a path with links resolved in the part of it that exists.
func followed(path string) string {
	path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(followed(parent), filepath.Base(path))
}

// workspace returns the base directory of a run, empty if there is none.
func (s *Sandbox) workspace(p *toolspec.Posture) string {
	if p.FSBasePath != "" {
		return p.FSBasePath
	}
	if s.opts.Files != nil {
		return s.opts.Files.Workspace
	}
	return ""
}

func grantsOf(p *toolspec.Posture) Grants {
	return Grants{
		Network:  p.Network.Mode != toolspec.NetworkInherit && p.Network.Mode != toolspec.NetworkBlocked,
		FileRead: p.FileRead, FileWrite: p.FileWrite, Destructive: p.Destructive,
	}
}

// host carries out the operations for which the code of one run has no rights. Only the
// goroutine of Run uses it.
type host struct {
	sandbox  *Sandbox
	req      *toolspec.RunRequest
	posture  *toolspec.Posture
	network  hostcall.Service // made by the first request
	call     *egress.Call     // the egress call behind it
	files    hostcall.Service
	recorder *egress.Recorder
	scratch  *scratch // a copy of the workspace, or the files of the request
	denials  []activity.Denial
	accesses accesses
	attempts attempts
	began    time.Time // the run
}

// serve performs one request of the code. What the posture does not grant is
// refused here, whatever the worker was configured with.
func (h *host) serve(ctx context.Context, req HostRequest) (reply HostReply, failed *toolspec.CallError) {
	defer func() {
		if x := recover(); x != nil {
			reply, failed = HostReply{}, panicError("the request failed", x)
		}
	}()
	began := time.Now()
	grants := grantsOf(h.posture)
	group, _, _ := strings.Cut(req.Op, ".")
	var service *hostcall.Service
	var open func(context.Context) (hostcall.Service, error)
	switch {
	case group == "fetch" && grants.Network:
		service, open = &h.network, h.openNetwork
	case group == "fs" && (grants.FileRead || grants.FileWrite):
		service, open = &h.files, h.openFiles
	default:
		denied := activity.Denial{Component: componentPosture, Reason: ReasonNotGranted, Detail: clip.To(req.Op, 64)}
		h.denials = append(h.denials, denied)
		if what, ok := accessOf(group, req, HostReply{}, h.req.Redactor); ok {
			h.note(what, began, &denied, nil)
		}
		return HostReply{}, &toolspec.CallError{Kind: toolspec.KindSecurity, Reason: ReasonNotGranted, Component: componentPosture,
			Message: "this tool was not granted " + clip.To(req.Op, 64)}
	}
	if *service == nil {
		made, err := open(ctx)
		if err != nil {
			var denied *activity.Denial
			if failed = unavailable(err); failed.Kind == toolspec.KindSecurity {
				denied = &activity.Denial{Component: failed.Component, Reason: failed.Reason, Detail: failed.Message}
				h.denials = append(h.denials, *denied)
			}
			if what, ok := accessOf(group, req, HostReply{}, h.req.Redactor); ok {
				h.note(what, began, denied, failed)
			}
			return HostReply{}, failed
		}
		*service = made
	}
	reply, failed = (*service).Serve(ctx, req)
	if what, ok := accessOf(group, req, reply, h.req.Redactor); ok {
		if failed == nil || failed.Kind != toolspec.KindSecurity { // what was refused is a denial
			h.accesses.add(what)
		}
		h.note(what, began, h.denial(*service, failed), failed)
	}
	if len(reply.Data) > hostcall.MaxData {
		return HostReply{}, &toolspec.CallError{Kind: toolspec.KindResourceLimit, Reason: toolspec.ReasonResultTooLarge, Component: group, Message: "the answer is too large"}
	}
	return reply, failed
}

// accessOf returns what an operation reaches; false: nothing by itself.
func accessOf(group string, req HostRequest, reply HostReply, secrets *secret.Redactor) (activity.Access, bool) {
	switch group {
	case "fetch":
		return requestOf(req, reply, secrets)
	case "fs":
		return fileOf(req, reply, secrets)
	}
	return activity.Access{}, false
}

func unavailable(err error) *toolspec.CallError {
	var own *toolspec.CallError
	if errors.As(err, &own) {
		return own
	}
	var refused *egress.Error
	if errors.As(err, &refused) {
		return &toolspec.CallError{Kind: refused.Kind, Reason: refused.Reason, Component: "fetch", Message: refused.Message, Err: err}
	}
	return &toolspec.CallError{Kind: toolspec.KindHelperRuntime, Reason: ReasonUnavailable, Component: componentPosture,
		Message: "what this tool was granted is not available here", Err: err}
}

func (h *host) openNetwork(context.Context) (hostcall.Service, error) {
	var n NetworkOptions
	if h.sandbox.opts.Network != nil {
		n = *h.sandbox.opts.Network
	}
	policy := egress.PolicyOf(h.posture.Network, n.OperatorHosts)
	policy.Deny = n.Deny
	guard, err := h.sandbox.guards.Guard(policy)
	if err != nil {
		return nil, err
	}
	opts := &egress.CallOptions{Secrets: n.Secrets, Lookup: n.Lookup, Redactor: h.req.Redactor}
	switch {
	case len(h.req.Replay) > 0:
		var exchanges []egress.Exchange
		if err := json.Unmarshal(h.req.Replay, &exchanges); err != nil {
			return nil, fmt.Errorf("the recorded exchanges cannot be read: %w", err)
		}
		opts.Replay = egress.NewReplayer(exchanges, h.req.Redactor)
	case h.req.Record:
		opts.Around = func(next http.RoundTripper) http.RoundTripper {
			h.recorder = egress.NewRecorder(next, &egress.RecorderOptions{Redactor: h.req.Redactor})
			return h.recorder
		}
	}
	call, err := guard.NewCall(opts)
	if err != nil {
		return nil, err
	}
	h.call = call
	return fetch.NewService(call, n.Charsets), nil
}

func (h *host) openFiles(ctx context.Context) (hostcall.Service, error) {
	var f FileOptions
	if h.sandbox.opts.Files != nil {
		f = *h.sandbox.opts.Files
	}
	scope := files.Scope{
		Workspace: h.sandbox.workspace(h.posture), ReadRoots: f.ReadRoots, Conversation: h.req.Conversation,
		Read: h.posture.FileRead, Write: h.posture.FileWrite, Destructive: h.posture.Destructive,
		LooseDestructive: f.LooseDestructive, Quotas: h.sandbox.quotas, Limits: f.Limits,
		Withheld: f.Withheld, WithheldName: f.WithheldName,
	}
	own := h.req.Spec.Overrides.FSBasePath
	if own != nil && *own == "" {
		own = nil
	}
	if h.req.Files != nil {
		made, err := newScratch(h.sandbox.scratches, h.req.Files)
		if err != nil {
			return nil, err
		}
		h.scratch = made
		scope.Workspace, scope.ReadRoots, scope.Conversation, scope.Quotas = made.dir, nil, "", nil
		return files.New(scope)
	}
	if f.Directory != nil && own == nil {
		scope.Conversation = ""
		if h.scratch != nil {
			scope.Workspace, scope.ReadRoots = h.scratch.dir, nil
			return files.New(scope)
		}
		chosen, err := f.Directory(ctx)
		if err != nil {
			return nil, &toolspec.CallError{Kind: toolspec.KindSecurity, Reason: ReasonNoDirectory, Component: files.Helper, Message: err.Error(), Err: err}
		}
		scope.Workspace, scope.ReadOnly, scope.Own = chosen.Path, chosen.ReadOnly, true
		return files.New(scope)
	}
	if h.scratch != nil {
		scope.Backing, scope.Quotas = h.scratch.dir, nil
	}
	if own != nil {
		scope.Workspace, scope.Override = f.Workspace, h.posture.FSBasePath
	}
	return files.New(scope)
}

// workspace says where the run finds its files.
func (h *host) workspace() activity.Workspace {
	switch {
	case !h.posture.FileRead && !h.posture.FileWrite:
		return activity.WorkspaceNone
	case h.req.Files != nil:
		return activity.WorkspaceFixtures
	case h.scratch != nil:
		return activity.WorkspaceCopy
	}
	return activity.WorkspaceReal
}

// closeInto closes what the run opened, and adds the refusals and exchanges to its
// outcome. out may be nil.
func (h *host) closeInto(out *toolspec.Outcome) {
	for _, service := range []hostcall.Service{h.network, h.files} {
		if service == nil {
			continue
		}
		h.denials = append(h.denials, service.Denials()...)
		_ = service.Close() // files are read and written as a whole, so nothing is lost
	}
	if h.scratch != nil {
		defer h.scratch.remove()
	}
	if out == nil {
		return
	}
	out.Accesses, out.AccessesCut = h.accesses.list, h.accesses.cut
	out.Attempts, out.AttemptsCut = h.attempts.list, h.attempts.cut
	if out.Files = maps.Clone(h.req.Files); h.scratch != nil && h.req.Files != nil {
		out.Files = h.scratch.read()
	}
	out.Workspace = h.workspace()
	out.Denials = append(out.Denials, h.denials...)
	h.mask(out)
	if h.recorder != nil {
		out.Exchanges, _ = json.Marshal(h.recorder.Exchanges())
	}
}

// mask masks secrets that the code sent through handles and a server returned.
func (h *host) mask(out *toolspec.Outcome) {
	if h.call == nil {
		return
	}
	r := h.call.Redactor()
	if r == nil {
		return
	}
	out.Result = r.JSON(out.Result)
	for i := range out.Console {
		out.Console[i].Text = r.String(out.Console[i].Text)
	}
	for i := range out.Attempts {
		out.Attempts[i].Detail = r.String(out.Attempts[i].Detail)
	}
	if out.Err != nil {
		e := *out.Err
		e.Message = r.String(e.Message)
		out.Err = &e
	}
}
