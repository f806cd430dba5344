package attachapi

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/attachment"
)

// Options are the options of [New]. The zero value serves clients on this machine only.
type Options struct {
	// AllowedHosts are the host names by which clients may address the server, besides
	// loopback names. A request with any other name is refused.
	AllowedHosts []string
	// AllowedOrigins are the origins, besides the server's own, from which browsers may
	// send requests.
	AllowedOrigins []string
	// Authenticate accepts a request by returning nil, or refuses it with an error, which
	// is logged and not sent to the client. If the field is nil, only connections that
	// arrive on a loopback address are served, and no requests that a proxy forwarded.
	Authenticate func(*http.Request) error
	// MaxBytes is the maximum size of a file. Default 20 MiB.
	MaxBytes int64
	// Logger receives failures. nil is slog.Default().
	Logger *slog.Logger
}

// Source returns the attachments for a request about a conversation. An error that matches
// [localpass.ErrNotFound] says that the sender has no such conversation, one that matches
// [ErrUnavailable] that its documents cannot be opened at the moment.
type Source func(r *http.Request, conversation string) (*attachment.Attachments, error)

// ErrUnavailable is the error of a [Source] whose documents cannot be opened.
var ErrUnavailable = errors.New("the documents cannot be opened")

// API serves the documents of conversations. It is an http.Handler, safe for concurrent use.
type API struct {
	*httpapi.Service
	source Source
	opts   Options
}

// New returns the API.
func New(source Source, opts *Options) (*API, error) {
	if source == nil {
		return nil, fmt.Errorf("attachapi: it needs a source: %w", rag.ErrInvalid)
	}
	a := &API{source: source}
	if opts != nil {
		a.opts = *opts
	}
	a.opts.Logger = cmp.Or(a.opts.Logger, slog.Default())
	a.opts.MaxBytes = cmp.Or(a.opts.MaxBytes, 20<<20)
	var err error
	a.Service, err = httpapi.New(&httpapi.Options{Title: "localpass attachments", Description: "The documents of conversations.",
		AllowedHosts: a.opts.AllowedHosts, AllowedOrigins: a.opts.AllowedOrigins, Authenticate: a.opts.Authenticate, Logger: a.opts.Logger}, a.routes())
	if err != nil {
		return nil, fmt.Errorf("attachapi: %w", err)
	}
	return a, nil
}

var unavailable = httpapi.Kind{Code: "documents_unavailable", Status: http.StatusServiceUnavailable, Title: "The documents cannot be opened"}

// list is the answer with all attachments of a conversation.
type list struct {
	Attachments []attachment.Attachment `json:"attachments"`
}

func (a *API) routes() httpapi.Table {
	of := []httpapi.Param{{In: httpapi.InPath, Name: "id", Description: "The id of the conversation."}}
	one := append(of[:1:1], httpapi.Param{In: httpapi.InPath, Name: "attachment", Description: "The id of the attachment."})
	answer := func(status int, what string) []httpapi.Answer {
		return []httpapi.Answer{{Status: status, Description: what, Content: httpapi.Of[attachment.Attachment]()}}
	}
	raw := httpapi.Content{Type: httpapi.Of[[]byte]().Type, Media: "application/octet-stream"}
	wrong := []httpapi.Kind{httpapi.NotFound, httpapi.ValidationFailed, unavailable}
	const base = "/api/conversations/{id}/attachments"
	return httpapi.Table{
		Tag: "attachments", Description: "Documents that each question of a conversation gets.",
		Routes: []httpapi.Route{
			{Method: http.MethodGet, Path: base, ID: "listAttachments", Summary: "The documents of a conversation, the oldest first.", Params: of,
				Answers: []httpapi.Answer{{Status: http.StatusOK, Description: "The documents.", Content: httpapi.Of[list]()}}, Errors: wrong, Handle: a.list},
			{Method: http.MethodPost, Path: base, ID: "addAttachment", Summary: "Attach a file. It is prepared afterwards: list the documents until it is ready or failed.",
				Params: append(of[:1:1], httpapi.Param{In: httpapi.InQuery, Name: "name", Description: "The name of the file.", Required: true}), Body: raw, MaxBody: a.opts.MaxBytes,
				Answers: answer(http.StatusAccepted, "The document, or the one with this content that is there already."), Errors: wrong, Handle: a.add},
			{Method: http.MethodDelete, Path: base + "/{attachment}", ID: "removeAttachment", Summary: "Remove a document; a promoted one stays among the documents that every search finds.", Params: one, Errors: wrong, Handle: a.remove},
			{Method: http.MethodPost, Path: base + "/{attachment}/promote", ID: "promoteAttachment", Summary: "Make it a document that every search finds, and that stays if the conversation is deleted. It cannot be taken back.",
				Params: one, Answers: answer(http.StatusOK, "The document."), Errors: wrong, Handle: a.promote},
			{Method: http.MethodPost, Path: base + "/{attachment}/retry", ID: "retryAttachment", Summary: "Prepare a document again that failed.",
				Params: one, Answers: answer(http.StatusOK, "The document."), Errors: wrong, Handle: a.retry},
		},
	}
}

