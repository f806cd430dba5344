package server

import (
	"cmp"
	"strings"

	"github.com/localpass/localpass/chat/chatapi"
	"github.com/localpass/localpass/observe"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/observe/observeapi"
)

// openTraces makes what keeps the traces of this run. Everything that is opened
// after it tells it what it does.
func (s *Server) openTraces() (err error) {
	s.masks.add(s.opts.Token, s.opts.MCPToken)
	s.traces, err = observe.New(&observe.Options{
		Service: "localpass-playground", Redact: s.masks.text, Base: &genai.Telemetry{Logger: s.opts.Logger},
		// The providers whose models run on this machine, or are no models.
		Local: func(provider string) bool { return provider == "demo" || provider == "ollama" },
	})
	return err
}

// openTracesAPI serves the traces, and tells the page of them.
func (s *Server) openTracesAPI() (err error) {
	s.tracesAPI, err = observeapi.New(s.traces, &observeapi.Options{
		Logger: s.opts.Logger, Events: func(e observeapi.Event) { s.events.send(e.Topic, e.Type, e.Data) },
	})
	return err
}

// closeTraces ends what keeps the traces, when nothing tells it anything any more.
func (s *Server) closeTraces() error {
	if s.traces == nil {
		return nil
	}
	return s.traces.Close()
}

// tellChat forwards the events of chats. The traces of a conversation are deleted with
// it.
func (s *Server) tellChat(e chatapi.Event) {
	if e.Type == "conversation.deleted" && s.traces.Forget(e.Conversation) > 0 {
		s.events.send("observe", "forgotten", e.Conversation)
	}
	s.events.send(e.Topic, e.Type, e.Data)
}

// mostTraces is how many traces a search gives: one is found by its id, and what is
// called often has many.
const mostTraces = 10

// tracesFor finds traces by what they are called, and by the ids of what is in them.
func (s *Server) tracesFor(words string) (hits []Hit) {
	for _, t := range s.traces.Traces(observe.Query{Text: words, Limit: mostTraces}).Items {
		title := strings.TrimSpace(kindOfTrace(t.Operation) + " " + strings.TrimPrefix(strings.TrimPrefix(t.Name, t.Operation), " "))
		for _, tool := range t.Tools {
			if strings.Contains(title, tool.Name) || len(title) > 80 {
				continue
			}
			title += ", " + tool.Name
		}
		score := 20 // by something else in it: behind what has the words in its name
		switch {
		case words == "":
			score = 1
		case strings.HasPrefix(t.ID, words) || strings.EqualFold(t.Turn, words) || hasApproval(&t, words):
			score = 90
		default:
			score = max(score, fit(title, words)*2/3)
		}
		hits = append(hits, Hit{Kind: "trace", ID: t.ID, Title: title, Detail: cmp.Or(t.Outcome, strings.ToLower(t.Status)) + ", " + t.Start.UTC().Format("15:04:05") + " UTC",
			Where: "/observe/traces?trace=" + t.ID, Score: score})
	}
	return hits
}

func hasApproval(t *observe.Summary, id string) bool {
	for _, a := range t.Approvals {
		if strings.EqualFold(a.Request, id) {
			return true
		}
	}
	return false
}

// kindOfTrace is what the root of a trace is, in words.
func kindOfTrace(operation string) string {
	switch operation {
	case "invoke_agent":
		return "Chat turn"
	case "tools/call":
		return "MCP call"
	case "local_pass":
		return "Test run"
	}
	return operation
}
