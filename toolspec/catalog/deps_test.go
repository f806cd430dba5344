package catalog_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "toolspec/catalog", depcheck.Rules{
		Forbid: map[string]string{
			"net/http":                                          "the catalogue is data",
			"os/exec":                                           "the catalogue is data",
			"github.com/dop251/goja":                            "specs are run by a sandbox, one floor up",
			"github.com/dop251/goja/...":                        "specs are run by a sandbox, one floor up",
			"github.com/mark3labs/mcp-go/...":                   "the catalogue does not know MCP",
			"go.opentelemetry.io/otel/sdk/...":                  "telemetry is the host's",
			"github.com/localpass/localpass/sandbox/...":        "specs are run by a sandbox, one floor up",
			"github.com/localpass/localpass/mcphub/...":         "the hub stands above",
			"github.com/localpass/localpass/chat/...":           "chat stands above",
			"github.com/localpass/localpass/persistence/...":    "the catalogue is embedded",
			"github.com/localpass/localpass/toolspec/studioapi": "HTTP stands above",
		},
	})
}
