package inspector

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

const (
	// maxFrameBytes is the maximum total size of the messages kept for one server.
	maxFrameBytes = 8 << 20
	// maxPinned is how many messages of a server can be protected from being dropped.
	maxPinned = 100
	// frameBatch is how many messages a follower gets under one lock.
	frameBatch = 100
)

// Frame is one message of a live session with a server, whatever caused it: the start of
// the session, a synchronization, a chat, or an operation of the [Inspector]. Secrets of
// the connection are masked.
type Frame struct {
	// Seq grows with each message of the inspector.
	Seq uint64 `json:"n"`
	// Server is the server of the message, and Session the number of its session,
	// counted since the inspector was made.
	Server  string `json:"serverId"`
	Session uint64 `json:"session"`
	client.WireMessage
	// Failure says why there is no session; there is then no message.
	Failure string `json:"failure,omitempty"`
	// Pinned keeps the message when others are dropped.
	Pinned bool `json:"pinned,omitempty"`

	raw []byte // a message that can be sent again, unmasked
}

// frameLog holds the messages of one server. The inspector's lock guards it.
type frameLog struct {
	list     []*Frame // oldest first
	bytes    int
	pinned   int
	sessions uint64
	wake     chan struct{} // closed with each message, then replaced
}

func (f *Frame) size() int { return len(f.Text) + len(f.raw) + 256 }

func (l *frameLog) signal() {
	if l.wake != nil {
		close(l.wake)
		l.wake = nil
	}
}

// add stores a message; the oldest messages that are not pinned are dropped.
func (l *frameLog) add(f *Frame, most int) {
	l.list = append(l.list, f)
	l.bytes += f.size()
	for at := 0; (len(l.list)-l.pinned > most || l.bytes > maxFrameBytes) && at < len(l.list)-1; {
		if l.list[at].Pinned {
			at++
			continue
		}
		l.bytes -= l.list[at].size()
		l.list = slices.Delete(l.list, at, at+1)
	}
	l.signal()
}

// tapping returns the function that receives the messages of a new session.
func (i *Inspector) tapping(server string) func(client.WireMessage) {
	var of servers.Server
	var session uint64
	if i.state(server, func(s *inspected) {
		s.frames.sessions++
		of, session = s.of, s.frames.sessions
	}) != nil {
		return func(client.WireMessage) {}
	}
	return func(m client.WireMessage) {
		f := &Frame{Server: server, Session: session, raw: m.TakeRaw()}
		f.WireMessage = m
		i.framed(f, of)
	}
}

// undialled records that no session could be opened.
func (i *Inspector) undialled(server string, err error) {
	of, gone := i.c.Server(server)
	if gone != nil {
		return
	}
	f := &Frame{Server: server, Failure: of.Mask().String(err.Error())}
	f.At = i.clock.Now().UTC()
	i.framed(f, of)
}

// framed stores a message, unless the server record of the session is gone: another
// record may have its id by now.
func (i *Inspector) framed(f *Frame, of servers.Server) {
	_ = i.state(f.Server, func(s *inspected) {
		if s.of != of {
			return
		}
		i.seq++
		f.Seq = i.seq
		if f.Failure != "" {
			f.Session = s.frames.sessions
		}
		s.frames.add(f, i.opts.Frames)
	})
}

// withhold drops the messages of a server since the given time, because they contain a
// result that must not be seen.
func (i *Inspector) withhold(server string, since time.Time) {
	_ = i.state(server, func(s *inspected) {
		s.frames.list = slices.DeleteFunc(s.frames.list, func(f *Frame) bool { return !f.At.Before(since) })
		s.frames.bytes, s.frames.pinned = 0, 0
		for _, f := range s.frames.list {
			s.frames.bytes += f.size()
			if f.Pinned {
				s.frames.pinned++
			}
		}
	})
}

// Frames returns messages of a server in order: the first limit messages after number
// after, or, if after is 0, the last limit messages. A limit of 0 or less means no limit.
// [Options].Frames says how many are kept.
func (i *Inspector) Frames(server string, after uint64, limit int) (list []Frame, err error) {
	err = i.state(server, func(s *inspected) {
		from := s.frames.list
		if after > 0 {
			at, found := slices.BinarySearchFunc(from, after, func(f *Frame, n uint64) int { return compare(f.Seq, n) })
			if found {
				at++
			}
			from = from[at:]
			if limit > 0 && len(from) > limit {
				from = from[:limit]
			}
		} else if limit > 0 && len(from) > limit {
			from = from[len(from)-limit:]
		}
		list = make([]Frame, len(from))
		for n, f := range from {
			list[n] = *f
		}
	})
	return list, err
}

