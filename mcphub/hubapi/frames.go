package hubapi

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strconv"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/mcphub/inspector"
)

const (
	framesPath = serverPath + "/frames"
	framePath  = framesPath + "/{n}"
	framePage  = 200 // messages on a page: the maximum and the default
)

type (
	// frameList is a page of messages, in order.
	frameList struct {
		Items []inspector.Frame `json:"items"`
	}
	// pinBody pins or unpins a message.
	pinBody struct {
		Pinned bool `json:"pinned"`
	}
)

// frameRoutes returns routes only if the inspector keeps messages.
func (a *API) frameRoutes() []httpapi.Route {
	notFound := []httpapi.Kind{httpapi.NotFound, httpapi.ShuttingDown}
	one := func() []httpapi.Param { return append(theServer(), inPath("n", "The number of the message.")) }
	return []httpapi.Route{
		{
			Method: http.MethodGet, Path: framesPath, ID: "listFrames", Summary: "Lists the messages that passed between this program and a server, in order.",
			Params: append(theServer(), httpapi.Param{In: httpapi.InQuery, Name: "after", Type: "integer", Description: "Only those behind this number; left out, the last ones."},
				httpapi.Param{In: httpapi.InQuery, Name: "limit", Type: "integer", Description: "1 to 200. Default 200."}),
			Answers: apiAnswers[frameList](http.StatusOK, "The messages, with secrets masked."), Errors: apiKinds(notFound, httpapi.InvalidArgument), Handle: a.listFrames,
		},
		{
			Method: http.MethodGet, Path: framesPath + "/stream", ID: "followFrames", Summary: "Follows the messages.",
			Params:  append(theServer(), httpapi.StreamParams()...),
			Answers: []httpapi.Answer{{Status: http.StatusOK, Description: "The events, each with the name frame.", Content: httpapi.EventStream[inspector.Frame]()}},
			Errors:  apiKinds(notFound, httpapi.StreamLimit), Handle: a.followFrames,
		},
		{
			Method: http.MethodGet, Path: framesPath + "/export", ID: "exportFrames", Summary: "Gives all messages that are kept as a file.",
			Params:  append(theServer(), httpapi.Param{In: httpapi.InQuery, Name: "format", Enum: []string{"jsonl", "har"}, Description: "One message a line, or HAR 1.2 with a request and its response as one entry. Default: jsonl."}),
			Answers: []httpapi.Answer{{Status: http.StatusOK, Description: "The file.", Content: httpapi.Of[json.RawMessage]()}}, Errors: apiKinds(notFound, httpapi.InvalidArgument), Handle: a.exportFrames,
		},
		{
			Method: http.MethodPut, Path: framePath + "/pin", ID: "pinFrame", Summary: "Keeps a message while others go, or lets it go again.", Params: one(), Body: httpapi.Of[pinBody](),
			Answers: apiAnswers[inspector.Frame](http.StatusOK, "The message."), Errors: apiKinds(notFound, httpapi.InvalidArgument, httpapi.ValidationFailed), Handle: a.pinFrame,
		},
		{
			Method: http.MethodPost, Path: framePath + "/replay", ID: "replayFrame", Summary: "Sends a request of this side once more. A call of a tool goes past the gate.", Params: one(),
			Answers: apiAnswers[inspectionItem](http.StatusOK, "The record, also of an operation that did not succeed."),
			Errors:  apiKinds(notFound, httpapi.InvalidArgument, httpapi.ValidationFailed, httpapi.Unauthenticated, noGate), Handle: a.replayFrame,
		},
	}
}

func parseNumber(text, name string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, httpapi.InvalidArgument.New("%s is a number", name)
	}
	return n, nil
}

func (a *API) listFrames(w http.ResponseWriter, r *http.Request) (err error) {
	q := r.URL.Query()
	var after, limit uint64 = 0, framePage
	if text := q.Get("after"); text != "" {
		if after, err = parseNumber(text, "after"); err != nil {
			return err
		}
	}
	if text := q.Get("limit"); text != "" {
		if limit, err = parseNumber(text, "limit"); err != nil || limit == 0 || limit > framePage {
			return httpapi.InvalidArgument.New("limit is 1 to %d", framePage)
		}
	}
	list, err := a.opts.Inspector.Frames(r.PathValue("id"), after, int(limit))
	if err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusOK, frameList{Items: list})
}

func (a *API) followFrames(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if _, err := a.conns.Get(id); err != nil {
		return err
	}
	return a.stream(w, r, func(ctx context.Context, after uint64) iter.Seq2[httpapi.StreamEvent, error] {
		return func(yield func(httpapi.StreamEvent, error) bool) {
			for f, err := range a.opts.Inspector.FollowFrames(ctx, id, after) {
				if !yield(httpapi.StreamEvent{Seq: f.Seq, Kind: "frame", Data: f}, err) || err != nil {
					return
				}
			}
		}
	})
}

func (a *API) pinFrame(w http.ResponseWriter, r *http.Request) error {
	var in pinBody
	if err := httpapi.Decode(r, &in); err != nil {
		return err
	}
	n, err := parseNumber(r.PathValue("n"), "n")
	if err != nil {
		return err
	}
	f, err := a.opts.Inspector.PinFrame(r.PathValue("id"), n, in.Pinned)
	if err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusOK, f)
}

func (a *API) replayFrame(w http.ResponseWriter, r *http.Request) error {
	n, err := parseNumber(r.PathValue("n"), "n")
	if err != nil {
		return err
	}
	id := r.PathValue("id")
	f, err := a.opts.Inspector.Frame(id, n)
	if err != nil {
		return err
	}
	method := ""
	if f.Sent {
		method = f.Method
	}
	caller, err := a.callerOf(r, method)
	if err != nil {
		return err
	}
	rec, err := a.opts.Inspector.ReplayFrame(r.Context(), id, n, caller)
	if err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusOK, inspectionItemOf(*rec))
}

func (a *API) exportFrames(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	list, err := a.opts.Inspector.Frames(id, 0, 0)
	if err != nil {
		return err
	}
	var body []byte
	name, media := id+"-traffic.jsonl", "application/x-ndjson"
	switch format := r.URL.Query().Get("format"); format {
	case "", "jsonl":
		for _, f := range list {
			line, err := json.Marshal(f)
			if err != nil {
				return err
			}
			body = append(append(body, line...), '\n')
		}
	case "har":
		name, media = id+"-traffic.har", "application/json"
		address := ""
		if s, err := a.conns.Status(id); err == nil {
			address = s.Endpoint.Address
		}
		if body, err = json.Marshal(harOf(list, address)); err != nil {
			return err
		}
	default:
		return httpapi.InvalidArgument.New("format is jsonl or har")
	}
	h := w.Header()
	h.Set("Content-Type", media)
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	h.Set("Cache-Control", "no-store")
	_, err = w.Write(body)
	return err
}
