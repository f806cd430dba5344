//go:build !unix

package platform_test

import "testing"

func forbidFiles(t *testing.T) {
	t.Helper()
	t.Skip("this system has no way to forbid opening files")
}
