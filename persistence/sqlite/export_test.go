package sqlite

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/persistence/internal/sqlstore"
)

// OpenWithSteps is Open with a function that is called before each statement of a write.
func OpenWithSteps(path string, opts *Options, step func()) (*Store, error) {
	return open(path, opts, step)
}

// LimitPages makes the disk full when the file has this many pages.
func LimitPages(t *testing.T, s *Store, most int) {
	pragma(t, s, fmt.Sprintf("max_page_count = %d", most))
}

// QueryOnly lets the store read only.
func QueryOnly(t *testing.T, s *Store) { pragma(t, s, "query_only = 1") }

func pragma(t *testing.T, s *Store, text string) {
	t.Helper()
	_, err := sqlstore.Writer(s.Store).ExecContext(t.Context(), "PRAGMA "+text)
	require.NoError(t, err)
}
