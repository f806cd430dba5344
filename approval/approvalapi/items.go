package approvalapi

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec"
)

// item returns a record in the form that may leave this program.
func (a *API) item(rec *approval.Record) approval.View { return rec.View(a.redact) }

// place is the position at which a page ended: after an id, or after a number of items.
type place struct {
	Order string `json:"o"`
	After string `json:"a,omitempty"`
	Count int    `json:"n,omitempty"`
}

// page reads limit and cursor; the cursor must come from a list in the same order.
func page(q url.Values, order string) (limit int, at place, err error) {
	at = place{Order: order}
	if limit, err = httpapi.PageLimit(q, httpapi.DefaultPage, httpapi.MaxPage); err != nil {
		return 0, at, err
	}
	if err := httpapi.DecodeCursor(q.Get("cursor"), &at); err != nil {
		return 0, at, err
	}
	if at.Order != order || at.Count < 0 {
		return 0, at, httpapi.BadCursor()
	}
	return limit, at, nil
}

// one reads a query member that has one of a few values, or none.
func one(q url.Values, name string, values ...string) (string, error) {
	text := q.Get(name)
	if text != "" && !slices.Contains(values, text) {
		return "", httpapi.InvalidArgument.New("%s is one of %q", name, values)
	}
	return text, nil
}

func sideOf(q url.Values) (approval.Side, error) {
	text, err := one(q, "side", string(approval.SideChat), string(approval.SideServer), string(approval.SideStudio))
	return approval.Side(text), err
}

func (a *API) listItems(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	status, err1 := one(q, "state", string(approval.StatusPending), string(approval.StatusDecided), string(approval.StatusExpired), string(approval.StatusUsed))
	side, err2 := sideOf(q)
	level, err3 := one(q, "level", "L0", "L1", "L2", "L3", "L4", "L5")
	order, err4 := one(q, "order", "newest", "oldest")
	if order == "" {
		order = "newest"
	}
	limit, at, err5 := page(q, order)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return err
	}
	opts := approval.ListOptions{Status: approval.Status(status), Side: side, Batch: q.Get("batch"), After: at.After, Limit: limit + 1, Reverse: order == "newest"}
	if level != "" {
		if err := opts.Level.UnmarshalText([]byte(level)); err != nil {
			return err
		}
	}
	list := itemList{Items: []approval.View{}}
	for rec, err := range a.gate.Broker().List(r.Context(), opts) {
		if err != nil {
			return err
		}
		if len(list.Items) == limit {
			list.NextCursor = httpapi.EncodeCursor(place{Order: order, After: list.Items[limit-1].ID})
			break
		}
		list.Items = append(list.Items, a.current(r.Context(), &rec))
	}
	return httpapi.Reply(w, http.StatusOK, list)
}

func (a *API) getItem(w http.ResponseWriter, r *http.Request) error {
	rec, err := a.gate.Broker().Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusOK, a.current(r.Context(), &rec))
}

func (a *API) decide(w http.ResponseWriter, r *http.Request) error {
	rec, err := a.decideBy(r)
	if err != nil {
		return a.undecided(rec, err)
	}
	return httpapi.Reply(w, http.StatusOK, a.item(&rec))
}

// answer is decide for clients that expect the request in place of a problem if it was
// decided otherwise.
func (a *API) answer(w http.ResponseWriter, r *http.Request) error {
	rec, err := a.decideBy(r)
	switch {
	case errors.Is(err, approval.ErrDecided):
		return httpapi.Reply(w, http.StatusConflict, a.item(&rec))
	case err != nil:
		return a.undecided(rec, err)
	}
	return httpapi.Reply(w, http.StatusOK, a.item(&rec))
}

// decideBy passes the answer of a request to the broker.
func (a *API) decideBy(r *http.Request) (approval.Record, error) {
	var in approval.Answer
	if err := httpapi.Decode(r, &in); err != nil {
		return approval.Record{}, err
	}
	d, err := in.For(r.PathValue("id"))
	if err != nil {
		return approval.Record{}, err
	}
	d.Via = "http"
	if d.By, err = a.decider(r); err != nil {
		return approval.Record{}, err
	}
	if len(d.Arguments) > 0 && a.redact != nil {
		rec, err := a.gate.Broker().Get(r.Context(), d.Request)
		if err != nil {
			return approval.Record{}, err
		}
		if err := rec.Request.CheckMask(d.Arguments, a.redact); err != nil {
			return approval.Record{}, err
		}
	}
	return a.gate.Broker().Decide(r.Context(), d)
}

func (a *API) extend(w http.ResponseWriter, r *http.Request) error {
	who, err := a.decider(r)
	if err != nil {
		return err
	}
	rec, err := a.gate.Broker().Extend(r.Context(), r.PathValue("id"), who, "http")
	if err != nil {
		return a.undecided(rec, err)
	}
	return httpapi.Reply(w, http.StatusOK, a.item(&rec))
}

// undecided adds to the problem what the client needs next: the name to send if it was
// missing, or the current request if it is no longer open.
func (a *API) undecided(rec approval.Record, err error) error {
	p := a.problemOf(err)
	if p != nil && errors.Is(err, approval.ErrUnconfirmed) {
		return p.With("confirmName", rec.Request.Confirm).Because(err)
	}
	if p == nil || rec.Request.ID == "" || !errors.Is(err, approval.ErrDecided) && !errors.Is(err, approval.ErrExpired) {
		return err
	}
	return p.With("approval", a.item(&rec)).Because(err)
}

func (a *API) explain(w http.ResponseWriter, r *http.Request) error {
	var in explainBody
	if err := httpapi.Decode(r, &in); err != nil {
		return err
	}
	call, err := a.opts.Lookup(r.Context(), in.ServerID, in.ToolName)
	if err != nil {
		return err
	}
	who, err := a.decider(r)
	if err != nil {
		return err
	}
	if in.Principal != nil {
		who = toolspec.Principal(*in.Principal)
	}
	call.Side, call.Server = in.Side, in.ServerID
	call.Call = &toolspec.Call{Arguments: in.Arguments, Principal: who, Conversation: in.Conversation}
	out := explanation{Effect: approval.EffectDeny, Rows: a.gate.Explain(r.Context(), call)}
	for i := range out.Rows {
		out.Rows[i].Detail = a.redact.String(out.Rows[i].Detail)
		if out.Rows[i].Decides {
			out.Effect = out.Rows[i].Effect
		}
	}
	return httpapi.Reply(w, http.StatusOK, out)
}
