// Package web contains the built page of the playground, each file with its compressed
// form, so nothing has to be built to serve it. The addresses of the files contain a hash
// of all of them. core.js is the shell and the code that pages share; each page is one
// additional file.
package web

import (
	"embed"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
)

//go:embed all:dist
var dist embed.FS

// Manifest describes the build.
type Manifest struct {
	// Hash changes when any file changes.
	Hash string `json:"hash"`
	// Files are the files of the page by name.
	Files map[string]File `json:"files"`
}

// File is one file of the page.
type File struct {
	Bytes int `json:"bytes"`
	Gzip  int `json:"gzip"`
	// Entry is the entry point of the file, such as "src/core.ts".
	Entry string `json:"entry"`
}

// Assets serves the page. It is safe for concurrent use.
type Assets struct {
	files fs.FS
	page  page // what is embedded; not used where fresh is set
	fresh bool // read the manifest and the HTML for each request
}

// page is what the other files are found by.
type page struct {
	manifest Manifest
	shell    string
}

// endpointMark is the placeholder in the page for the URL of the MCP endpoint, for users
// without JavaScript.
const endpointMark = "%ENDPOINT%"

// Load reads the page that was built into the program.
func Load() (*Assets, error) {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	a := &Assets{files: files}
	a.page, err = read(files)
	return a, err
}

// Open serves the page from a folder that the build program writes to with -watch, for
// work on the page: each request sees the newest build. The folder must hold one already.
func Open(dir string) (*Assets, error) {
	a := &Assets{files: os.DirFS(dir), fresh: true}
	_, err := read(a.files)
	return a, err
}

func read(files fs.FS) (page, error) {
	var p page
	raw, err := fs.ReadFile(files, "manifest.json")
	if err == nil {
		err = json.Unmarshal(raw, &p.manifest)
	}
	if err != nil {
		return p, fmt.Errorf("web: the manifest of the page: %w", err)
	}
	shell, err := fs.ReadFile(files, "index.html")
	if err != nil {
		return p, fmt.Errorf("web: %w", err)
	}
	p.shell = string(shell)
	return p, nil
}

// current returns the page as it is now. Between two builds that is an empty one, whose
// files nobody finds.
func (a *Assets) current() *page {
	if !a.fresh {
		return &a.page
	}
	p, err := read(a.files)
	if err != nil {
		p = page{}
	}
	return &p
}

// Hash returns the hash of the page, which changes when any file changes.
func (a *Assets) Hash() string { return a.current().manifest.Hash }

// Manifest returns the description of the build. The caller must not change it.
func (a *Assets) Manifest() *Manifest { return &a.current().manifest }

// Shell serves the HTML of the page.
func (a *Assets) Shell(w http.ResponseWriter, r *http.Request, endpoint string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	body := strings.ReplaceAll(a.current().shell, endpointMark, html.EscapeString(endpoint))
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte(body))
	}
}

// noticesName is the list of the libraries in the page with their licences.
const noticesName = "NOTICES.txt"

var mediaTypes = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8"}

// ServeHTTP serves one file by the hash of the page and its name, so clients may cache it
// for ever.
func (a *Assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	hash, name, _ := strings.Cut(r.URL.Path, "/")
	media, known := mediaTypes[path.Ext(name)]
	if hash == noticesName && r.Method == http.MethodGet { // the only file that is served without a hash
		body, err := fs.ReadFile(a.files, noticesName)
		if err != nil {
			http.Error(w, "no such file", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", mediaTypes[".txt"])
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write(body)
		return
	}
	m := a.Manifest()
	if _, built := m.Files[name]; !built || !known || hash != m.Hash || r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "no such file", http.StatusNotFound)
		return
	}
	h := w.Header()
	tag := `"` + hash + "/" + name + `"`
	h.Set("Content-Type", media)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("ETag", tag)
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		name += ".gz"
	}
	body, err := fs.ReadFile(a.files, name)
	if err != nil {
		h.Del("Content-Encoding")
		http.Error(w, "no such file", http.StatusNotFound)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}
