package hubapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/internal/httpapi/sender"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/mcphub/risk"
	"github.com/localpass/localpass/mcphub/servers"
)

// serverItem returns a record in the form that may be sent to a client.
func (a *API) serverItem(r servers.Record) serverItem {
	shown, hidden := r.Shown()
	address, _ := rpc.Text(rpc.Object(shown)["url"])
	item := serverItem{ID: r.ID, ServerID: r.ID, BaseURL: address, Name: r.Name, Description: r.Description, Category: r.Category, Tags: r.Tags, Kind: r.Kind,
		Connection: shown, Masked: hidden, Selection: r.Selection, Prefix: r.Prefix, Relay: r.Relay, Results: r.Results, Rates: r.Rates, TimeoutMS: r.TimeoutMS, Protocols: r.Versions, Disabled: r.Disabled, Auto: r.AutoConnect, Version: r.Version, Updated: r.Updated}
	if s, err := a.conns.Status(r.ID); err == nil {
		item.Status = s
	} else {
		item.Status = servers.Status{ID: r.ID} // deleted in the meantime
	}
	return item
}

// stateNames returns the possible states of a server.
func stateNames() (names []string) {
	for s := servers.StateIdle; s <= servers.StateCircuitOpen; s++ {
		names = append(names, s.String())
	}
	return names
}

func (a *API) listServers(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	want, state := strings.ToLower(q.Get("q")), q.Get("state")
	if state != "" && !slices.Contains(stateNames(), state) {
		return httpapi.InvalidArgument.New("state is one of %q", stateNames())
	}
	all := slices.DeleteFunc(a.conns.List(), func(s servers.Record) bool {
		if state != "" {
			if status, err := a.conns.Status(s.ID); err != nil || status.State.String() != state {
				return true
			}
		}
		texts := append([]string{s.ID, s.Name, s.Description, s.Category}, s.Tags...)
		if offers := a.conns.Snapshot(s.ID); offers != nil && want != "" {
			for _, t := range offers.Tools {
				texts = append(texts, t.Name)
			}
		}
		return want != "" && !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(text), want) })
	})
	page, next, err := pageOf(q, "servers", all, func(s servers.Record) string { return s.ID })
	if err != nil {
		return err
	}
	list := serverList{Items: make([]serverItem, len(page)), NextCursor: next}
	for i, s := range page {
		list.Items[i] = a.serverItem(s)
	}
	if q.Get("cursor") == "" {
		for id, err := range a.conns.Unreadable() {
			if list.Unreadable == nil {
				list.Unreadable = map[string]string{}
			}
			list.Unreadable[id] = rpc.Plain(err)
		}
	}
	return httpapi.Reply(w, http.StatusOK, list)
}

func (a *API) getServer(w http.ResponseWriter, r *http.Request) error {
	rec, err := a.conns.Get(r.PathValue("id"))
	if err != nil {
		return err
	}
	return a.replyServer(w, http.StatusOK, rec)
}

func (a *API) replyServer(w http.ResponseWriter, status int, rec servers.Record) error {
	w.Header().Set("ETag", httpapi.VersionTag(rec.Version))
	return httpapi.Reply(w, status, a.serverItem(rec))
}

// apply returns the record that a body describes, based on the stored one.
func (b *serverBody) apply(kept servers.Record) (servers.Record, error) {
	r := kept
	r.ID, r.Version = b.ID, b.Version
	for _, text := range []struct {
		to   *string
		from *string
	}{{&r.Name, b.Name}, {&r.Description, b.Description}, {&r.Category, b.Category}} {
		if text.from != nil {
			*text.to = *text.from
		}
	}
	if b.Tags != nil {
		r.Tags = b.Tags
	}
	if b.Selection != nil {
		r.Selection = b.Selection
	}
	if b.Prefix != nil {
		r.Prefix = *b.Prefix
	}
	if b.Relay != nil {
		r.Relay = b.Relay
	}
	if b.Rates != nil {
		r.Rates = b.Rates
	}
	if b.Results != nil {
		r.Results = b.Results
	}
	if b.TimeoutMS != nil {
		r.TimeoutMS = *b.TimeoutMS
	}
	if b.Protocols != nil {
		r.Versions = b.Protocols
	}
	if b.Kind != nil {
		r.Kind = *b.Kind
	}
	if b.Disabled != nil {
		r.Disabled = *b.Disabled
	}
	if b.Auto != nil {
		r.AutoConnect = *b.Auto
	}
	if b.Connection != nil {
		connection, err := kept.Unmasked(r.Kind, b.Connection)
		if err != nil {
			return r, err
		}
		r.Connection = connection
	}
	return r, nil
}

