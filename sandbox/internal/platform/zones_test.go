package platform_test

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/platform"
	"github.com/localpass/localpass/sandbox/internal/platform/intl"
)

func TestZonesLoad(t *testing.T) {
	var zones intl.Zones
	paris, err := zones.Load("Europe/Paris")
	require.NoError(t, err)
	again, err := zones.Load("Europe/Paris")
	require.NoError(t, err)
	assert.Same(t, paris, again)
	for _, name := range []string{"", "Local", "local", "europe/paris", "Europe", "../etc/passwd", "/etc/localtime", "posixrules", "right/UTC", "Mars/Olympus"} {
		_, err := zones.Load(name)
		assert.Error(t, err, name)
	}
	_, err = zones.Load("Mars/Olympus")
	assert.EqualError(t, err, `"Mars/Olympus" is no time zone of the IANA database; use a name such as "Europe/Paris"`)
}

func TestZonesAreSharedBetweenGoroutines(t *testing.T) {
	var zones intl.Zones
	var wg sync.WaitGroup
	for _, name := range []string{"Asia/Tokyo", "Asia/Seoul", "Asia/Tokyo", "America/Lima"} {
		wg.Go(func() {
			loc, err := zones.Load(name)
			assert.NoError(t, err)
			assert.Equal(t, name, loc.String())
		})
	}
	wg.Wait()
}

// Every listed zone is in the database that is linked in, also in a process
// that cannot open a file.
func TestZonesWithoutFiles(t *testing.T) {
	const marker = "PLATFORM_TEST_NO_FILES"
	if os.Getenv(marker) != "" {
		table, err := os.ReadFile("intl/zones.txt")
		require.NoError(t, err)
		forbidFiles(t)
		_, err = os.Open("/usr/share/zoneinfo/Europe/Paris")
		require.Error(t, err, "the process must not be able to open files")
		var zones intl.Zones
		for line := range strings.Lines(string(table)) {
			for _, name := range strings.Fields(line[strings.LastIndexByte(line, '\t'):]) {
				_, err := zones.Load(name)
				assert.NoError(t, err, name)
			}
		}
		vm := goja.New()
		platform.Install(vm, nil)
		v, err := vm.RunString("new Intl.DateTimeFormat('en-US', {timeZone: 'Europe/Paris', timeStyle: 'long'}).format(0)")
		require.NoError(t, err)
		assert.Equal(t, "1:00:00 AM GMT+1", v.String())
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestZonesWithoutFiles$", "-test.v")
	cmd.Env = []string{marker + "=1"}
	// Its exit status does not count: with coverage on it fails to write that.
	out, _ := cmd.CombinedOutput()
	assert.Contains(t, string(out), "--- PASS: TestZonesWithoutFiles")
}
