package hubapi

import (
	"context"
	"fmt"
	"iter"
	"math"
	"net/http"
	"slices"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/mcphub/inspector"
)

// feedRoutes are the routes for what the inspector keeps: records, notifications,
// questions.
func (a *API) feedRoutes() []httpapi.Route {
	notFound := []httpapi.Kind{httpapi.NotFound, httpapi.ShuttingDown}
	return []httpapi.Route{
		{
			Method: http.MethodGet, Path: inspectPath + "/history", ID: "listInspections", Summary: "Lists the records of operations, the newest first.",
			Params: pageParams(theServer()...), Answers: apiAnswers[inspectionList](http.StatusOK, "A page of records."),
			Errors: apiKinds(notFound, httpapi.InvalidArgument), Handle: a.listInspections,
		},
		{
			Method: http.MethodGet, Path: inspectPath + "/notifications", ID: "listNotifications", Summary: "Lists what a server told and asked, the newest first.",
			Params: pageParams(theServer()...), Answers: apiAnswers[noteList](http.StatusOK, "A page of it."),
			Errors: apiKinds(notFound, httpapi.InvalidArgument), Handle: a.listNotes,
		},
		{
			Method: http.MethodDelete, Path: inspectPath + "/notifications", ID: "clearNotifications", Summary: "Forgets it.", Params: theServer(),
			Errors: notFound, Handle: a.clearNotes,
		},
		{
			Method: http.MethodGet, Path: inspectPath + "/notifications/stream", ID: "followNotifications", Summary: "Follows what a server tells and asks.",
			Description: "Each event has the kind of the notification as its name. Questions come as SAMPLING_REQUEST and ELICITATION_REQUEST.",
			Params:      append(theServer(), httpapi.StreamParams()...),
			Answers:     []httpapi.Answer{{Status: http.StatusOK, Description: "The events.", Content: httpapi.EventStream[inspector.ServerNote]()}},
			Errors:      apiKinds(notFound, httpapi.StreamLimit), Handle: a.followNotes,
		},
		{
			Method: http.MethodGet, Path: inspectPath + "/roots", ID: "listRoots", Summary: "Lists the roots that a server is given.", Params: theServer(),
			Answers: apiAnswers[rootList](http.StatusOK, "The folders."), Errors: notFound, Handle: a.listRoots,
		},
		{
			Method: http.MethodDelete, Path: inspectPath + "/roots", ID: "removeRoot", Summary: "Removes a folder.",
			Params:  append(theServer(), httpapi.Param{In: httpapi.InQuery, Name: "uri", Required: true, Description: "The folder."}),
			Answers: apiAnswers[inspectionItem](http.StatusOK, "The record."), Errors: apiKinds(notFound, httpapi.InvalidArgument, httpapi.ValidationFailed), Handle: a.removeRoot,
		},
		{
			Method: http.MethodGet, Path: inspectPath + "/subscriptions", ID: "listSubscriptions", Summary: "Lists the resources that are subscribed to.", Params: theServer(),
			Answers: apiAnswers[subscriptionList](http.StatusOK, "Their URIs."), Errors: notFound, Handle: a.listSubscriptions,
		},
		{
			Method: http.MethodGet, Path: inspectPath + "/pending", ID: "listPending", Summary: "Lists the questions of a server that wait for an answer, the oldest first.", Params: theServer(),
			Answers: apiAnswers[pendingList](http.StatusOK, "The questions."), Errors: notFound, Handle: a.listPending,
		},
		{
			Method: http.MethodPost, Path: inspectPath + "/pending/{question}", ID: "answerPending", Summary: "Answers a question.",
			Description: "An answer that does not fit is the problem validation_failed, and the question stays open.",
			Params:      append(theServer(), inPath("question", "The question.")), Body: httpapi.Of[questionAnswer](),
			Errors: apiKinds(notFound, httpapi.ValidationFailed, notPending), Handle: a.answerPending,
		},
	}
}

