package inspector

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// NoteKind distinguishes the kinds of [ServerNote].
type NoteKind string

// The kinds.
const (
	NoteLogging          NoteKind = "LOGGING"
	NoteProgress         NoteKind = "PROGRESS"
	NoteToolsChanged     NoteKind = "TOOLS_CHANGED"
	NoteResourcesChanged NoteKind = "RESOURCES_CHANGED"
	NotePromptsChanged   NoteKind = "PROMPTS_CHANGED"
	NoteResourceUpdated  NoteKind = "RESOURCE_UPDATED"
	NoteTaskStatus       NoteKind = "TASK_STATUS"
	// NoteCancelled: the server cancelled a question.
	NoteCancelled NoteKind = "CANCELLED"
	// A question of the server, and how it ended. Question holds its id.
	NoteSamplingRequest      NoteKind = "SAMPLING_REQUEST"
	NoteElicitationRequest   NoteKind = "ELICITATION_REQUEST"
	NoteSamplingResponded    NoteKind = "SAMPLING_RESPONDED"
	NoteElicitationResponded NoteKind = "ELICITATION_RESPONDED"
	// NoteSubscription: a subscription to a resource has ended.
	NoteSubscription NoteKind = "SUBSCRIPTION_ENDED"
	// NoteOther is any other notification.
	NoteOther NoteKind = "OTHER"
)

// ServerNote is a notification or a question of a server.
type ServerNote struct {
	// Seq grows with each note of the inspector.
	Seq    uint64    `json:"seq"`
	At     time.Time `json:"at"`
	Server string    `json:"serverId"`
	Kind   NoteKind  `json:"kind"`
	// Summary is one line for people, of at most 240 characters.
	Summary string `json:"summary"`
	// Level and Logger are the level and the logger of a log message.
	Level  string `json:"level,omitempty"`
	Logger string `json:"logger,omitempty"`
	// Question is the id of the question, see [Inspector.Pending].
	Question string `json:"questionId,omitempty"`
	// Method and Params are the method and the params of the notification, with secrets
	// of the connection masked. Params above 16 KiB are left out.
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	// Lagged is how many notes a follower missed before this one.
	Lagged int `json:"lagged,omitempty"`
}

const (
	maxSummary    = 240 // characters
	maxNoteParams = 16 << 10
	noteQueue     = 256 // notes that may wait for one follower
)

// summarize reduces a text to one line.
func summarize(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if utf8.RuneCountInString(text) <= maxSummary {
		return text
	}
	return string([]rune(text)[:maxSummary-1]) + "…"
}

// noteSub is one follower of notes. The inspector's lock guards it.
type noteSub struct {
	queue  []ServerNote
	lagged int
	over   bool
	wake   chan struct{}
}

func (f *noteSub) signal() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *noteSub) end() {
	f.over = true
	f.signal()
}

// note stores a note, and sends it to the followers.
func (i *Inspector) note(n ServerNote) {
	n.At, n.Summary = i.clock.Now(), summarize(n.Summary)
	_ = i.state(n.Server, func(s *inspected) { // no notes are kept for a server that is gone
		i.seq++
		n.Seq = i.seq
		if len(s.notes) == keptNotes {
			s.notes = slices.Delete(s.notes, 0, 1)
		}
		s.notes = append(s.notes, n)
		for f := range s.follow {
			if len(f.queue) >= noteQueue { // a slow reader misses the oldest notes
				f.queue = slices.Delete(f.queue, 0, 1)
				f.lagged++
			}
			f.queue = append(f.queue, n)
			f.signal()
		}
	})
}

