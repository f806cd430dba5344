// Package pgtest starts a PostgreSQL for the tests of a package: a cluster of its own on a
// socket in a temporary folder, without any network. The variable LOCALPASS_POSTGRES names
// the folder of PostgreSQL's programs (.ci/pgvector prints it); tests are skipped without it.
package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// server is the PostgreSQL of this test program. It starts with the first test that needs
// it.
var server struct {
	once     sync.Once
	dir, bin string
	err      error
}

// M runs the tests of a package and stops the server afterwards.
type M struct{ *testing.M }

// Run runs the tests.
func (m M) Run() int {
	code := m.M.Run()
	if server.dir == "" {
		return code
	}
	err := Stop()
	if err = errors.Join(err, os.RemoveAll(server.dir)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func data() string { return filepath.Join(server.dir, "data") }

// as runs a program of PostgreSQL, which refuses to run as root, as the user that Debian
// makes for it.
func as(program string, args ...string) (string, error) {
	name := filepath.Join(server.bin, program)
	if os.Getuid() == 0 {
		name, args = "runuser", append([]string{"-u", "postgres", "--", name}, args...)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = "/"
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", program, err, out)
	}
	return strings.TrimSpace(string(out)), err
}

func create() error {
	dir, err := os.MkdirTemp("", "localpass-pg")
	if err != nil {
		return err
	}
	server.dir = dir
	if err := os.Chmod(dir, 0o777); err != nil { // the user of the server writes into it
		return err
	}
	if _, err := as("initdb", "-D", data(), "-U", "owner", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"); err != nil {
		return err
	}
	return Start()
}

// Start starts the server again after [Stop].
func Start() error {
	settings := "-k " + server.dir + " -c listen_addresses= -c fsync=off -c max_connections=200 -c max_parallel_workers_per_gather=0"
	_, err := as("pg_ctl", "-D", data(), "-l", filepath.Join(data(), "log"), "-t", "120", "-w", "-o", settings, "start")
	return err
}

// Stop stops the server at once, as a crash does.
func Stop() error {
	_, err := as("pg_ctl", "-D", data(), "-m", "immediate", "stop")
	return err
}

// Database returns the address of the server's database.
func Database(t testing.TB) string {
	t.Helper()
	server.once.Do(func() {
		if server.bin = os.Getenv("LOCALPASS_POSTGRES"); server.bin != "" {
			server.err = create()
		}
	})
	if server.bin == "" {
		t.Skip("LOCALPASS_POSTGRES does not name the programs of a PostgreSQL: see .ci/pgvector")
	}
	if server.err != nil {
		t.Fatal(server.err)
	}
	return "host=" + server.dir + " user=owner dbname=postgres"
}

// SQL runs statements in the database and returns their rows.
func SQL(t testing.TB, statements string) string {
	t.Helper()
	Database(t)
	out, err := as("psql", "-h", server.dir, "-U", "owner", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-qAtc", statements)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
