//go:build unix

package platform_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// forbidFiles lets the process open no file any more.
func forbidFiles(t *testing.T) {
	t.Helper()
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{}))
}
