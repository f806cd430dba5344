package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	keptClients = 50
	peekBody    = 64 << 10 // an initialize request is far smaller
)

// Client is a program that said who it is. It may say what it likes.
type Client struct {
	Name     string    `json:"name"`
	Version  string    `json:"version,omitempty"`
	Protocol string    `json:"protocolVersion,omitempty"`
	Elicits  bool      `json:"elicitation" doc:"A person can be asked by way of it."`
	Since    time.Time `json:"since"`
	session  string
}

// clients are those that began a session and have not ended it. A client of
// 2026-07-28 has no session, and is none of them.
type clients struct {
	mu   sync.Mutex
	open []Client
}

// hello is as much of an initialize request as is looked at.
type hello struct {
	Method string `json:"method"`
	Params struct {
		ProtocolVersion string `json:"protocolVersion"`
		ClientInfo      struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"clientInfo"`
		Capabilities struct {
			Elicitation json.RawMessage `json:"elicitation"`
		} `json:"capabilities"`
	} `json:"params"`
}

const sessionHeader = "Mcp-Session-Id"

// watchClients looks at who begins and ends a session on the way to the hub.
func (s *Server) watchClients(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		session := r.Header.Get(sessionHeader)
		switch {
		case r.Method == http.MethodDelete && session != "":
			next.ServeHTTP(w, r)
			s.clients.gone(session)
			s.events.send("home", "home.clients", struct{}{})
			return
		case r.Method != http.MethodPost || session != "":
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
		next.ServeHTTP(w, r)
		var in hello
		id := w.Header().Get(sessionHeader)
		if id == "" || json.Unmarshal(head, &in) != nil || in.Method != "initialize" {
			return
		}
		s.clients.came(Client{Name: short(in.Params.ClientInfo.Name), Version: short(in.Params.ClientInfo.Version), Protocol: short(in.Params.ProtocolVersion),
			Elicits: len(in.Params.Capabilities.Elicitation) > 0, Since: s.opts.Now().UTC(), session: id})
		s.events.send("home", "home.clients", struct{}{})
	})
}

func short(text string) string {
	const most = 100
	if r := []rune(strings.ToValidUTF8(text, "\uFFFD")); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

func (c *clients) came(one Client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) == keptClients {
		c.open = slices.Delete(c.open, 0, 1)
	}
	c.open = append(c.open, one)
}

func (c *clients) gone(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = slices.DeleteFunc(c.open, func(one Client) bool { return one.session == session })
}

func (c *clients) list() []Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := append([]Client{}, c.open...)
	slices.Reverse(out)
	return out
}
