// Package clock supplies the time and random ids, so that a test or a deterministic pass
// can replace them. Library code that needs the time of a record or a new id takes a
// Clock; deadlines and timers use contexts and package time, which testing/synctest
// controls.
package clock

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"
)

// Clock returns the time and makes ids. The zero value is the real one.
type Clock struct {
	// NowFunc replaces time.Now when set.
	NowFunc func() time.Time
	// IDFunc replaces random ids when set.
	IDFunc func() string
}

// Now returns the current time in UTC.
func (c Clock) Now() time.Time {
	if c.NowFunc != nil {
		return c.NowFunc().UTC()
	}
	return time.Now().UTC()
}

// ID returns a new identifier: 128 random bits in lower-case hex.
func (c Clock) ID() string {
	if c.IDFunc != nil {
		return c.IDFunc()
	}
	var b [16]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b[:])
}

// Sleep waits for d. If ctx ends first, it returns the cause.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
