package inspector_test

import (
	"os"
	"testing"

	"github.com/localpass/localpass/mcphub/internal/hubtest"
)

func TestMain(m *testing.M) { os.Exit(hubtest.RunTests(m)) }
