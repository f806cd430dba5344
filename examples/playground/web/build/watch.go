package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

// made is a bundle, with the time of the last change of each file in it.
type made struct {
	code  []byte
	meta  *metafile
	files map[string]time.Time
}

// once bundles an entry, or returns what was made of the same files before.
func (m *builder) once(web string, e entry) ([]byte, *metafile, error) {
	if old := m.kept[e.source]; old != nil && !old.stale(web) {
		return old.code, old.meta, nil
	}
	code, meta, err := m.bundle(web, e.source, e.apart)
	if err != nil || m.kept == nil {
		return code, meta, err
	}
	fresh := &made{code: code, meta: meta, files: map[string]time.Time{}}
	for name := range meta.Inputs {
		if info, err := os.Stat(filepath.Join(web, filepath.FromSlash(name))); err == nil {
			fresh.files[name] = info.ModTime()
		}
	}
	m.kept[e.source] = fresh
	return code, meta, nil
}

func (d *made) stale(web string) bool {
	for name, at := range d.files {
		info, err := os.Stat(filepath.Join(web, filepath.FromSlash(name)))
		if err != nil || !info.ModTime().Equal(at) {
			return true
		}
	}
	return false
}

// watch builds into a folder, and again after each change of a source, until it is
// interrupted. A source with errors leaves the last build as it is.
func watch(web, out string) error {
	if out == "" {
		return errors.New("-watch wants a folder of its own: -out FOLDER")
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	m := &builder{readable: true, kept: map[string]*made{}}
	var last string
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for {
		now, err := state(filepath.Join(web, "src"))
		if err != nil {
			return err
		}
		if now != last {
			last = now
			began := time.Now()
			if err := m.run(web, out, false); err != nil {
				fmt.Fprintln(os.Stderr, "build:", err)
			} else {
				fmt.Printf("built in %d ms\n", time.Since(began).Milliseconds())
			}
		}
		select {
		case <-interrupted:
			return nil
		case <-tick.C:
		}
	}
}

// state is another text after any change below a folder.
func state(dir string) (string, error) {
	var out bytes.Buffer
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&out, p, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	return out.String(), err
}

// replace writes files into a folder that is being served: the manifest, which names the
// others, comes last.
func replace(out string, files map[string][]byte) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	put := func(name string) error {
		at := filepath.Join(out, name)
		if err := os.WriteFile(at+".new", files[name], 0o644); err != nil {
			return err
		}
		return os.Rename(at+".new", at)
	}
	for name := range files {
		if name == "manifest.json" {
			continue
		}
		if err := put(name); err != nil {
			return err
		}
	}
	return put("manifest.json")
}