// open returns the attachments for a request, and the id of its conversation.
func (a *API) open(r *http.Request) (*attachment.Attachments, string, error) {
	id := r.PathValue("id")
	docs, err := a.source(r, id)
	switch {
	case errors.Is(err, localpass.ErrNotFound):
		return nil, "", httpapi.NotFound.New("there is no such conversation")
	case errors.Is(err, ErrUnavailable):
		return nil, "", unavailable.New("%v", err)
	}
	return docs, id, err
}

// problem turns an error of the attachments into what a client gets.
func problem(err error) error {
	switch {
	case errors.Is(err, localpass.ErrNotFound):
		return httpapi.NotFound.New("there is no such document")
	case errors.Is(err, localpass.ErrClosed):
		return unavailable.New("the documents are being closed")
	}
	for _, kind := range []error{rag.ErrInvalid, rag.ErrNoText, rag.ErrBudget} {
		if errors.Is(err, kind) {
			return httpapi.ValidationFailed.New("%v", err)
		}
	}
	return err
}

// reply sends an attachment that a function returned.
func reply(w http.ResponseWriter, status int, got attachment.Attachment, err error) error {
	if err != nil {
		return problem(err)
	}
	return httpapi.Reply(w, status, got)
}

func (a *API) list(w http.ResponseWriter, r *http.Request) error {
	docs, id, err := a.open(r)
	if err != nil {
		return err
	}
	all, err := docs.List(r.Context(), id)
	if err != nil {
		return problem(err)
	}
	return httpapi.Reply(w, http.StatusOK, list{all})
}

func (a *API) add(w http.ResponseWriter, r *http.Request) error {
	docs, id, err := a.open(r)
	if err != nil {
		return err
	}
	data, err := httpapi.Body(r)
	if err != nil {
		return err
	}
	got, err := docs.Add(r.Context(), id, r.URL.Query().Get("name"), data)
	return reply(w, http.StatusAccepted, got, err)
}

func (a *API) remove(w http.ResponseWriter, r *http.Request) error {
	docs, id, err := a.open(r)
	if err != nil {
		return err
	}
	if err := docs.Remove(r.Context(), id, r.PathValue("attachment")); err != nil {
		return problem(err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *API) promote(w http.ResponseWriter, r *http.Request) error {
	docs, id, err := a.open(r)
	if err != nil {
		return err
	}
	got, err := docs.Promote(r.Context(), id, r.PathValue("attachment"))
	return reply(w, http.StatusOK, got, err)
}

func (a *API) retry(w http.ResponseWriter, r *http.Request) error {
	docs, id, err := a.open(r)
	if err != nil {
		return err
	}
	got, err := docs.Retry(r.Context(), id, r.PathValue("attachment"))
	return reply(w, http.StatusOK, got, err)
}
