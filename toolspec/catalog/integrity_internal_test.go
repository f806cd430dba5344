package catalog

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A catalogue that is not the pinned one is not given out, whatever was changed.
func TestTampered(t *testing.T) {
	pins, err := Pins()
	require.NoError(t, err)
	good, err := fs.ReadFile(FS(), "stats.json")
	require.NoError(t, err)
	pin := map[string]string{"stats": pins["stats"]}
	for name, tt := range map[string]struct {
		file string
		data string
		pins map[string]string
		want string
	}{
		"as it is":        {"stats", string(good), pin, ""},
		"code":            {"stats", strings.Replace(string(good), "Describes a list of numbers. Sums", "Describes a list of numbers! Sums", 1), pin, "specs/stats.json was changed"},
		"name":            {"stats", strings.Replace(string(good), `"stats"`, `"stat"`, 1), pin, "holds a tool called"},
		"file name":       {"other", string(good), pin, "holds a tool called"},
		"no pin":          {"stats", string(good), map[string]string{"else": "x"}, "has no pin"},
		"a pin too many":  {"stats", string(good), map[string]string{"stats": pins["stats"], "more": "x"}, "2 pins for 1 tools"},
		"not a spec":      {"stats", "{", pin, "specs/stats.json"},
		"nothing at all":  {"", "", pin, "1 pins for 0 tools"},
		"no such catalog": {"-", "", pin, "catalog:"},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := fstest.MapFS{"specs": &fstest.MapFile{Mode: fs.ModeDir}}
			switch tt.file {
			case "":
			case "-":
				fsys = fstest.MapFS{}
			default:
				fsys["specs/"+tt.file+".json"] = &fstest.MapFile{Data: []byte(tt.data)}
			}
			specs, err := readSpecs(fsys, tt.pins)
			if tt.want == "" {
				require.NoError(t, err)
				assert.Len(t, specs, 1)
				return
			}
			assert.ErrorContains(t, err, tt.want)
			assert.Empty(t, specs)
		})
	}
}
