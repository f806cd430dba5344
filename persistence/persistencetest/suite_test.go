package persistencetest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/persistence/persistencetest"
)

// The suite is run on engines with one fault each, and must fail in the part that tests
// for the fault.

const faultVariable = "LOCALPASS_PERSISTENCETEST_FAULT"

func TestMain(m *testing.M) {
	persistencetest.Main(m, func(location string, step func()) (localpass.Persistence, error) {
		return &naive{dir: location, step: step}, nil
	})
}

// TestFaulty runs the suite on the engine that the environment names. It is
// started by TestSuiteFindsFaults only.
func TestFaulty(t *testing.T) {
	switch fault := os.Getenv(faultVariable); fault {
	case "":
		t.Skip("needs a fault to run with")
	case "naive":
		persistencetest.Run(t, func(t *testing.T) localpass.Persistence { return &naive{dir: t.TempDir()} }, &persistencetest.Options{
			Reopen:   func(_ *testing.T, store localpass.Persistence) localpass.Persistence { return store },
			Location: func(store localpass.Persistence) string { return store.(*naive).dir },
			Steps:    true,
		})
	case "without steps":
		persistencetest.Run(t, func(t *testing.T) localpass.Persistence { return &naive{dir: t.TempDir(), stepless: true} }, &persistencetest.Options{
			Location: func(store localpass.Persistence) string { return store.(*naive).dir + "?stepless" },
			Steps:    true,
		})
	case "forgetful":
		persistencetest.Run(t, func(*testing.T) localpass.Persistence { return memory.New() }, &persistencetest.Options{
			Reopen: func(*testing.T, localpass.Persistence) localpass.Persistence { return memory.New() },
		})
	default:
		require.Contains(t, faults(), fault)
		persistencetest.Run(t, func(*testing.T) localpass.Persistence {
			store := &faulty{Store: memory.New()}
			faults()[fault](store)
			return store
		}, nil)
	}
}

func TestSuiteFindsFaults(t *testing.T) {
	cases := map[string][]string{ // the fault, and the parts that must fail
		"overwrites":        {"Documents/Conflicts"},
		"last writer wins":  {"Documents/Conflicts", "Writers/Counter"},
		"old versions":      {"Documents/Versions"},
		"rewrites numbers":  {"Documents/Tokens"},
		"escapes HTML":      {"Documents/Tokens"},
		"shares its bytes":  {"Documents/Copies"},
		"ignores context":   {"Documents/Context"},
		"takes any JSON":    {"Documents/Tokens"},
		"plain errors":      {"Documents/Delete", "Names/Keys"},
		"folds case":        {"Names/Keys", "Names/Collections"},
		"trims keys":        {"Names/Keys"},
		"takes bad keys":    {"Names/BadKeys"},
		"unordered":         {"List/Selection"},
		"after is included": {"List/Selection", "List/Paging"},
		"prefix then after": {"List/Selection"},
		"half a batch":      {"Batch/AllOrNothing"},
		"same key twice":    {"Batch/AllOrNothing"},
		"silent end":        {"Watch/Changes"},
		"newest first":      {"Log/Order", "Log/Paging"},
		"good ones only":    {"Log/Refused"},
		"shares segments":   {"Segments/Writers", "Segments/Rotate"},
		"newest segments":   {"Segments/Writers"},
		"never open":        {"Segments/Writers"},
		"removes open ones": {"Segments/Remove"},
		"forgetful":         {"Documents/Reopen", "Log/Order", "Random/Seed0"},
		"naive":             {"Names/Keys", "Crash/PutReplace", "Writers/SixteenInTwoProcesses"},
		"without steps":     {"Crash/PutFirst"},
	}
	for fault := range faults() {
		assert.Contains(t, cases, fault)
	}
	for fault, parts := range cases {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			for _, part := range parts {
				run := exec.CommandContext(t.Context(), os.Args[0], "-test.timeout=5m", "-test.run=^TestFaulty$/^"+strings.ReplaceAll(part, "/", "$/^")+"$", "-test.v")
				run.Env = append(os.Environ(), faultVariable+"="+fault)
				out, err := run.CombinedOutput()
				var exit *exec.ExitError
				require.ErrorAs(t, err, &exit, "%s passes:\n%s", part, out)
				assert.Contains(t, string(out), "--- FAIL: TestFaulty/"+part+" ")
				assert.NotContains(t, string(out), "panic:")
			}
		})
	}
}

func TestHostileKeysAreValid(t *testing.T) {
	store := memory.New()
	for _, key := range persistencetest.HostileKeys() {
		_, err := store.Put(t.Context(), "c", key, localpass.Document{Data: json.RawMessage("1")})
		require.NoError(t, err, "%q", key)
	}
}
