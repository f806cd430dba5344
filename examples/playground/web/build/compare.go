package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// compare holds a build against a folder. Compressed files are compared by what
// they hold: compressors change.
func compare(out string, files map[string][]byte) error {
	list, err := os.ReadDir(out)
	if err != nil {
		return err
	}
	var errs []error
	there := map[string]bool{}
	for _, e := range list {
		there[e.Name()] = true
		if _, ok := files[e.Name()]; !ok {
			errs = append(errs, fmt.Errorf("%s is not made of these sources", e.Name()))
		}
	}
	for name, want := range files {
		if !there[name] {
			errs = append(errs, fmt.Errorf("%s is missing", name))
			continue
		}
		got, err := os.ReadFile(filepath.Join(out, name))
		if err == nil && strings.HasSuffix(name, ".gz") {
			want = files[strings.TrimSuffix(name, ".gz")]
			var r *gzip.Reader
			if r, err = gzip.NewReader(bytes.NewReader(got)); err == nil {
				got, err = io.ReadAll(r)
			}
		}
		if name == "manifest.json" { // it counts compressed bytes
			got, want = withoutSizes(got), withoutSizes(want)
		}
		if err == nil && !bytes.Equal(got, want) {
			err = errors.New("is not what these sources make")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w\nbuild again: npm ci --ignore-scripts && go -C build run .", err)
	}
	return nil
}

func withoutSizes(raw []byte) []byte {
	var m manifest
	if json.Unmarshal(raw, &m) != nil {
		return raw
	}
	for name, f := range m.Files {
		f.Gzip = 0
		m.Files[name] = f
	}
	out, err := json.Marshal(m)
	if err != nil {
		return raw
	}
	return out
}
