package approvalapi

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/httpapi"
)

// grantFilter reads which grants a request applies to.
func grantFilter(q url.Values) (approval.GrantFilter, error) {
	side, err := sideOf(q)
	return approval.GrantFilter{Side: side, Server: q.Get("serverId"), Tool: q.Get("toolName"), Conversation: q.Get("conversation")}, err
}

func (a *API) listGrants(w http.ResponseWriter, r *http.Request) error {
	filter, err1 := grantFilter(r.URL.Query())
	limit, at, err2 := page(r.URL.Query(), "grants")
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	var all []approval.Grant
	for g, err := range a.gate.Grants().List(r.Context(), filter) {
		if err != nil {
			return err
		}
		all = append(all, g)
	}
	// Ids increase: sorting puts the oldest first, whatever order the store has.
	slices.SortFunc(all, func(a, b approval.Grant) int { return strings.Compare(a.ID, b.ID) })
	all = slices.DeleteFunc(all, func(g approval.Grant) bool { return g.ID <= at.After })
	list := grantList{Items: make([]grantItem, min(len(all), limit))}
	for i := range list.Items {
		list.Items[i] = newGrantItem(&all[i])
	}
	if len(all) > limit {
		list.NextCursor = httpapi.EncodeCursor(place{Order: "grants", After: all[limit-1].ID})
	}
	return httpapi.Reply(w, http.StatusOK, list)
}

func newGrantItem(g *approval.Grant) grantItem {
	return grantItem{ID: g.ID, Scope: g.Scope, Tool: g.Tool, Server: g.Server, Fingerprint: g.Fingerprint, Level: g.Level,
		Principal: approval.Person(g.Principal), Side: g.Side, Conversation: g.Conversation, Digest: g.Digest, Calls: g.Calls, UsedCalls: g.Used,
		Request: g.Request, By: approval.Person(g.By), Via: g.Via, Created: g.Created, Expires: g.Expires, Last: g.Last}
}

func (a *API) revokeGrants(w http.ResponseWriter, r *http.Request) error {
	filter, err := grantFilter(r.URL.Query())
	if err != nil {
		return err
	}
	by, err := a.decider(r)
	if err != nil {
		return err
	}
	n, err := a.gate.Grants().RevokeAll(r.Context(), filter, by)
	if err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusOK, revoked{Revoked: n})
}

func (a *API) revokeGrant(w http.ResponseWriter, r *http.Request) error {
	by, err := a.decider(r)
	if err != nil {
		return err
	}
	if err := a.gate.Grants().Revoke(r.Context(), r.PathValue("id"), by); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// everySide is the side of a policy that applies to all sides.
const everySide = "any"

// policySides are the sides that a policy can have.
var policySides = []string{string(approval.SideChat), string(approval.SideServer), string(approval.SideStudio), everySide}

// policySide returns the side of a policy that the API names: "" is the chat, and "any"
// is every side.
func policySide(side approval.Side) approval.Side {
	switch side {
	case "":
		return approval.SideChat
	case everySide:
		return ""
	}
	return side
}

func newPolicyItem(p *approval.Policy) policyItem {
	side := p.Side
	if side == "" {
		side = everySide
	}
	item := policyItem{policyBody: policyBody{ServerID: p.Server, ToolName: p.Tool, Policy: p.Effect, Side: side, OverridesRequired: p.OverridesRequired},
		By: approval.Person(p.By), At: p.At, Fixed: p.Fixed}
	for _, rule := range p.Rules {
		item.Rules = append(item.Rules, policyRule(rule))
	}
	return item
}

func (a *API) listPolicies(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	side, err1 := one(q, "side", policySides...)
	limit, at, err2 := page(q, "policies")
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	list, n := policyList{Items: []policyItem{}}, 0
	for p, err := range a.gate.Policies().List(r.Context()) {
		if err != nil && !errors.Is(err, approval.ErrInvalid) {
			return err
		}
		if side != "" && p.Side != policySide(approval.Side(side)) || q.Has("serverId") && p.Server != q.Get("serverId") {
			continue
		}
		if n++; n <= at.Count {
			continue
		}
		if len(list.Items) == limit {
			list.NextCursor = httpapi.EncodeCursor(place{Order: "policies", Count: n - 1})
			break
		}
		item := newPolicyItem(&p)
		if err != nil {
			item.Problem = a.redact.String(err.Error())
		}
		list.Items = append(list.Items, item)
	}
	return httpapi.Reply(w, http.StatusOK, list)
}

func (a *API) setPolicy(w http.ResponseWriter, r *http.Request) error {
	var in policyBody
	if err := httpapi.Decode(r, &in); err != nil {
		return err
	}
	by, err := a.decider(r)
	if err != nil {
		return err
	}
	policy := approval.Policy{Server: in.ServerID, Tool: in.ToolName, Side: policySide(in.Side), Effect: in.Policy, OverridesRequired: in.OverridesRequired}
	for _, rule := range in.Rules {
		policy.Rules = append(policy.Rules, approval.Rule(rule))
	}
	if policy, err = a.gate.Policies().Set(r.Context(), policy, by); err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusOK, newPolicyItem(&policy))
}

func (a *API) deletePolicy(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	side, err := one(q, "side", policySides...)
	if err != nil {
		return err
	}
	if q.Get("toolName") == "" {
		return httpapi.InvalidArgument.New("toolName must be there: the tool, or *")
	}
	by, err := a.decider(r)
	if err != nil {
		return err
	}
	if err := a.gate.Policies().Delete(r.Context(), policySide(approval.Side(side)), q.Get("serverId"), q.Get("toolName"), by); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
