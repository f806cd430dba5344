package malicious_test

import (
	"context"
	"os"
	"testing"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/mcphub/mcphubtest/malicious"
)

// This program is also the malicious server over stdio.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-attack" {
		os.Exit(malicious.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	testrun.Parallel(4)
	os.Exit(leak.Main(m))
}
