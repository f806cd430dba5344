package risk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/internal/notify"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

const (
	collection = "mcp-tool-levels"
	// cached is how many assessments are kept.
	cached = 4096
)

// ErrTooLow reports a confirmation of a level below [Proposal].Least.
var ErrTooLow = errors.New("risk: the level is too low")

// Confirmation is the level that a person confirmed for one definition of a tool.
type Confirmation struct {
	Level toolspec.Level     `json:"level"`
	By    toolspec.Principal `json:"by"`
	At    time.Time          `json:"at"`
}

// Proposal is what an assessment proposes to the person who confirms the level of a tool.
type Proposal struct {
	// Assessment is the assessment of the tool if a person reviews it. Its level is the
	// proposal; a serious finding of the scan makes it at least L4.
	Assessment
	// Least is the lowest level that can be confirmed: the level if everything that the
	// server says about its tool is true.
	Least toolspec.Level `json:"least"`
	// Findings are what a scan of the tool's texts found.
	Findings []Finding `json:"findings,omitempty"`
}

// Propose returns the proposal for a tool. It ignores Trusted and Reviewed.
func Propose(f Facts) Proposal {
	f.Trusted, f.Reviewed = false, true
	p := Proposal{Assessment: Assess(f), Findings: Findings(f)}
	f.Trusted = true
	p.Least = Assess(f).Level
	for _, found := range p.Findings {
		if found.serious() {
			p.Reasons = append([]string{"a scan of its texts found " + found.Rule}, p.Reasons...)
			p.Level, p.Least = max(p.Level, toolspec.L4), max(p.Least, toolspec.L4)
			break
		}
	}
	return p
}

// Risk is the level of a tool.
type Risk struct {
	// Level is the confirmed level. It is unknown until a person has confirmed it.
	Level    toolspec.Level
	Proposal Proposal
	// Confirmed is the confirmation; nil without one.
	Confirmed *Confirmation
}

// Why says in sentences what determines the level.
func (r Risk) Why() []string {
	if r.Confirmed == nil {
		return []string{fmt.Sprintf("no person has confirmed the level of this tool; %s is proposed", r.Proposal.Level)}
	}
	return []string{fmt.Sprintf("the level %s was confirmed by %s", r.Level, r.Confirmed.By.Subject)}
}

// Options are the options of [NewLevels]. The zero value works.
type Options struct {
	Clock func() time.Time
	// Audit records each confirmation and its withdrawal before it takes effect; an error
	// prevents it. nil: nothing is recorded.
	Audit approval.Auditor
}

// stored is a confirmation in the store. It counts for one definition over one connection.
type stored struct {
	Server      string       `json:"server"`
	Tool        string       `json:"tool"`
	Fingerprint string       `json:"fingerprint"`
	Connection  string       `json:"connection"`
	Confirmed   Confirmation `json:"confirmed"`
}

// Levels keeps the confirmed levels of tools in a store that other programs may share. A nil
// *Levels has no confirmations. All methods are safe for concurrent use; Close ends it.
type Levels struct {
	store   localpass.Persistence
	clock   clock.Clock
	audit   approval.Auditor
	stop    context.CancelFunc
	work    sync.WaitGroup
	changed notify.Signal

	mu        sync.Mutex
	confirmed map[string]stored   // by key
	proposals map[string]Proposal // by fingerprint
}

// NewLevels reads the confirmations from the store. An unreadable one counts as none.
func NewLevels(ctx context.Context, store localpass.Persistence, opts *Options) (*Levels, error) {
	if store == nil {
		return nil, errors.New("risk: new levels: the store is nil: give a Persistence, such as that of persistence/memory")
	}
	l := &Levels{store: store, confirmed: map[string]stored{}, proposals: map[string]Proposal{}}
	if opts != nil {
		l.clock, l.audit = clock.Clock{NowFunc: opts.Clock}, opts.Audit
	}
	if err := l.load(ctx); err != nil {
		return nil, err
	}
	ctx, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	if w, ok := store.(localpass.Watcher); ok {
		reload := func() { _ = l.load(ctx) } // on an error the last known confirmations stay
		l.work.Go(func() {
			notify.Store(ctx, w, collection, notify.StoreFollower{All: reload, Changed: func(string) { reload() }})
		})
	}
	return l, nil
}

// Close stops following the store. It never fails.
func (l *Levels) Close() error {
	if l != nil {
		l.stop()
		l.work.Wait()
	}
	return nil
}

func (l *Levels) load(ctx context.Context) error {
	fresh := map[string]stored{}
	for doc, err := range l.store.List(ctx, collection, localpass.ListOptions{}) {
		if err != nil {
			return fmt.Errorf("risk: list the confirmed levels: %w", err)
		}
		var s stored
		if doc.Decode(&s) == nil && key(s.Server, s.Tool) == doc.Key && s.Confirmed.Level != toolspec.LevelUnknown {
			fresh[doc.Key] = s
		}
	}
	l.mu.Lock()
	l.confirmed = fresh
	l.mu.Unlock()
	l.changed.Notify()
	return nil
}

// key returns the key of a tool. Names may have any length, keys may not.
func key(server, tool string) string {
	return url.PathEscape(server) + "/" + canon.Digest([]byte(tool))[:32]
}

// Watch calls changed after each change of the confirmations, until stop is called. A nil
// *Levels never changes.
func (l *Levels) Watch(changed func()) (stop func()) {
	if l == nil {
		return func() {}
	}
	return l.changed.Add(changed)
}