// heard processes a notification of a server.
func (i *Inspector) heard(server string, n client.Notification) {
	params := n.Mask().JSON(n.Params)
	note := ServerNote{Server: server, Method: n.Method}
	if len(params) <= maxNoteParams {
		note.Params = slices.Clone(params)
	}
	all := rpc.Object(params)
	word := func(name string) string { s, _ := rpc.Text(all[name]); return s }
	switch n.Method {
	case "notifications/message":
		note.Kind, note.Level, note.Logger = NoteLogging, clip.To(word("level"), maxLogLevel), clip.To(word("logger"), maxLogger)
		data := all["data"]
		if note.Summary = word("data"); note.Summary == "" {
			if note.Summary, _ = rpc.Text(rpc.Object(data)["message"]); note.Summary == "" {
				note.Summary = string(data)
			}
		}
	case rpc.MethodProgress:
		note.Kind, note.Summary = NoteProgress, strings.TrimSpace(string(all["progress"])+" "+word("message"))
	case "notifications/tools/list_changed":
		note.Kind, note.Summary = NoteToolsChanged, "the tools changed"
	case "notifications/resources/list_changed":
		note.Kind, note.Summary = NoteResourcesChanged, "the resources changed"
	case "notifications/prompts/list_changed":
		note.Kind, note.Summary = NotePromptsChanged, "the prompts changed"
	case "notifications/resources/updated":
		note.Kind, note.Summary = NoteResourceUpdated, word("uri")
	case "notifications/tasks/status":
		note.Kind, note.Summary = NoteTaskStatus, word("taskId")+" "+word("status")
	case rpc.MethodListening:
		return // part of subscribing
	default:
		note.Kind, note.Summary = NoteOther, n.Method
	}
	i.note(note)
}

// progressed records the progress of an operation.
func (i *Inspector) progressed(server string, p toolspec.Progress) {
	text := strconv.FormatFloat(p.Done, 'g', -1, 64)
	if p.Total > 0 {
		text += "/" + strconv.FormatFloat(p.Total, 'g', -1, 64)
	}
	if s, err := i.c.Server(server); err == nil {
		text = strings.TrimSpace(text + " " + s.Mask().String(p.Message))
	}
	i.note(ServerNote{Server: server, Kind: NoteProgress, Method: rpc.MethodProgress, Summary: text})
}

// Notifications returns the last 500 notifications and questions of a server, the newest
// first. The error is servers.ErrNotFound if there is no such server.
func (i *Inspector) Notifications(server string) (notes []ServerNote, err error) {
	err = i.state(server, func(s *inspected) { notes = slices.Clone(s.notes) })
	slices.Reverse(notes)
	return notes, err
}

// ClearNotifications deletes the kept notifications of a server. Open questions stay
// open.
func (i *Inspector) ClearNotifications(server string) error {
	return i.state(server, func(s *inspected) { s.notes = nil })
}

// FollowOptions are the options of [Inspector.Follow].
type FollowOptions struct {
	// After is the Seq of the last note that the follower has seen: later notes that are
	// still kept come first. 0: only new notes.
	After uint64
}

// Follow yields each notification of a server from now on, until ctx ends, the record of
// the server is deleted, or the inspector is closed; the last pair is then the error. A
// slow reader does not delay others: it misses the oldest notes, and gets their number.
// The iterator is for one use; opts may be nil.
func (i *Inspector) Follow(ctx context.Context, server string, opts *FollowOptions) iter.Seq2[ServerNote, error] {
	return func(yield func(ServerNote, error) bool) {
		f := &noteSub{wake: make(chan struct{}, 1)}
		err := i.state(server, func(s *inspected) {
			s.follow[f] = struct{}{}
			if opts == nil || opts.After == 0 {
				return
			}
			for _, n := range s.notes {
				if n.Seq > opts.After {
					f.queue = append(f.queue, n)
				}
			}
		})
		if err != nil {
			yield(ServerNote{}, err)
			return
		}
		defer func() {
			i.mu.Lock()
			defer i.mu.Unlock()
			if s := i.servers[server]; s != nil {
				delete(s.follow, f)
			}
		}()
		for {
			i.mu.Lock()
			queue, lagged, over := f.queue, f.lagged, f.over
			f.queue, f.lagged = nil, 0
			i.mu.Unlock()
			for n := range queue {
				if n == 0 {
					queue[n].Lagged = lagged
				}
				if !yield(queue[n], nil) {
					return
				}
			}
			switch {
			case len(queue) > 0:
				continue
			case over:
				yield(ServerNote{}, deleted(server))
				return
			}
			select {
			case <-f.wake:
			case <-i.ctx.Done():
				yield(ServerNote{}, fmt.Errorf("inspector: the inspector is closed: %w", toolspec.ErrClosed))
				return
			case <-ctx.Done():
				yield(ServerNote{}, ctx.Err())
				return
			}
		}
	}
}
