package servers

import (
	"context"
	"errors"
	"github.com/localpass/localpass/mcphub/client"
	"time"
)

// Parameters of a circuit breaker.
const (
	breakerRow      = 5 // consecutive failures that open it
	breakerWindow   = 60 * time.Second
	breakerLeast    = 10 // calls in the window before their failure rate counts
	breakerCooldown = 30 * time.Second
	breakerLongest  = 5 * time.Minute
)

// breaker stops the use of a server that fails. It opens after [breakerRow] consecutive
// failures, or when half of at least [breakerLeast] calls of the last minute have failed.
// After a pause one probe is let through: if it succeeds, the breaker closes; if it
// fails, the pause doubles. The zero value is closed. The caller holds a lock.
type breaker struct {
	row      int
	open     bool
	probing  bool
	until    time.Time
	cooldown time.Duration
	window   [breakerWindow / time.Second]struct {
		second   int64
		ok, fail int32
	}
}

// allow reports whether the server may be used now, and whether this use is a probe that
// shows whether the server works again. A caller that gets a probe must report its
// outcome. If the server may not be used, retry is when to ask again.
func (b *breaker) allow(now time.Time) (ok, probe bool, retry time.Time) {
	switch {
	case !b.open:
		return true, false, time.Time{}
	case b.probing || now.Before(b.until):
		return false, false, b.until
	}
	b.probing = true
	return true, true, time.Time{}
}

// isOpen reports whether all uses except probes are refused.
func (b *breaker) isOpen() bool { return b.open }

// report records the outcome of a use. It reports whether the breaker opened or closed
// because of it. A use that started before the breaker opened does not close it.
func (b *breaker) report(now time.Time, probe bool, outcome outcome) (changed bool) {
	if b.open {
		if !probe {
			return false
		}
		b.probing = false
		switch outcome {
		case outcomeOK:
			*b = breaker{}
			return true
		case outcomeFailed:
			b.cooldown = min(b.cooldown*2, breakerLongest)
			b.until = now.Add(b.cooldown)
		}
		return false
	}
	slot := &b.window[now.Unix()%int64(len(b.window))]
	if slot.second != now.Unix() {
		slot.second, slot.ok, slot.fail = now.Unix(), 0, 0
	}
	switch outcome {
	case outcomeNeither:
		return false
	case outcomeOK:
		b.row = 0
		slot.ok++
		return false
	}
	b.row++
	slot.fail++
	var all, failed int32
	for i := range b.window {
		if s := &b.window[i]; s.second > now.Unix()-int64(len(b.window)) {
			all, failed = all+s.ok+s.fail, failed+s.fail
		}
	}
	if b.row < breakerRow && (all < breakerLeast || failed*2 < all) {
		return false
	}
	*b = breaker{open: true, cooldown: breakerCooldown, until: now.Add(breakerCooldown)}
	return true
}

// outcome is what a finished use says about the server.
type outcome uint8

const (
	outcomeOK      outcome = iota // the server answers, even if only with an error
	outcomeFailed                 // the server does not answer
	outcomeNeither                // nothing can be concluded
)

// outcomeOf returns how a finished use counts for the circuit breaker. own says that the
// caller gave up, which is not the server's fault.
func outcomeOf(err error, own bool) outcome {
	if err == nil {
		return outcomeOK
	}
	var refused *client.RPCError
	var asks *client.InputRequired
	if errors.As(err, &refused) || errors.As(err, &asks) {
		return outcomeOK
	}
	if own || errors.Is(err, context.Canceled) {
		return outcomeNeither
	}
	var conn *client.ConnError
	if !errors.As(err, &conn) {
		if errors.Is(err, context.DeadlineExceeded) {
			return outcomeFailed
		}
		return outcomeNeither
	}
	switch conn.Class {
	case client.ConnTransport, client.ConnTimeout, client.ConnProtocol, client.ConnSessionLost:
		return outcomeFailed
	case client.ConnServer:
		if conn.Status == 0 || conn.Status >= 500 {
			return outcomeFailed
		}
	}
	return outcomeNeither
}

// Parameters of a back-off.
const (
	backoffBase  = 500 * time.Millisecond
	backoffCap   = 30 * time.Second
	backoffReads = 3 // total tries of a read
	busyCap      = 60 * time.Second
)

// backoff returns the wait before retry n, counted from 1: a random time up to the full
// time, so that callers that wait for the same server do not retry together.
func backoff(n int, random func() float64) time.Duration {
	most := backoffCap
	if n < 8 {
		most = min(backoffBase<<(max(n, 1)-1), backoffCap)
	}
	return time.Duration(random() * float64(most))
}
