package sqlstore

import (
	"context"
	"database/sql"

	"github.com/localpass/localpass/persistence/internal/contract"
)

// Collections implements localpass.Inventory.
func (s *Store) Collections(ctx context.Context) ([]string, error) {
	return s.names(ctx, "SELECT DISTINCT collection FROM localpass_documents WHERE data IS NOT NULL ORDER BY collection")
}

// Logs implements localpass.Inventory.
func (s *Store) Logs(ctx context.Context) ([]string, error) {
	return s.names(ctx, "SELECT DISTINCT log FROM localpass_log_segments ORDER BY log")
}

func (s *Store) names(ctx context.Context, query string) (names []string, err error) {
	if ctx.Err() != nil {
		return nil, contract.Ended(ctx, "listing names")
	}
	if err := s.checkOpen(); err != nil {
		return nil, err
	}
	err = s.repeat(ctx, "listing names", func() error {
		names = nil
		return each(ctx, s.cfg.DB, query, func(rows *sql.Rows) error {
			var name string
			err := rows.Scan(&name)
			names = append(names, name)
			return err
		})
	})
	return names, err
}