// record reads a body and returns the record that it describes. change says that the
// stored record is to be changed, and not just compared.
func (a *API) record(r *http.Request, change bool) (servers.Record, error) {
	var in serverBody
	if err := httpapi.Decode(r, &in); err != nil {
		return servers.Record{}, err
	}
	if err := in.named(); err != nil {
		return servers.Record{}, err
	}
	if err := (&servers.Record{ID: in.ID}).Validate(); err != nil {
		return servers.Record{}, httpapi.ValidationFailed.New("%s", rpc.Plain(err))
	}
	if in.Version < 0 {
		return servers.Record{}, httpapi.ValidationFailed.New("version is that of a server that was read, or left out")
	}
	kept, err := a.conns.Get(in.ID)
	if in.ServerID != "" && in.Version == 0 && err == nil {
		in.Version = kept.Version
	}
	switch {
	case err == nil && change && kept.Version != in.Version:
		return servers.Record{}, &servers.ConflictError{ID: in.ID, Current: &kept}
	case err != nil && change && in.Version != 0:
		return servers.Record{}, err // there is nothing to change
	case err != nil:
		kept = servers.Record{}
	}
	if err := in.expand(&kept); err != nil {
		return servers.Record{}, err
	}
	rec, err := in.apply(kept)
	if err != nil {
		return rec, err
	}
	if err := rec.Validate(); err != nil {
		return rec, httpapi.ValidationFailed.New("%s", rpc.Plain(err))
	}
	if _, err := a.conns.Transport(rec); err != nil {
		return rec, httpapi.ValidationFailed.New("%s", rpc.Plain(err))
	}
	return rec, nil
}

func (a *API) saveServer(w http.ResponseWriter, r *http.Request) error {
	rec, err := a.record(r, true)
	if err != nil {
		return err
	}
	saved, err := a.conns.Save(r.Context(), rec)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if rec.Version == 0 {
		status = http.StatusCreated
		w.Header().Set("Location", locationOf(saved.ID))
	}
	return a.replyServer(w, status, saved)
}

