package approval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/localpass/localpass/toolspec"
)

// Extend extends the deadline of a pending request to its Latest, for a person who needs
// more time to read. This is possible once; after that, and if the caller allows no
// extension, the error is [ErrNoMoreTime]. For an ended request it is [ErrDecided] or
// [ErrExpired]. With each of these errors the record is returned. For an unknown request
// the error is [ErrNotFound]. by is the person who asks for the extension, and via how
// they asked.
func (b *Broker) Extend(ctx context.Context, id string, by toolspec.Principal, via string) (Record, error) {
	return b.change(ctx, id, via, func(rec Record) (*Record, *AuditRecord, error) {
		switch rec = rec.at(b.now()); {
		case rec.Status == StatusExpired:
			return nil, nil, fmt.Errorf("%w: request %s had until %s", ErrExpired, id, rec.Request.Deadline.Format(time.RFC3339))
		case rec.Status != StatusPending:
			return nil, nil, fmt.Errorf("%w: request %s was %s", ErrDecided, id, rec.Outcome)
		case rec.Request.Latest.IsZero():
			return nil, nil, fmt.Errorf("%w: request %s ends at %s", ErrNoMoreTime, id, rec.Request.Deadline.Format(time.RFC3339))
		}
		r := rec.audit(AuditPutOff, &Decision{By: by, Via: via}, b.now())
		rec.Request.Deadline, rec.Request.Latest = rec.Request.Latest, time.Time{}
		return &rec, r, nil
	})
}

// wait is [Broker.Wait] with the monotonic clock: setting the wall clock back does not
// extend a deadline; only [Broker.Extend] does.
func (b *Broker) wait(ctx context.Context, rec *Record, clocks *elapsed) error {
	for limit := rec.Request.Deadline.Sub(clocks.wall); ; {
		within, cancel := context.WithTimeout(ctx, limit-time.Since(clocks.began))
		_, err := b.Wait(within, rec.Request.ID)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err
		}
		now, failed := b.Get(ctx, rec.Request.ID)
		longer := now.Request.Deadline.Sub(clocks.wall)
		if failed != nil || now.Status != StatusPending || longer <= limit {
			return err
		}
		limit = longer
	}
}
