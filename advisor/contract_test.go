package advisor_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/advisor"
	"github.com/localpass/localpass/advisor/advisortest"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/rag"
)

// Every advisor of the package satisfies the contract of advisortest.
func TestContract(t *testing.T) {
	must := func(a advisor.Advisor, err error) advisor.Advisor {
		require.NoError(t, err)
		return a
	}
	found := rag.RetrieverFunc(func(_ context.Context, req rag.SearchRequest) ([]rag.Match, error) {
		return []rag.Match{{Document: rag.Document{ID: "d1", Text: "about " + req.Query}, Score: 1}}, nil
	})
	nothing := rag.RetrieverFunc(func(context.Context, rag.SearchRequest) ([]rag.Match, error) { return nil, nil })
	for name, build := range map[string]func() advisor.Advisor{
		"logger":           func() advisor.Advisor { return advisor.Logger(slog.New(slog.DiscardHandler)) },
		"safeguard":        func() advisor.Advisor { return advisor.Safeguard([]string{"password"}, nil) },
		"redact":           func() advisor.Advisor { return advisor.Redact(strings.ToUpper) },
		"safeguard speaks": func() advisor.Advisor { return advisor.Safeguard([]string{"question"}, nil) },
		"before": func() advisor.Advisor {
			return advisor.Before("before", 1, func(_ context.Context, r *chat.Request) (*chat.Request, error) {
				r.Messages = append(r.Messages, llm.UserText("please"))
				return r, nil
			})
		},
		"after": func() advisor.Advisor {
			return advisor.After("after", 1, func(context.Context, *chat.Response) error { return nil })
		},
		"rag":         func() advisor.Advisor { return must(advisor.RAG(found, nil)) },
		"rag nothing": func() advisor.Advisor { return must(advisor.RAG(nothing, nil)) },
		"rag declines": func() advisor.Advisor {
			return must(advisor.RAG(nothing, &advisor.RAGOptions{Empty: advisor.EmptyDecline}))
		},
		"structured": func() advisor.Advisor {
			return must(advisor.Structured(llm.OutputFormat{Schema: json.RawMessage(`{"type":"object"}`)}, nil))
		},
	} {
		t.Run(name, func(t *testing.T) { advisortest.TestAdvisor(t, build) })
	}
}