func compare(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// FollowFrames yields the kept messages of a server after number after, and then new
// ones, until ctx ends, the record of the server is deleted, or the inspector is closed;
// the last pair is then the error. A slow reader misses messages that are no longer kept.
func (i *Inspector) FollowFrames(ctx context.Context, server string, after uint64) iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		var of servers.Server
		for {
			if err := ctx.Err(); err != nil {
				yield(Frame{}, err)
				return
			}
			var wake chan struct{}
			var list []Frame
			err := i.state(server, func(s *inspected) {
				if of = cmp.Or(of, s.of); of != s.of {
					return
				}
				if s.frames.wake == nil {
					s.frames.wake = make(chan struct{})
				}
				wake = s.frames.wake
				for at := len(s.frames.list); at > 0 && s.frames.list[at-1].Seq > after; at-- {
					list = append(list, *s.frames.list[at-1])
				}
			})
			if err == nil && wake == nil { // the server has another record by now
				err = deleted(server)
			}
			if err != nil {
				yield(Frame{}, err)
				return
			}
			slices.Reverse(list)
			if len(list) > frameBatch {
				list = list[:frameBatch]
			}
			for _, f := range list {
				after = f.Seq
				if !yield(f, nil) {
					return
				}
			}
			if len(list) > 0 {
				continue
			}
			select {
			case <-wake:
			case <-i.ctx.Done():
				yield(Frame{}, fmt.Errorf("inspector: the inspector is closed: %w", toolspec.ErrClosed))
				return
			case <-ctx.Done():
			}
		}
	}
}

// Frame returns one kept message. The error is ErrNoInspection if there is none with this
// number.
func (i *Inspector) Frame(server string, seq uint64) (out Frame, err error) {
	err = i.frame(server, seq, func(_ *inspected, f *Frame) error { out = *f; return nil })
	return out, err
}

func (i *Inspector) frame(server string, seq uint64, do func(s *inspected, f *Frame) error) error {
	failed := fmt.Errorf("%w: message %d", ErrNoInspection, seq)
	err := i.state(server, func(s *inspected) {
		for _, f := range s.frames.list {
			if f.Seq == seq {
				failed = do(s, f)
			}
		}
	})
	return errors.Join(err, failed)
}

// PinFrame pins a message, so that it is kept when others are dropped, or unpins it. At
// most 100 messages of a server can be pinned.
func (i *Inspector) PinFrame(server string, seq uint64, pin bool) (out Frame, err error) {
	err = i.frame(server, seq, func(s *inspected, f *Frame) error {
		switch {
		case pin && !f.Pinned && s.frames.pinned == maxPinned:
			return invalidOperation("%d messages of this server are pinned: let one go", maxPinned)
		case pin && !f.Pinned:
			s.frames.pinned++
		case !pin && f.Pinned:
			s.frames.pinned--
		}
		f.Pinned = pin
		out = *f
		return nil
	})
	return out, err
}

// ReplayFrame sends a request or notification of this side again, as a new operation. The
// kept message does not change. Messages that start or end the session cannot be sent
// again. caller is the caller of a tool, as in [ToolTrial].
func (i *Inspector) ReplayFrame(ctx context.Context, server string, seq uint64, caller toolspec.Principal) (*Inspection, error) {
	method, params, err := i.frameRequest(server, seq)
	if err != nil {
		return nil, err
	}
	return i.raw(ctx, server, method, params, caller)
}

// frameRequest returns the request in a message, without the metadata of the request
// itself.
func (i *Inspector) frameRequest(server string, seq uint64) (method string, params json.RawMessage, err error) {
	f, err := i.Frame(server, seq)
	if err != nil {
		return "", nil, err
	}
	switch {
	case !f.Sent || f.Method == "":
		return "", nil, invalidOperation("message %d is no request of this side", seq)
	case f.raw == nil:
		return "", nil, invalidOperation("message %d is too large to be sent again", seq)
	}
	if params = json.RawMessage(rpc.Object(f.raw)["params"]); len(params) == 0 {
		return f.Method, nil, nil
	}
	out := []byte{'{'}
	err = rpc.ScanObject(params, func(token, name, value []byte) {
		if string(name) == "_meta" {
			return
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, token...), ':'), value...)
	})
	return f.Method, append(out, '}'), err
}
