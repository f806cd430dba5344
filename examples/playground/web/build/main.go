// Command build bundles the page of the playground: TypeScript and style sheets
// from src, libraries from node_modules, into dist. It is a module of its own, so
// that who uses the library never fetches a bundler.
//
//	npm ci --ignore-scripts && go -C build run .
//
// The same sources give the same bytes.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	web := flag.String("web", "..", "the `folder` with src and node_modules")
	out := flag.String("out", "", "write to `folder` (default: dist in the folder)")
	check := flag.Bool("check", false, "build, and only compare with what is there")
	flag.Parse()
	if err := run(*web, *out, *check); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

type file struct {
	Bytes int    `json:"bytes"`
	Gzip  int    `json:"gzip"`
	Entry string `json:"entry"`
}

type manifest struct {
	Hash  string          `json:"hash"`
	Files map[string]file `json:"files"`
}

// metafile is as much of esbuild's as is used.
type metafile struct {
	Outputs map[string]struct {
		Inputs map[string]struct{} `json:"inputs"`
	} `json:"outputs"`
}

// coreName is the file with everything that pages share.
const coreName = "core.js"

// bundle makes one file of one source. What apart names stays outside. The script
// of a frame is no module: a frame has no origin, and modules are only given to
// one that is allowed to read them.
func bundle(web, entry string, apart func(path, importer string) string) ([]byte, *metafile, error) {
	format := api.FormatESModule
	if strings.HasPrefix(entry, "src/frames/") {
		format = api.FormatIIFE
	}
	plugin := api.Plugin{Name: "apart", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			if a.Kind == api.ResolveEntryPoint {
				return api.OnResolveResult{}, nil
			}
			if to := apart(a.Path, a.Importer); to != "" {
				return api.OnResolveResult{Path: to, External: true}, nil
			}
			return api.OnResolveResult{}, nil
		})
	}}
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{entry}, AbsWorkingDir: web, Outdir: "dist", Bundle: true, Format: format,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, Target: api.ES2022, Charset: api.CharsetASCII, LegalComments: api.LegalCommentsNone,
		JSX: api.JSXAutomatic, JSXImportSource: "preact", Define: map[string]string{"process.env.NODE_ENV": `"production"`},
		Plugins: []api.Plugin{plugin}, Metafile: true, LogLevel: api.LogLevelWarning,
	})
	if len(result.Errors) > 0 {
		return nil, nil, fmt.Errorf("%s: %d errors", entry, len(result.Errors))
	}
	var meta metafile
	if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil {
		return nil, nil, err
	}
	return result.OutputFiles[0].Contents, &meta, nil
}

// inCore reports whether a page takes a module from the file that all share.
func inCore(path string) bool {
	if path == "preact" || strings.HasPrefix(path, "preact/") || path == "@preact/signals" || path == "../router" {
		return true
	}
	for _, dir := range []string{"../ui/", "../api/", "../shell/"} {
		if strings.HasPrefix(path, dir) {
			return true
		}
	}
	return false
}

// panelsOf are the parts of pages that a page asks for by name when somebody opens
// them: files of their own.
func panelsOf(dir string) ([]string, error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range list {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		for _, found := range regexp.MustCompile(`import\("\./([a-z]+)"\)`).FindAllStringSubmatch(string(b), -1) {
			out = append(out, found[1])
		}
	}
	return out, nil
}

// entry is one file of dist: the source that it is made of, and what stays outside,
// see [bundle].
type entry struct {
	name, source string
	apart        func(path, importer string) string
}

// alone keeps nothing outside.
func alone(string, string) string { return "" }

// entries lists everything that is bundled, in its order.
func entries(web string) ([]entry, error) {
	list := []entry{
		{coreName, "src/core.ts", func(path, _ string) string {
			if page, ok := strings.CutPrefix(path, "../pages/"); ok {
				return "./" + page + ".js"
			}
			if path == "./codemirror" {
				return "./codemirror.js"
			}
			return ""
		}},
		{"codemirror.js", "src/ui/codemirror.ts", alone},
		{"theme.js", "src/theme.ts", alone},
		{"main.css", "src/styles/main.css", alone},
	}
	pages, err := pageEntries(web)
	if err != nil {
		return nil, err
	}
	list = append(list, pages...)
	// What only some people need is fetched when they do.
	for _, dir := range []string{"chunks", "frames"} {
		found, err := os.ReadDir(filepath.Join(web, "src", dir))
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			list = append(list, entry{strings.TrimSuffix(f.Name(), ".ts") + ".js", "src/" + dir + "/" + f.Name(), alone})
		}
	}
	return list, nil
}

