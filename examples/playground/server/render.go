package server

import (
	"fmt"
	"html"
	"net/http"
	"strings"
)

// renderPath is the path of the documents that the page shows in frames with an opaque
// origin.
const renderPath = "/render/"

// framePolicy is the content security policy of such a document: it runs only its own
// script, fetches nothing, and only the page may embed it. It has an opaque origin even
// when it is opened directly. The style elements of a drawing are allowed.
const framePolicy = "sandbox allow-scripts; default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'none'; img-src 'none'; " +
	"frame-src 'none'; form-action 'none'; base-uri 'none'; object-src 'none'; frame-ancestors 'self'"

const diagramFrame = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Diagram</title>
<style>
html { color-scheme: light; background: #ffffff; }
html.dark { color-scheme: dark; background: #0f1319; }
body { margin: 0; padding: 8px; display: flow-root; }
svg { display: block; margin: auto; max-width: 100%%; height: auto; }
</style>
<script src="/render/%s/diagram.js" defer></script>
<body></body>
</html>
`

// render serves the content of frames: the document that draws diagrams and its script,
// the only script that the document may load.
func (p *page) render() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.headers(w.Header())
		h := w.Header()
		h.Set("Content-Security-Policy", framePolicy)
		rest := strings.TrimPrefix(r.URL.Path, renderPath)
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			writeText(w, http.StatusMethodNotAllowed, "use GET")
		case rest == "diagram":
			h.Set("Content-Type", "text/html; charset=utf-8")
			h.Set("Cache-Control", "no-cache")
			w.WriteHeader(http.StatusOK)
			if r.Method == http.MethodGet {
				fmt.Fprintf(w, diagramFrame, html.EscapeString(p.assets.Hash()))
			}
		case strings.HasSuffix(rest, "/diagram.js"):
			h.Set("Cross-Origin-Resource-Policy", "cross-origin") // the frame has an opaque origin, and the script contains no secret
			http.StripPrefix(renderPath, p.assets).ServeHTTP(w, r)
		default:
			writeText(w, http.StatusNotFound, "nothing is served at this path")
		}
	})
}
