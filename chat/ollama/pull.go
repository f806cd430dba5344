package ollama

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/url"
	"strings"

	"github.com/localpass/localpass/chat/internal/wire"
	"github.com/localpass/localpass/chat/llm"
	"github.com/ollama/ollama/api"
)

// errStop ends a download whose caller has stopped reading.
var errStop = errors.New("stopped")

// Pull downloads a model and yields the progress over all of its files that are known so
// far. Leaving the loop stops the download; the server keeps the finished parts for the
// next time. A name without a tag means its tag latest. A name may begin with its
// registry; one that begins with http:// is downloaded without TLS, but only if the
// registry is a loopback address of the server's machine.
func (p *Provider) Pull(ctx context.Context, name string) iter.Seq2[llm.PullProgress, error] {
	return func(yield func(llm.PullProgress, error) bool) {
		if strings.TrimSpace(name) == "" {
			yield(llm.PullProgress{}, fmt.Errorf("chat/ollama: the name of a model is missing: %w", llm.ErrInvalid))
			return
		}
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		type file struct{ completed, total int64 }
		files := map[string]file{}
		var sum llm.PullProgress
		last := ""
		err := p.api.Pull(within, &api.PullRequest{Model: fullName(name), Insecure: isLocalRegistry(name)}, func(r api.ProgressResponse) error {
			last = r.Status
			if r.Digest != "" {
				before := files[r.Digest]
				now := file{max(before.completed, r.Completed), max(before.total, r.Total)}
				files[r.Digest] = now
				sum.Completed += now.completed - before.completed
				sum.Total += now.total - before.total
			}
			sum.Status = r.Status
			if !yield(sum, nil) {
				return errStop
			}
			return nil
		})
		switch {
		case errors.Is(err, errStop):
		case err != nil:
			yield(llm.PullProgress{}, p.pullFailure(ctx, err))
		case ctx.Err() != nil: // the library returns nil in this case
			yield(llm.PullProgress{}, p.convertError(ctx, ctx.Err()))
		case last != "success":
			yield(llm.PullProgress{}, p.broken(fmt.Errorf("the download ended with the status %q", last)))
		}
	}
}

// isLocalRegistry reports whether a name refers to a registry without TLS on the local
// machine, which is reached without a proxy.
func isLocalRegistry(name string) bool {
	u, err := url.Parse(strings.TrimSpace(name))
	if err != nil || u.Scheme != "http" || u.User != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}

// pullFailure returns the error of a failed download. The server reports the reason as
// plain text.
func (p *Provider) pullFailure(ctx context.Context, err error) error {
	var known *llm.Error
	var transport *url.Error
	if ctx.Err() != nil || errors.As(err, &known) || errors.As(err, &transport) {
		return p.convertError(ctx, err)
	}
	words := strings.ToLower(err.Error())
	for _, missing := range []string{"file does not exist", "manifest unknown", "not found"} {
		if strings.Contains(words, missing) {
			return &llm.Error{Code: llm.CodeModelNotFound, Provider: p.opts.ID, Message: "there is no such model to pull"}
		}
	}
	return &llm.Error{Code: llm.CodeUnavailable, Provider: p.opts.ID, Retryable: true, Message: wire.Clip(err.Error(), 300)}
}
