package sqlstore

import (
	"context"
	"database/sql"
	"sync/atomic"
)

// Session is the life of a writer of logs: a process that holds a lock, or a connection that
// does. The segments of a session are open until they are ended or the session is over.
type Session struct {
	ID string
	// Conn executes the statements of the session, and nothing else does. It fails once the
	// session is over.
	Conn interface {
		querier
		BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
		PingContext(ctx context.Context) error
	}
	// End ends the session.
	End func() error

	lost atomic.Bool
}

// Statement is a statement with its arguments.
type Statement struct {
	Query string
	Args  []any
}

// execute executes statements: several in one transaction.
func (s *Session) execute(ctx context.Context, statements ...Statement) error {
	if len(statements) == 1 {
		_, err := s.Conn.ExecContext(ctx, statements[0].Query, statements[0].Args...)
		return s.check(ctx, err)
	}
	return s.transact(ctx, func(tx *sql.Tx) error { return executeAll(ctx, tx, statements) })
}

// begin starts a segment of a log and, in the same transaction, executes the statements that
// then returns for its id.
func (s *Session) begin(ctx context.Context, store *Store, log string, then func(id int64) []Statement) error {
	return s.transact(ctx, func(tx *sql.Tx) error {
		if store.cfg.Advance != "" {
			if _, err := tx.ExecContext(ctx, store.cfg.Advance); err != nil {
				return err
			}
		}
		var id int64
		store.step()
		if err := tx.QueryRowContext(ctx, store.sql.newSegment, log, s.ID).Scan(&id); err != nil {
			return err
		}
		store.step()
		if err := executeAll(ctx, tx, then(id)); err != nil {
			return err
		}
		store.step()
		return nil
	})
}

func executeAll(ctx context.Context, tx *sql.Tx, statements []Statement) error {
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, statement.Query, statement.Args...); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) transact(ctx context.Context, work func(*sql.Tx) error) error {
	tx, err := s.Conn.BeginTx(ctx, nil)
	if err != nil {
		return s.check(ctx, err)
	}
	if err := work(tx); err != nil {
		tx.Rollback()
		return s.check(ctx, err)
	}
	return s.check(ctx, tx.Commit())
}

// check notes after an error whether the session is over.
func (s *Session) check(ctx context.Context, err error) error {
	if err != nil && s.Conn.PingContext(ctx) != nil {
		s.lost.Store(true)
	}
	return err
}

func (s *Session) isLost() bool { return s.lost.Load() }
