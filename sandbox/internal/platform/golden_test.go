package platform_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/platform"
	"github.com/localpass/localpass/sandbox/internal/platform/intl"
)

// goldenCase is what Node answers to a script; testdata/golden.mjs writes it.
type goldenCase struct {
	Script  string
	Want    json.RawMessage
	Error   string
	Message string
}

func TestGoldenSameAsNode(t *testing.T) {
	data, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	var golden struct {
		Node  string
		Cases []goldenCase
	}
	require.NoError(t, json.Unmarshal(data, &golden))
	require.GreaterOrEqual(t, len(golden.Cases), 60)
	var zones intl.Zones
	for _, c := range golden.Cases {
		vm := goja.New()
		platform.Install(vm, &platform.Options{Zones: zones.Load})
		got, err := vm.RunString("JSON.stringify((function () {" + c.Script + "\n})())")
		if c.Error != "" {
			var thrown *goja.Exception
			if !assert.ErrorAs(t, err, &thrown, c.Script) {
				continue
			}
			o := thrown.Value().(*goja.Object)
			assert.Equal(t, c.Error, o.Get("name").String(), c.Script)
			assert.Equal(t, c.Message, o.Get("message").String(), c.Script)
			continue
		}
		if !assert.NoError(t, err, c.Script) {
			continue
		}
		assertSame(t, c, got.String())
	}
}

// assertSame compares answers as JSON, member order included, and names the
// elements of a list that differ.
func assertSame(t *testing.T, c goldenCase, got string) {
	t.Helper()
	var wantList, gotList []json.RawMessage
	if json.Unmarshal(c.Want, &wantList) == nil && json.Unmarshal([]byte(got), &gotList) == nil && len(wantList) == len(gotList) {
		for i := range wantList {
			assert.Equal(t, string(wantList[i]), string(gotList[i]), "element %d of %.80s", i, c.Script)
		}
		return
	}
	assert.Equal(t, string(c.Want), got, c.Script)
}
