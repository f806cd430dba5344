package profiles

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"sync"

	"github.com/localpass/localpass/advisor"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/toolspec/secret"
)

// Advisors are the advisors that the configuration names, and those of a program. They
// must be closed when no turn runs any more.
type Advisors struct {
	turn, round []advisor.Advisor
	memory      chat.Memory
	file        *os.File // the file of the logger; nil: none
}

// AdvisorOptions are the parts of a program that configured advisors use.
type AdvisorOptions struct {
	// Lookup finds the values that must not be shown.
	Lookup secret.Lookup
	// Mask masks further secrets that the program knows; nil: none.
	Mask func(string) string
	// Logger gets the lines of the logger, at level Info, if it has no file of its own.
	Logger *slog.Logger
	// Retrieval is the advisor that searches documents. It is innermost unless the
	// configuration places it. nil: the program has none.
	Retrieval advisor.Advisor
	// Own are advisors of the program, besides those of the configuration.
	Own []advisor.Advisor
}

// firstOrder is the order of the first advisor of the configuration; the others follow
// it, so that they are outside of the advisors that retrieve.
const firstOrder = advisor.OrderSafeguard

// OpenAdvisors opens the advisors of a configuration.
func OpenAdvisors(c *config.Config, o *AdvisorOptions) (*Advisors, error) {
	a := &Advisors{turn: slices.Clone(o.Own)}
	if o.Retrieval != nil && !slices.Contains(c.Advisors.Use, config.AdvisorRetrieval) {
		a.turn = append(a.turn, o.Retrieval)
	}
	switch c.Advisors.Memory {
	case config.MemoryProcess:
		a.memory = chat.NewMemory(c.Chat.KeptMessages)
	case config.MemoryOff:
		a.memory = noMemory{}
	}
	for i, name := range c.Advisors.Use {
		order := firstOrder + i
		switch name {
		case config.AdvisorSafeguard:
			s := c.Advisors.Safeguard
			a.turn = append(a.turn, advisor.Safeguard(s.Words, &advisor.SafeguardOptions{Refusal: s.Refusal, Order: &order}))
		case config.AdvisorRedact:
			mask, err := maskOf(c, o)
			if err != nil {
				return nil, err
			}
			a.turn = append(a.turn, at(order, advisor.Redact(mask)))
		case config.AdvisorRetrieval:
			if o.Retrieval == nil {
				return nil, fmt.Errorf("%s: advisors.use: this program searches no documents: leave retrieval out", c.Origin("advisors.use").Place)
			}
			a.turn = append(a.turn, at(order, o.Retrieval))
		case config.AdvisorLogger:
			to := slog.New(asInfo{o.Logger.Handler()})
			if file := c.Advisors.Logger.File; file != "" {
				var err error
				if a.file, err = os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
					return nil, fmt.Errorf("%s: advisors.logger.file: %w", c.Origin("advisors.logger.file").Place, err)
				}
				to = slog.New(asInfo{slog.NewTextHandler(a.file, nil)})
			}
			one := at(order, advisor.Logger(to))
			if c.Advisors.Logger.Rounds {
				a.round = append(a.round, one)
			} else {
				a.turn = append(a.turn, one)
			}
		}
	}
	return a, nil
}

// at returns an advisor with another order.
func at(order int, a advisor.Advisor) advisor.Advisor {
	return advisor.New(a.Name(), order, a.Advise)
}

// maskOf returns the function that masks answers.
func maskOf(c *config.Config, o *AdvisorOptions) (func(string) string, error) {
	var patterns []*regexp.Regexp
	for _, p := range c.Advisors.Redact.Patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("%s: advisors.redact.patterns: %w", c.Origin("advisors.redact.patterns").Place, err)
		}
		patterns = append(patterns, re)
	}
	names := append(slices.Clone(c.Advisors.Redact.Variables), "OPENAI_API_KEY")
	var tokens []string
	for _, token := range []string{c.Page.Token, c.MCP.Token} {
		if inside := secret.Names(token); len(inside) > 0 { // a program that does not need the token does not resolve it
			names = append(names, inside...)
		} else {
			tokens = append(tokens, token)
		}
	}
	for _, name := range c.ProfileNames() {
		p, err := c.Profile(name, o.Lookup)
		if err != nil {
			continue // a profile that cannot be used sends no key
		}
		names = append(names, secret.Names(p.Key)...)
		for _, header := range p.Headers {
			names = append(names, secret.Names(header)...)
		}
	}
	known := knownSecrets{names: names, tokens: tokens, lookup: o.Lookup}
	return func(text string) string {
		text = known.redactor().String(text)
		if o.Mask != nil {
			text = o.Mask(text)
		}
		for _, re := range patterns {
			text = re.ReplaceAllLiteralString(text, secret.Mask)
		}
		return text
	}, nil
}

// knownSecrets are the values of variables and the tokens of a program.
type knownSecrets struct {
	names, tokens []string
	lookup        secret.Lookup

	mu     sync.Mutex
	values []string
	made   *secret.Redactor // masks values
}

// redactor returns a redactor for the present values, which may change while the program
// runs.
func (k *knownSecrets) redactor() *secret.Redactor {
	values := slices.Clone(k.tokens)
	for _, name := range k.names {
		value, _ := k.lookup(name)
		values = append(values, value)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !slices.Equal(k.values, values) {
		k.values, k.made = values, secret.NewRedactor(values...)
	}
	return k.made
}

// Apply sets the advisors and the memory of a client.
func (a *Advisors) Apply(o *chat.ClientOptions) (err error) {
	o.Memory = cmp.Or(a.memory, o.Memory)
	if len(a.turn) > 0 {
		if o.Middleware, err = advisor.Chain(a.turn...); err != nil {
			return err
		}
	}
	if len(a.round) > 0 {
		o.RoundMiddleware, err = advisor.Chain(a.round...)
	}
	return err
}

// Close closes the file of the logger.
func (a *Advisors) Close() error {
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}

// asInfo raises all lines to the level Info, and writes them whatever level the handler
// has, because the configuration asks for them.
type asInfo struct{ slog.Handler }

// Enabled implements slog.Handler.
func (h asInfo) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (h asInfo) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelInfo
	return h.Handler.Handle(ctx, r)
}

// noMemory remembers nothing.
type noMemory struct{}

// Load implements chat.Memory.
func (noMemory) Load(context.Context, string, chat.Window) ([]llm.Message, error) { return nil, nil }

// Append implements chat.Memory.
func (noMemory) Append(context.Context, string, ...llm.Message) error { return nil }

// Clear implements chat.Memory.
func (noMemory) Clear(context.Context, string) error { return nil }