// FactsOf returns the facts about a tool as its server offers it.
func FactsOf(t *servers.OfferedTool) Facts {
	return Facts{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema, Annotations: t.Annotations}
}

// Of returns the level of a tool that the server with this record offers.
func (l *Levels) Of(server servers.Record, t *servers.OfferedTool) Risk {
	r := Risk{Proposal: l.propose(t)}
	if l == nil {
		return r
	}
	l.mu.Lock()
	s, ok := l.confirmed[key(server.ID, t.Name)]
	l.mu.Unlock()
	if ok && s.Fingerprint == t.Fingerprint && s.Connection == server.Definition() && !r.Proposal.Least.Exceeds(s.Confirmed.Level) {
		r.Level, r.Confirmed = s.Confirmed.Level, &s.Confirmed
	}
	return r
}

// propose returns the proposal for a tool, from the cache if it is there.
func (l *Levels) propose(t *servers.OfferedTool) Proposal {
	if l == nil {
		return Propose(FactsOf(t))
	}
	l.mu.Lock()
	p, ok := l.proposals[t.Fingerprint]
	l.mu.Unlock()
	if ok {
		return p
	}
	p = Propose(FactsOf(t))
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.proposals) >= cached {
		clear(l.proposals)
	}
	l.proposals[t.Fingerprint] = p
	return p
}

// Confirm stores the level of a tool as the person by has seen it. The level must not be below
// the Least of its proposal: [ErrTooLow].
func (l *Levels) Confirm(ctx context.Context, server servers.Record, t *servers.OfferedTool, level toolspec.Level, by toolspec.Principal) error {
	switch least := l.propose(t).Least; {
	case level == toolspec.LevelUnknown || level > toolspec.L5:
		return fmt.Errorf("%w: choose %s to L5", ErrTooLow, least)
	case least.Exceeds(level):
		return fmt.Errorf("%w: the level of %q is at least %s", ErrTooLow, t.Name, least)
	}
	s := stored{Server: server.ID, Tool: t.Name, Fingerprint: t.Fingerprint, Connection: server.Definition(),
		Confirmed: Confirmation{Level: level, By: by, At: l.clock.Now().UTC()}}
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("risk: %w", err)
	}
	return l.recorded(ctx, &s, level, by, func() error { return l.change(ctx, key(s.Server, s.Tool), &s, data) })
}

// recorded makes a change once it is in the audit log.
func (l *Levels) recorded(ctx context.Context, s *stored, level toolspec.Level, by toolspec.Principal, change func() error) error {
	if l.audit == nil {
		return change()
	}
	r := approval.AuditRecord{Kind: approval.AuditLevel, At: l.clock.Now().UTC(), Server: s.Server, Tool: s.Tool, Fingerprint: s.Fingerprint, Level: level, By: by, Via: by.Via}
	if err := l.audit.AuditApproval(ctx, &r); err != nil {
		return fmt.Errorf("risk: the audit record could not be written: %w", err)
	}
	err := change()
	if err != nil {
		r.Kind = approval.AuditVoid
		err = errors.Join(err, l.audit.AuditApproval(context.WithoutCancel(ctx), &r))
	}
	return err
}

// Withdraw removes the confirmation of a tool, as the person by asked. Without one it does
// nothing.
func (l *Levels) Withdraw(ctx context.Context, server, tool string, by toolspec.Principal) error {
	l.mu.Lock()
	s, ok := l.confirmed[key(server, tool)]
	l.mu.Unlock()
	if !ok { // another program may have stored one in this moment
		return l.change(ctx, key(server, tool), nil, nil)
	}
	return l.recorded(ctx, &s, toolspec.LevelUnknown, by, func() error { return l.change(ctx, key(server, tool), nil, nil) })
}

// Forget removes the confirmations of all tools of a server, as the person by asked.
func (l *Levels) Forget(ctx context.Context, server string, by toolspec.Principal) error {
	var errs []error
	l.mu.Lock()
	var tools []string
	for _, s := range l.confirmed {
		if s.Server == server {
			tools = append(tools, s.Tool)
		}
	}
	l.mu.Unlock()
	for _, tool := range tools {
		errs = append(errs, l.Withdraw(ctx, server, tool, by))
	}
	return errors.Join(errs...)
}

// change writes or deletes one confirmation.
func (l *Levels) change(ctx context.Context, key string, s *stored, data []byte) error {
	const tries = 5
	for try := 1; ; try++ {
		doc, err := l.store.Get(ctx, collection, key)
		version := doc.Version
		switch {
		case errors.Is(err, localpass.ErrNotFound):
			version = localpass.NoVersion
		case err != nil:
			return fmt.Errorf("risk: read a confirmed level: %w", err)
		}
		switch {
		case s != nil:
			_, err = l.store.Put(ctx, collection, key, localpass.Document{Version: version, Data: data})
		case version == localpass.NoVersion:
			err = nil
		default:
			err = l.store.Delete(ctx, collection, key)
		}
		switch {
		case errors.Is(err, localpass.ErrConflict) && try < tries:
			continue
		case err != nil && !(s == nil && errors.Is(err, localpass.ErrNotFound)):
			return fmt.Errorf("risk: store a confirmed level: %w", err)
		}
		break
	}
	l.mu.Lock()
	if s != nil {
		l.confirmed[key] = *s
	} else {
		delete(l.confirmed, key)
	}
	l.mu.Unlock()
	l.changed.Notify()
	return nil
}
