package ollama

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/localpass/localpass/chat/internal/wire"
	"github.com/localpass/localpass/chat/llm"
)

// model is one model of a server.
type model struct {
	p       *Provider
	name    string
	info    llm.ModelInfo
	harmony bool // gpt-oss: thinking has levels, and is always on
	numCtx  int  // 0: not sent
	quirks  Quirks
}

var _ llm.Model = (*model)(nil)

// Info describes the model.
func (m *model) Info() llm.ModelInfo { return m.info }

// Generate makes one exchange.
func (m *model) Generate(ctx context.Context, req *llm.ModelRequest) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		within, cancel := context.WithCancel(ctx)
		defer cancel() // ends the exchange, whatever state it is in
		a, err := m.sendRequest(within, req)
		if err == nil {
			defer a.closeBody(cancel)
			a.yield = yield
			err = a.run()
		}
		if err != nil && (a == nil || !a.stopped) {
			yield(llm.Delta{}, m.p.failure(ctx, err))
		}
	}
}

// sendRequest sends the request, once more without what the server refuses.
func (m *model) sendRequest(ctx context.Context, req *llm.ModelRequest) (*answer, error) {
	if name := req.Options.Model; name != "" && fullName(name) != m.name {
		other, err := m.p.model(ctx, name) // what it can do is not what this one can
		if err != nil {
			return nil, err
		}
		m = other
	}
	b := &builder{model: m, req: req}
	if err := b.build(); err != nil {
		return nil, err
	}
	for {
		body, err := b.encode()
		if err != nil {
			return nil, err
		}
		resp, err := wire.Post(ctx, m.p.http, m.p.opts.ID, m.p.base.JoinPath("api", "chat").String(), m.p.opts.Header, body)
		if err == nil {
			return newAnswer(b, resp), nil
		}
		var e *llm.Error
		if errors.As(err, &e) && e.HTTPStatus == http.StatusBadRequest && isThinkRefusal(e.Message) && b.dropThink() {
			continue
		}
		return nil, err
	}
}

// drainWait is how long the rest of a body is waited for after the server's last
// word, so that the connection can be used again. It is a moment away, or not
// worth waiting for.
const drainWait = 100 * time.Millisecond

// closeBody gives the connection back. After the last frame only the end of the body is
// left to read.
func (a *answer) closeBody(cancel context.CancelFunc) {
	if a.done {
		timer := time.AfterFunc(drainWait, cancel)
		_, _ = io.Copy(io.Discard, io.LimitReader(a.body, 4<<10))
		timer.Stop()
	}
	cancel()
	a.body.Close()
}