// newestFirst returns the sort key of a list with the newest item first.
func newestFirst(seq uint64) string { return fmt.Sprintf("%020d", math.MaxUint64-seq) }

func (a *API) listInspections(w http.ResponseWriter, r *http.Request) error {
	all, err := a.opts.Inspector.History(r.PathValue("id"))
	if err != nil {
		return err
	}
	page, next, err := pageOf(r.URL.Query(), "inspections", all, func(rec inspector.Inspection) string { return newestFirst(rec.Seq) })
	if err != nil {
		return err
	}
	list := inspectionList{Items: make([]inspectionItem, len(page)), NextCursor: next}
	for i, rec := range page {
		list.Items[i] = inspectionItemOf(rec)
	}
	return httpapi.Reply(w, http.StatusOK, list)
}

func (a *API) listNotes(w http.ResponseWriter, r *http.Request) error {
	all, err := a.opts.Inspector.Notifications(r.PathValue("id"))
	if err != nil {
		return err
	}
	page, next, err := pageOf(r.URL.Query(), "notifications", all, func(n inspector.ServerNote) string { return newestFirst(n.Seq) })
	if err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusOK, noteList{Items: page, NextCursor: next})
}

func (a *API) clearNotes(w http.ResponseWriter, r *http.Request) error {
	if err := a.opts.Inspector.ClearNotifications(r.PathValue("id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *API) followNotes(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if _, err := a.opts.Inspector.Roots(id); err != nil {
		return err
	}
	return a.stream(w, r, func(ctx context.Context, after uint64) iter.Seq2[httpapi.StreamEvent, error] {
		return func(yield func(httpapi.StreamEvent, error) bool) {
			for n, err := range a.opts.Inspector.Follow(ctx, id, &inspector.FollowOptions{After: after}) {
				if !yield(httpapi.StreamEvent{Seq: n.Seq, Kind: string(n.Kind), Data: n}, err) || err != nil {
					return
				}
			}
		}
	})
}

func (a *API) listRoots(w http.ResponseWriter, r *http.Request) error {
	roots, err := a.opts.Inspector.Roots(r.PathValue("id"))
	if err != nil {
		return err
	}
	list := rootList{Items: make([]rootItem, len(roots))}
	for i, root := range roots {
		list.Items[i] = rootItem{URI: root.URI, Name: root.Name}
	}
	return httpapi.Reply(w, http.StatusOK, list)
}

func (a *API) removeRoot(w http.ResponseWriter, r *http.Request) error {
	uri, err := queryParam(r.URL.Query(), "uri")
	if err != nil {
		return err
	}
	rec, err := a.opts.Inspector.RemoveRoot(r.Context(), r.PathValue("id"), uri)
	if err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusOK, inspectionItemOf(*rec))
}

func (a *API) listSubscriptions(w http.ResponseWriter, r *http.Request) error {
	uris, err := a.opts.Inspector.Subscriptions(r.PathValue("id"))
	if err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusOK, subscriptionList{Items: append([]string{}, uris...)})
}

func (a *API) listPending(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if _, err := a.conns.Get(id); err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusOK, pendingList{Items: a.opts.Inspector.Pending(id)})
}

func (a *API) answerPending(w http.ResponseWriter, r *http.Request) error {
	var in questionAnswer
	if err := httpapi.Decode(r, &in); err != nil {
		return err
	}
	id, i := r.PathValue("question"), a.opts.Inspector
	if _, err := a.conns.Get(r.PathValue("id")); err != nil {
		return err
	}
	if !slices.ContainsFunc(i.Pending(r.PathValue("id")), func(q inspector.PendingQuestion) bool { return q.ID == id }) {
		return inspector.ErrNotPending
	}
	var err error
	switch in.Action {
	case "accept":
		err = i.Answer(id, in.Answer)
	case "decline":
		err = i.Decline(id)
	case "cancel":
		err = i.Cancel(id)
	default:
		err = httpapi.ValidationFailed.New("action is accept, decline or cancel")
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
