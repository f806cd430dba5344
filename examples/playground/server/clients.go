package server

import (
	"bytes"
	"encoding/json"
	"github.com/localpass/localpass/internal/clip"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	keptClients = 50
	peekBody    = 64 << 10 // an initialize request is far smaller
	// statelessFor is how long a client without a session counts as connected after its
	// last request.
	statelessFor = 5 * time.Minute
)

// Client is a connected program as it describes itself. The description is not verified.
type Client struct {
	Name     string `json:"name"`
	Version  string `json:"version,omitempty"`
	Protocol string `json:"protocolVersion,omitempty"`
	Elicits  bool   `json:"elicitation" doc:"A person can be asked by way of it."`
	// Can lists the names of the declared capabilities, sorted.
	Can      []string  `json:"capabilities"`
	Session  bool      `json:"session" doc:"It began a session. One of 2026-07-28 has none, and counts for five minutes after its last request."`
	Since    time.Time `json:"since"`
	Last     time.Time `json:"lastSeenAt"`
	Requests int       `json:"requests"`
	session  string
}

// clients tracks the programs that currently use the MCP endpoint.
type clients struct {
	*core

	mu      sync.Mutex
	open    []Client // oldest first
	minutes [60]int  // requests by second
	at      int64    // the second of the last count
}

// hello is the part of a request that is inspected: the client of an initialize request,
// or the client that each request names (protocol version 2026-07-28).
type hello struct {
	Method string `json:"method"`
	Params struct {
		introduction
		ProtocolVersion string `json:"protocolVersion"`
		Meta            struct {
			Version      string                     `json:"io.modelcontextprotocol/protocolVersion"`
			Client       identity                   `json:"io.modelcontextprotocol/clientInfo"`
			Capabilities map[string]json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
	} `json:"params"`
}

type introduction struct {
	ClientInfo   identity                   `json:"clientInfo"`
	Capabilities map[string]json.RawMessage `json:"capabilities"`
}

type identity struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

const sessionHeader = "Mcp-Session-Id"

// answered is a ResponseWriter that records the status of the response.
type answered struct {
	http.ResponseWriter
	status int
}

func (a *answered) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap supports http.ResponseController.
func (a *answered) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// good reports whether the request was accepted.
func (a *answered) good() bool { return a.status < http.StatusBadRequest }

// watch wraps the hub and records which clients use the endpoint. It does not record
// rejected clients.
func (c *clients) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		session := r.Header.Get(sessionHeader)
		out := &answered{ResponseWriter: w}
		switch {
		case r.Method == http.MethodDelete && session != "":
			next.ServeHTTP(out, r)
			if out.good() {
				c.gone(session)
				c.events.send("home", "home.clients", struct{}{})
			}
			return
		case r.Method == http.MethodPost && session != "":
			next.ServeHTTP(out, r)
			if out.good() {
				c.seen(session, c.opts.Clock().UTC())
			}
			return
		case r.Method != http.MethodPost:
			next.ServeHTTP(w, r)
			return
		}
		head, err := io.ReadAll(io.LimitReader(r.Body, peekBody))
		if err != nil {
			http.Error(w, "the body cannot be read", http.StatusBadRequest)
			return
		}
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(head), r.Body), r.Body}
		next.ServeHTTP(out, r)
		if !out.good() {
			return
		}
		c.count(c.opts.Clock())
		var in hello
		if json.Unmarshal(head, &in) != nil {
			return
		}
		id, from, version, can := w.Header().Get(sessionHeader), in.Params.ClientInfo, in.Params.ProtocolVersion, in.Params.Capabilities
		switch {
		case id != "" && in.Method == "initialize":
		case id == "" && in.Params.Meta.Client.Name != "":
			from, version, can = in.Params.Meta.Client, in.Params.Meta.Version, in.Params.Meta.Capabilities
		default:
			return
		}
		now := c.opts.Clock().UTC()
		if c.came(Client{Name: clip.To(from.Name, 100), Version: clip.To(from.Version, 100), Protocol: clip.To(version, 100),
			Elicits: len(can["elicitation"]) > 0, Can: names(can), Session: id != "", Since: now, Last: now, Requests: 1, session: id}) {
			c.events.send("home", "home.clients", struct{}{})
		}
	})
}

// names returns the names of capabilities, at most 20.
func names(can map[string]json.RawMessage) []string {
	out := []string{}
	for name := range can {
		out = append(out, clip.To(name, 100))
	}
	slices.Sort(out)
	return out[:min(len(out), 20)]
}

// came adds a client, or notes that a client without a session is still active. It
// reports whether the client is new.
func (c *clients) came(one Client) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one.session == "" {
		at := slices.IndexFunc(c.open, func(o Client) bool {
			return o.session == "" && o.Name == one.Name && o.Version == one.Version && one.Last.Sub(o.Last) < statelessFor
		})
		if at >= 0 {
			c.open[at].Last, c.open[at].Protocol, c.open[at].Can, c.open[at].Elicits = one.Last, one.Protocol, one.Can, one.Elicits
			c.open[at].Requests++
			return false
		}
	}
	if len(c.open) == keptClients {
		c.open = slices.Delete(c.open, 0, 1)
	}
	c.open = append(c.open, one)
	return true
}

func (c *clients) seen(session string, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(now)
	for i := range c.open {
		if c.open[i].session == session {
			c.open[i].Last = now
			c.open[i].Requests++
		}
	}
}

func (c *clients) gone(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = slices.DeleteFunc(c.open, func(one Client) bool { return one.session == session })
}

func (c *clients) count(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(now)
}

// add counts a request. c.mu must be held.
func (c *clients) add(now time.Time) {
	c.pass(now)
	c.minutes[c.at%60]++
}

// pass removes counts that are older than a minute. c.mu must be held.
func (c *clients) pass(now time.Time) {
	second := now.Unix()
	for from := max(c.at+1, second-59); from <= second; from++ {
		c.minutes[from%60] = 0
	}
	c.at = max(c.at, second)
}

// perMinute returns the number of requests in the last minute.
func (c *clients) perMinute(now time.Time) (sum int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pass(now)
	for _, n := range c.minutes {
		sum += n
	}
	return sum
}

// list returns the clients, newest first.
func (c *clients) list(now time.Time) []Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = slices.DeleteFunc(c.open, func(one Client) bool { return one.session == "" && now.Sub(one.Last) >= statelessFor })
	out := append([]Client{}, c.open...)
	slices.Reverse(out)
	return out
}
