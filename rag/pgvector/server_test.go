package pgvector_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/rag/pgvector"
)

// server is a PostgreSQL of this test program, on a socket in a folder of its own. It
// starts with the first test that needs it.
var server struct {
	once     sync.Once
	dir, bin string
	err      error
}

func TestMain(m *testing.M) {
	testrun.Parallel(8)
	code := m.Run()
	if server.dir != "" {
		if out, err := as("pg_ctl", "-D", data(), "-m", "immediate", "stop"); err != nil {
			fmt.Fprintf(os.Stderr, "%v: %s\n", err, out)
			code = 1
		}
		_ = os.RemoveAll(server.dir)
	}
	os.Exit(code)
}

func data() string { return filepath.Join(server.dir, "data") }

// as runs a program of PostgreSQL, which refuses to run as root, as the user that Debian
// makes for it.
func as(program string, args ...string) ([]byte, error) {
	name := filepath.Join(server.bin, program)
	if os.Getuid() == 0 {
		name, args = "runuser", append([]string{"-u", "postgres", "--", name}, args...)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = "/"
	return cmd.CombinedOutput()
}

func start() error {
	dir, err := os.MkdirTemp("", "localpass-pg")
	if err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o777); err != nil { // the user of the server writes into it
		return err
	}
	server.dir = dir
	if out, err := as("initdb", "-D", data(), "-U", "owner", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	settings := "-k " + dir + " -c listen_addresses= -c fsync=off -c max_connections=200 -c max_parallel_workers_per_gather=0"
	if out, err := as("pg_ctl", "-D", data(), "-l", filepath.Join(dir, "data", "log"), "-t", "120", "-w", "-o", settings, "start"); err != nil {
		return fmt.Errorf("pg_ctl: %w: %s", err, out)
	}
	return nil
}

// database returns the address of the server's database.
func database(t testing.TB) string {
	t.Helper()
	server.once.Do(func() {
		if server.bin = os.Getenv("LOCALPASS_POSTGRES"); server.bin != "" {
			server.err = start()
		}
	})
	if server.bin == "" {
		t.Skip("LOCALPASS_POSTGRES does not name the programs of a PostgreSQL with pgvector: see .ci/pgvector")
	}
	require.NoError(t, server.err)
	return "host=" + server.dir + " user=owner dbname=postgres"
}

var collections sync.Map

// name returns an unused name for a collection.
func name(testing.TB) string {
	for i := 0; ; i++ {
		n := fmt.Sprintf("c%d", i)
		if _, used := collections.LoadOrStore(n, true); !used {
			return n
		}
	}
}

func open(t testing.TB, opts pgvector.Options) *pgvector.Store {
	t.Helper()
	return openAt(t, database(t), opts)
}

func openAt(t testing.TB, address string, opts pgvector.Options) *pgvector.Store {
	t.Helper()
	if opts.Collection == "" {
		opts.Collection = name(t)
	}
	s, err := pgvector.Open(ctx, address, &opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

var ctx = context.Background()

// sql runs a statement in the database.
func sql(t testing.TB, statement string) string {
	t.Helper()
	database(t)
	out, err := as("psql", "-h", server.dir, "-U", "owner", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-qAtc", statement)
	require.NoError(t, err, "%s", out)
	return strings.TrimSpace(string(out))
}
