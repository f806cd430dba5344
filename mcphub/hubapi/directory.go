package hubapi

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/directory"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/mcphub/risk"
	"github.com/localpass/localpass/toolspec/secret"
)

// directoryItem is a server that is known by name.
type directoryItem struct {
	directory.Entry
	Risk risk.ServerAssessment `json:"risk" doc:"Its risk before it is connected to."`
}

type directoryList struct {
	Items      []directoryItem      `json:"items"`
	Total      int                  `json:"total" doc:"How many servers there are without a restriction."`
	Categories []directory.Category `json:"categories" doc:"In their order, also those without servers."`
}

type tagList struct {
	Items []string `json:"items"`
}

type instantiateBody struct {
	ID     string            `json:"id,omitempty" doc:"The id of the server to be made. Left out: that of the entry."`
	Values map[string]string `json:"values,omitempty" doc:"Values by the name of their variable. A secret is given as a placeholder, ${NAME}."`
}

type instantiateItem struct {
	Server  serverDraft           `json:"server" doc:"What to send to saveServer. Where values are missing it has placeholders."`
	Missing []directory.Variable  `json:"missing" doc:"Required variables without a value."`
	Secrets []string              `json:"secrets" doc:"The placeholders that need a value when the server is connected to."`
	Risk    risk.ServerAssessment `json:"risk"`
}

// serverDraft is a server that is not saved.
type serverDraft struct {
	ID          string               `json:"id"`
	Name        string               `json:"name"`
	Description string               `json:"description,omitempty"`
	Category    string               `json:"category"`
	Tags        []string             `json:"tags,omitempty"`
	Kind        client.TransportKind `json:"transport"`
	Connection  json.RawMessage      `json:"connection"`
}

func (a *API) directoryRoutes() []httpapi.Route {
	const path = "/api/mcp/directory"
	theEntry := []httpapi.Param{inPath("id", "The entry.")}
	return []httpapi.Route{
		{
			Method: http.MethodGet, Path: path, ID: "listDirectory", Summary: "Lists servers that are known by name, with a text the best match first.",
			Params: []httpapi.Param{inQuery("q", "Words that are looked for in names, vendors, tags, categories, tools and descriptions."),
				inQuery("category", "Only servers of this category. May be repeated."), inQuery("tag", "Only servers with this tag. May be repeated.")},
			Answers: apiAnswers[directoryList](http.StatusOK, "The servers."), Handle: a.listDirectory,
		},
		{
			Method: http.MethodGet, Path: path + "/tags", ID: "suggestTags", Summary: "Proposes tags for a server that is described in words.",
			Params:  []httpapi.Param{inQuery("q", "Words. Left out: all tags, the most frequent first."), inQuery("have", "A tag that it has already. May be repeated.")},
			Answers: apiAnswers[tagList](http.StatusOK, "The tags, the best first."), Handle: a.suggestTags,
		},
		{
			Method: http.MethodGet, Path: path + "/{id}", ID: "getDirectoryEntry", Summary: "One server that is known by name.", Params: theEntry,
			Answers: apiAnswers[directoryItem](http.StatusOK, "The server."), Errors: []httpapi.Kind{httpapi.NotFound}, Handle: a.getDirectoryEntry,
		},
		{
			Method: http.MethodPost, Path: path + "/{id}/instantiate", ID: "instantiateDirectoryEntry", Summary: "Shows the server that an entry and values make, and its risk.",
			Description: "Nothing is saved, connected to or started.", Params: theEntry, Body: httpapi.Of[instantiateBody](),
			Answers: apiAnswers[instantiateItem](http.StatusOK, "The server."), Errors: []httpapi.Kind{httpapi.NotFound, httpapi.ValidationFailed}, Handle: a.instantiateEntry,
		},
	}
}

func directoryItemOf(e *directory.Entry) directoryItem {
	r, _ := e.Instantiate(nil) // a missing value does not change the risk
	return directoryItem{Entry: *e, Risk: risk.AssessServer(e.Facts(r))}
}

func (a *API) listDirectory(w http.ResponseWriter, r *http.Request) error {
	q, d := r.URL.Query(), a.opts.Directory
	list := directoryList{Items: []directoryItem{}, Categories: d.Categories()}
	for _, e := range d.Search(directory.Query{Text: q.Get("q"), Categories: q["category"], Tags: q["tag"]}) {
		list.Items = append(list.Items, directoryItemOf(e))
	}
	for _, c := range list.Categories {
		list.Total += c.Servers
	}
	return httpapi.Reply(w, http.StatusOK, list)
}

func (a *API) suggestTags(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	return httpapi.Reply(w, http.StatusOK, tagList{append([]string{}, a.opts.Directory.SuggestTags(q.Get("q"), q["have"]...)...)})
}

func (a *API) getDirectoryEntry(w http.ResponseWriter, r *http.Request) error {
	e, err := a.opts.Directory.Get(r.PathValue("id"))
	if err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusOK, directoryItemOf(e))
}

func (a *API) instantiateEntry(w http.ResponseWriter, r *http.Request) error {
	e, err := a.opts.Directory.Get(r.PathValue("id"))
	if err != nil {
		return err
	}
	var in instantiateBody
	if err := httpapi.Decode(r, &in); err != nil {
		return err
	}
	rec, err := e.Instantiate(&directory.Values{ID: in.ID, Set: in.Values})
	item := instantiateItem{Missing: []directory.Variable{}, Secrets: []string{}}
	if missing := (*directory.MissingError)(nil); errors.As(err, &missing) {
		item.Missing = missing.Variables
	} else if err != nil {
		return httpapi.ValidationFailed.New("%s", rpc.Plain(err))
	}
	item.Server = serverDraft{ID: rec.ID, Name: rec.Name, Description: rec.Description, Category: rec.Category, Tags: rec.Tags, Kind: rec.Kind, Connection: rec.Connection}
	for _, name := range secret.Names(string(rec.Connection)) {
		if v := e.Variable(name); v == nil || v.Kind == directory.Secret {
			item.Secrets = append(item.Secrets, name)
		}
	}
	item.Risk = risk.AssessServer(e.Facts(rec))
	return httpapi.Reply(w, http.StatusOK, item)
}
