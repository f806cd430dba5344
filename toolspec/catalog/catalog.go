package catalog

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/localpass/localpass/toolspec"
)

const (
	folder    = "specs"
	extension = ".json"
	pinsFile  = "pins.json"
)

//go:embed specs/*.json pins.json
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

// pins is the file of pins (specification section 14.2).
type pins struct {
	Version int               `json:"version"`
	Tools   map[string]string `json:"tools"`
}

// Pins gives the catalogue hash of each bundled tool by its name: what
// studio.Options.Pins wants, so that no other tool can go by such a
// name, a changed one least of all. The map is the caller's. An error means that
// the pins cannot be read: trust no bundled tool then.
func Pins() (map[string]string, error) {
	data, err := files.ReadFile(pinsFile)
	if err != nil {
		return nil, fmt.Errorf("catalog: the pins of the bundled tools: %w", err)
	}
	var p pins
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("catalog: the pins of the bundled tools: %w", err)
	}
	if p.Version != 1 || len(p.Tools) == 0 {
		return nil, errors.New("catalog: the pins of the bundled tools are not of version 1, or none")
	}
	return p.Tools, nil
}

// Specs gives the specs, in the order of [Names]. Each call gives new ones, which
// the caller may change. Each is held against its pin: an error names the spec
// that is at fault, and no spec is given then.
func Specs() ([]*toolspec.Spec, error) {
	all, err := parsed()
	if err != nil {
		return nil, err
	}
	specs := make([]*toolspec.Spec, len(all))
	for i, s := range all {
		specs[i] = s.Clone()
	}
	return specs, nil
}

// parsed parses the embedded files, which never change, once.
var parsed = sync.OnceValues(func() ([]*toolspec.Spec, error) {
	pins, err := Pins()
	if err != nil {
		return nil, err
	}
	return readSpecs(files, pins)
})

// Documents gives the specs as a load of [FS] would.
func Documents() ([]toolspec.Document, error) {
	specs, err := Specs()
	if err != nil {
		return nil, err
	}
	documents := make([]toolspec.Document, len(specs))
	for i, s := range specs {
		documents[i] = toolspec.Document{Spec: s, Source: s.Name + extension}
	}
	return documents, nil
}

func readSpecs(fsys fs.ReadDirFS, pins map[string]string) ([]*toolspec.Spec, error) {
	entries, err := fsys.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	var specs []*toolspec.Spec
	for _, e := range entries {
		file := path.Join(folder, e.Name())
		data, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, fmt.Errorf("catalog: %w", err)
		}
		s, err := toolspec.ParseSpec(data)
		if err != nil {
			return nil, fmt.Errorf("catalog: %s: %w", file, err)
		}
		switch want := pins[s.Name]; {
		case s.Name+extension != e.Name():
			return nil, fmt.Errorf("catalog: %s holds a tool called %q", file, s.Name)
		case want == "":
			return nil, fmt.Errorf("catalog: %s has no pin", file)
		case want != s.CatalogHash():
			return nil, fmt.Errorf("catalog: %s was changed: its hash is %s, its pin %s", file, s.CatalogHash(), want)
		}
		specs = append(specs, s)
	}
	if len(specs) != len(pins) {
		return nil, fmt.Errorf("catalog: there are %d pins for %d tools", len(pins), len(specs))
	}
	return specs, nil
}