func (a *API) deleteServer(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	who, err := sender.Of(r, a.opts.Principal)
	if err != nil {
		return err
	}
	var e client.Endpoint
	var definition json.RawMessage
	if a.opts.Authorizer != nil {
		e, definition, _ = a.authorizedWith(id) // an invalid record had no session
	}
	if err := a.conns.Delete(r.Context(), id); err != nil {
		return err
	}
	if definition != nil {
		a.revokeLater(e, definition)
	}
	if a.opts.Levels != nil {
		if err := a.opts.Levels.Forget(r.Context(), id, who); err != nil {
			return err
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *API) testServer(w http.ResponseWriter, r *http.Request) error {
	rec, err := a.record(r, false)
	if err != nil {
		return err
	}
	return a.try(w, r, rec)
}

func (a *API) verifyServer(w http.ResponseWriter, r *http.Request) error {
	rec, err := a.conns.Get(r.PathValue("id"))
	if err != nil {
		return err
	}
	if _, err := a.conns.Transport(rec); err != nil {
		return httpapi.ValidationFailed.New("%s", rpc.Plain(err))
	}
	return a.try(w, r, rec)
}

func (a *API) try(w http.ResponseWriter, r *http.Request, rec servers.Record) error {
	report, err := a.conns.Test(r.Context(), rec)
	if err != nil {
		return err
	}
	item := trialItem{OK: report.OK, LatencyMS: rpc.Millis(report.Duration), Tools: report.Tools, Error: rpc.PlainText(report.Error)}
	item.Steps = make([]stepItem, len(report.Steps))
	for i, step := range report.Steps {
		item.Steps[i] = stepItem{step, rpc.Millis(step.Duration)}
	}
	if report.Info != nil {
		item.Protocol, item.Server = report.Info.Version, report.Info.Server
	}
	var missing *client.MissingConfigError
	if errors.As(report.Err, &missing) {
		item.Missing = missing.Names
	}
	return httpapi.Reply(w, http.StatusOK, item)
}

func (a *API) connectServer(w http.ResponseWriter, r *http.Request) error {
	if err := a.conns.Connect(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	return a.getStatus(w, r)
}

func (a *API) stopServer(w http.ResponseWriter, r *http.Request) error {
	if err := a.conns.Stop(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	return a.getStatus(w, r)
}

func (a *API) getStatus(w http.ResponseWriter, r *http.Request) error {
	s, err := a.conns.Status(r.PathValue("id"))
	if err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusOK, s)
}

func (a *API) getCapabilities(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	server, err := a.conns.Server(id)
	if err != nil {
		return err
	}
	status, err := a.conns.Status(id)
	if err != nil {
		return err
	}
	item := capabilityItem{Server: id, Sync: status.Sync, Stale: status.Stale, Tools: []offeredItem{}}
	s := a.conns.Snapshot(id)
	if s == nil {
		s = &servers.Snapshot{}
	}
	item.SyncedAt, item.Restored, item.Problems = s.At, s.Restored, s.Problems
	rec, u := server.Record(), risk.UpstreamOf(server)
	u.Offered = s
	for _, t := range s.Tools {
		item.Tools = append(item.Tools, offeredItem{t.Name, t.Fingerprint, t.Raw, riskOf(a.levels.Of(u, t)), !rec.Selection.Takes(t.Name)})
	}
	item.Resources, item.Templates, item.Prompts = offeredItems(s.Resources), offeredItems(s.Templates), offeredItems(s.Prompts)
	if info := server.Info(); info != nil {
		item.Declared, item.Instructions = rpc.OrEmpty(info.Capabilities.Raw), info.Instructions
	}
	if a.opts.Inspector != nil {
		if item.LogLevel, err = a.opts.Inspector.LogLevel(id); err != nil {
			return err
		}
	}
	return httpapi.ReplyCached(w, r, item)
}

func offeredItems(list []servers.OfferedItem) []offeredItem {
	out := make([]offeredItem, len(list))
	for i, item := range list {
		out[i] = offeredItem{Key: item.Key, Fingerprint: item.Fingerprint, Definition: item.Raw}
	}
	return out
}

// syncTimeout is the time limit of a synchronization that a request started.
const syncTimeout = 2 * time.Minute

// syncRun is a synchronization in progress.
type syncRun struct {
	done chan struct{}
	err  error // once done is closed
}

// sync starts a synchronization, or finds the one in progress. It continues after the
// request has ended.
func (a *API) sync(id string) (*syncRun, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if run := a.syncs[id]; run != nil {
		return run, nil
	}
	run := &syncRun{done: make(chan struct{})}
	started := a.life.Go(func() {
		ctx, cancel := context.WithTimeout(a.life.Context(), syncTimeout)
		defer cancel()
		run.err = a.conns.Sync(ctx, id)
		a.mu.Lock()
		delete(a.syncs, id)
		a.mu.Unlock()
		close(run.done)
	})
	if !started {
		return nil, httpapi.ShuttingDown.New("the API is closed")
	}
	a.syncs[id] = run
	return run, nil
}

func (a *API) syncServer(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if _, err := a.conns.Get(id); err != nil {
		return err
	}
	run, err := a.sync(id)
	if err != nil {
		return err
	}
	timer := time.NewTimer(a.opts.SyncWait)
	defer timer.Stop()
	item, status := syncItem{}, http.StatusOK
	select {
	case <-run.done:
		if item.OK = run.err == nil; !item.OK {
			item.Error = rpc.Plain(run.err)
		}
	case <-timer.C:
		item.Running, status = true, http.StatusAccepted
	case <-r.Context().Done():
		return r.Context().Err()
	}
	if item.Status, err = a.conns.Status(id); err != nil {
		return err
	}
	return httpapi.Reply(w, status, item)
}