// pageEntries lists the pages and their panels. A page is what the shell asks for by
// name; what a page asks for in the same way comes when it is wanted.
func pageEntries(web string) ([]entry, error) {
	sources, err := filepath.Glob(filepath.Join(web, "src", "pages", "*.tsx"))
	if err != nil {
		return nil, err
	}
	var pages []string
	for _, source := range append(sources, filepath.Join(web, "src", "shell", "app.tsx")) {
		text, err := os.ReadFile(source)
		if err != nil {
			return nil, err
		}
		for _, found := range regexp.MustCompile(`import\("\.\./pages/([a-z]+)"\)`).FindAllStringSubmatch(string(text), -1) {
			pages = append(pages, found[1])
		}
	}
	panels, err := panelsOf(filepath.Join(web, "src", "pages"))
	if err != nil {
		return nil, err
	}
	pages = append(pages, panels...)
	slices.Sort(pages)
	apart := func(path, importer string) string {
		if inCore(path) && !strings.Contains(importer, "node_modules") {
			return "./" + coreName
		}
		if page, ok := strings.CutPrefix(path, "../pages/"); ok {
			return "./" + page + ".js"
		}
		if chunk, ok := strings.CutPrefix(path, "../chunks/"); ok {
			return "./" + chunk + ".js"
		}
		if panel, ok := strings.CutPrefix(path, "./"); ok && slices.Contains(panels, panel) {
			return path + ".js"
		}
		return ""
	}
	var list []entry
	for _, page := range slices.Compact(pages) {
		list = append(list, entry{page + ".js", "src/pages/" + page + ".tsx", apart})
	}
	return list, nil
}

func run(web, out string, check bool) error {
	web, err := filepath.Abs(web)
	if err != nil {
		return err
	}
	if out == "" {
		out = filepath.Join(web, "dist")
	}
	files := map[string][]byte{}
	m := manifest{Files: map[string]file{}}
	used := map[string]bool{} // libraries
	add := func(name, source string, b []byte) error {
		packed, err := pack(b)
		if err != nil {
			return err
		}
		files[name], files[name+".gz"] = b, packed
		m.Files[name] = file{Bytes: len(b), Gzip: len(packed), Entry: source}
		return nil
	}
	list, err := entries(web)
	if err != nil {
		return err
	}
	for _, e := range list {
		b, meta, err := bundle(web, e.source, e.apart)
		if err != nil {
			return err
		}
		libraries(meta, used)
		if err := add(e.name, e.source, b); err != nil {
			return err
		}
	}
	icon, err := os.ReadFile(filepath.Join(web, "src", "icon.svg"))
	if err != nil {
		return err
	}
	if err := add("icon.svg", "src/icon.svg", icon); err != nil {
		return err
	}
	shell, err := os.ReadFile(filepath.Join(web, "src", "index.html"))
	if err != nil {
		return err
	}
	all := sha256.New()
	for _, name := range slices.Sorted(keys(m.Files)) {
		fmt.Fprintf(all, "%s %d\n", name, len(files[name]))
		all.Write(files[name])
	}
	all.Write(shell)
	m.Hash = hex.EncodeToString(all.Sum(nil))[:16]
	files["index.html"] = []byte(strings.ReplaceAll(string(shell), "%HASH%", m.Hash))
	if files["NOTICES.txt"], err = notices(web, used); err != nil {
		return err
	}
	if files["sources.sum"], err = sources(web); err != nil {
		return err
	}
	if files["manifest.json"], err = json.MarshalIndent(m, "", "  "); err != nil {
		return err
	}
	files["manifest.json"] = append(files["manifest.json"], '\n')
	if check {
		return compare(out, files)
	}
	return write(out, files)
}

func keys(m map[string]file) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// pack compresses without a time, so that the same input gives the same output.
func pack(b []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// sources is the digest of everything that the bundle is made of and that lies in
// the repository: a test without Node finds out whether somebody forgot to build.
func sources(web string) ([]byte, error) {
	var names []string
	err := filepath.WalkDir(filepath.Join(web, "src"), func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, relErr := filepath.Rel(web, p)
			names, err = append(names, filepath.ToSlash(rel)), relErr
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	build, err := filepath.Glob(filepath.Join(web, "build", "*.go"))
	if err != nil {
		return nil, err
	}
	for _, p := range build {
		names = append(names, "build/"+filepath.Base(p))
	}
	names = append(names, "package.json", "package-lock.json", "build/go.sum")
	slices.Sort(names)
	var out bytes.Buffer
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(web, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%s  %s\n", digest(b), name)
	}
	return out.Bytes(), nil
}

// write replaces what is in a folder.
func write(out string, files map[string][]byte) error {
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(out, name), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}
