package mcphub

import (
	"context"
	"errors"
	"time"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/internal/rpc"

	"github.com/localpass/localpass/approval"
)

// callerGrace is how long a client whose connection broke has to come back for the
// answer, where the protocol lets it, before a question about its call is closed.
const callerGrace = 10 * time.Second

// errCallerGone is the cause of the end of a question whose caller has gone.
var errCallerGone = errors.New("the client that made the call has gone")

// parseClient reads what a client says that it is.
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

// whileCalled ends a question when its caller has gone: when the connection breaks
// on which the answer is waited for, and the client cannot come back for it or does
// not. stop ends the looking.
func (x *exchange) whileCalled(gone context.CancelCauseFunc) (stop func() bool) {
	if x == nil || x.conn == nil || x.task != nil { // a task is asked for later
		return func() bool { return true }
	}
	return context.AfterFunc(x.conn, func() {
		stream, _ := x.out.(*httpStream)
		if stream == nil || stream.session == nil {
			gone(errCallerGone) // no answer could reach it any more
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

// quietSince reports whether the client has sent nothing since a time.
func (s *session) quietSince(t time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.idle.last.After(t)
}
