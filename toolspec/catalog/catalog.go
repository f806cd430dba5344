package catalog

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/localpass/localpass/toolspec"
)

const (
	folder    = "specs"
	extension = ".json"
)

//go:embed specs/*.json
var files embed.FS

// FS is the catalogue as files, one spec in each: NAME.json at the top of it. It
// is safe for concurrent use.
func FS() fs.FS {
	sub, _ := fs.Sub(files, folder) // fails for an invalid name only
	return sub
}

// Names lists the specs, sorted.
func Names() []string {
	entries, _ := files.ReadDir(folder) // an embedded folder always reads
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), extension)
	}
	return names
}

// Specs reads the specs, in the order of [Names]. Each call gives new ones, which
// the caller may change. An error names the spec that is at fault; it cannot
// happen with a catalogue whose tests pass.
func Specs() ([]*toolspec.Spec, error) {
	names := Names()
	specs := make([]*toolspec.Spec, 0, len(names))
	for _, name := range names {
		file := path.Join(folder, name+extension)
		data, _ := files.ReadFile(file) // it is there: Names lists files
		s, err := toolspec.ParseSpec(data)
		if err != nil {
			return nil, fmt.Errorf("catalog: %s: %w", file, err)
		}
		specs = append(specs, s)
	}
	return specs, nil
}
