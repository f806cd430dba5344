package chatapi

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/internal/httpapi"
)

// apiExportMedia are the media types of exports.
var apiExportMedia = map[conversation.ExportFormat]string{conversation.ExportMarkdown: "text/markdown; charset=utf-8", conversation.ExportText: "text/plain; charset=utf-8",
	conversation.ExportJSON: "application/json", conversation.ExportHTML: "text/html; charset=utf-8"}

// exportConversation sends a file. A browser must store it and not show it: its content
// must not become a page of this server.
func (a *API) exportConversation(w http.ResponseWriter, r *http.Request) error {
	conv, _, err := a.conversation(r)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	format := conversation.ExportFormat(cmp.Or(q.Get("format"), string(conversation.ExportMarkdown)))
	media, ok := apiExportMedia[format]
	if !ok {
		return httpapi.InvalidArgument.New("format is md, txt, json or html")
	}
	opts := &conversation.ExportOptions{Tools: true, Message: q.Get("message")}
	for name, into := range map[string]*bool{"thinking": &opts.Thinking, "tools": &opts.Tools, "arguments": &opts.Arguments, "timings": &opts.Timings} {
		switch q.Get(name) {
		case "":
		case "0":
			*into = false
		case "1":
			*into = true
		default:
			return httpapi.InvalidArgument.New("%s is 0 or 1", name)
		}
	}
	opts.Redactor = a.opts.Redactor.Current()
	var out bytes.Buffer // buffered, so that a failure is answered with an error and not with a partial file
	if err := conversation.Export(r.Context(), a.store, conv.ID, format, &out, opts); err != nil {
		return err
	}
	name := conv.ID
	if opts.Message != "" {
		name = opts.Message
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name+"."+string(format)))
	_, err = w.Write(out.Bytes())
	return err
}
