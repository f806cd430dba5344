package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// libraries notes the packages that a bundle holds something of.
func libraries(meta *metafile, found map[string]bool) {
	for _, o := range meta.Outputs {
		for input := range o.Inputs {
			_, rest, ok := strings.Cut(input, "node_modules/")
			if !ok {
				continue
			}
			parts := strings.Split(rest, "/")
			name := parts[0]
			if strings.HasPrefix(name, "@") {
				name += "/" + parts[1]
			}
			found[name] = true
		}
	}
}

// allowed are the licences that the page may be built from.
var allowed = []string{"MIT", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "(MPL-2.0 OR Apache-2.0)", "OFL-1.1"}

// untold are the licences of packages that name none, as their licence files say.
var untold = map[string]string{"khroma": "MIT"}

// notices is the list of the libraries in the bundle with their licences.
func notices(web string, found map[string]bool) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("Libraries that are part of the page of the playground, with their licences.\n")
	var list []string
	for name := range found {
		list = append(list, name)
	}
	slices.Sort(list)
	for _, name := range list {
		dir := filepath.Join(web, "node_modules", filepath.FromSlash(name))
		raw, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err != nil {
			return nil, err
		}
		var p struct{ Version, License string }
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if p.License == "" {
			p.License = untold[name]
		}
		if !slices.Contains(allowed, p.License) {
			return nil, fmt.Errorf("%s has the licence %q, which is not among %s", name, p.License, strings.Join(allowed, ", "))
		}
		text, err := licence(dir)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "\n%s\n%s %s (%s)\n\n%s\n", strings.Repeat("-", 72), name, p.Version, p.License, strings.TrimSpace(text))
	}
	return out.Bytes(), nil
}

func licence(dir string) (string, error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range list {
		if strings.HasPrefix(strings.ToUpper(e.Name()), "LICEN") {
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			return strings.ReplaceAll(string(b), "\r\n", "\n"), err
		}
	}
	// Some only have it in their description.
	if b, err := os.ReadFile(filepath.Join(dir, "README.md")); err == nil {
		if _, text, ok := strings.Cut(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n## License\n"); ok {
			return text, nil
		}
	}
	return "", fmt.Errorf("%s has no licence file", dir)
}
