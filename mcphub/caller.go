package mcphub

import (
	"context"
	"errors"
	"time"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/internal/rpc"

	"github.com/localpass/localpass/approval"
)

// callerGrace is how long a client whose connection broke may take to come back for the
// answer, if the protocol allows it, before a question about its call is closed.
const callerGrace = 10 * time.Second

// errCallerGone is the cause with which a question ends when its caller has gone.
var errCallerGone = errors.New("the client that made the call has gone")

// parseClient reads a client's description of itself.
func parseClient(raw []byte) (c approval.Client) {
	if !rpc.IsObject(raw) {
		return c
	}
	all := rpc.Object(raw)
	c.Name, _ = rpc.Text(all["name"])
	c.Version, _ = rpc.Text(all["version"])
	c.Name, c.Version = clip.To(c.Name, rpc.MaxName), clip.To(c.Version, rpc.MaxName)
	return c
}

// whileCalled ends a question when its caller has gone: when the connection that waits
// for the answer breaks, and the client cannot or does not come back for it. stop ends
// the watch.
func (x *exchange) whileCalled(gone context.CancelCauseFunc) (stop func() bool) {
	if x == nil || x.conn == nil || x.task != nil { // the client of a task fetches the question later
		return func() bool { return true }
	}
	return context.AfterFunc(x.conn, func() {
		stream, _ := x.out.(*httpStream)
		if stream == nil || stream.session == nil {
			gone(errCallerGone) // an answer could no longer reach it
			return
		}
		broke := time.Now()
		timer := time.NewTimer(callerGrace)
		defer timer.Stop()
		select {
		case <-timer.C:
			if stream.session.quietSince(broke) {
				gone(errCallerGone)
			}
		case <-x.ctx.Done():
		}
	})
}

// quietSince reports whether the client has sent nothing since t.
func (s *session) quietSince(t time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.idle.last.After(t)
}
