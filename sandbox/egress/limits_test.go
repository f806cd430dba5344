package egress_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
)

func TestLimits(t *testing.T) {
	var cut atomic.Bool
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bomb": // 1 GiB in a few hundred kilobytes
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			block := make([]byte, 1<<20)
			for range 1 << 10 {
				if _, err := z.Write(block); err != nil {
					cut.Store(true)
					return
				}
			}
			z.Close()
		case "/endless":
			block := make([]byte, 64<<10)
			for {
				if _, err := w.Write(block); err != nil {
					cut.Store(true)
					return
				}
			}
		case "/exact":
			w.Write(make([]byte, 1<<20))
		case "/header":
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		case "/half":
			w.Header().Set("Content-Length", "100")
			w.Write([]byte("x"))
		default:
			io.Copy(w, r.Body)
		}
	})
	b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, handler, public(), func(o *egress.Options) {
		o.Limits = egress.Limits{Body: 1 << 20, Bytes: 3 << 20, Requests: 6, Send: 1000}
	})
	for _, path := range []string{"bomb", "endless"} {
		body, err := get(t, b, "http://good.test/"+path)
		assert.Equal(t, "response-body-too-large", reason(t, err), path)
		assert.Len(t, body, 1<<20, "%s: what fits is there", path)
	}
	body, err := get(t, b, "http://good.test/exact")
	require.NoError(t, err)
	assert.Len(t, body, 1<<20)
	_, err = get(t, b, "http://good.test/header")
	assert.Equal(t, "io", reason(t, err))
	_, err = get(t, b, "http://good.test/half")
	assert.Equal(t, "io", reason(t, err))
	_, err = send(t, b, "POST", "http://good.test/", strings.Repeat("x", 1000), nil)
	assert.NoError(t, err)
	_, err = send(t, b, "POST", "http://good.test/", strings.Repeat("x", 1001), nil)
	assert.Equal(t, "request-body-too-large", reason(t, err))
	u, _ := url.Parse("http://good.test/")
	_, err = b.RoundTrip(&http.Request{Method: "POST", URL: u, Body: io.NopCloser(io.LimitReader(zeros{}, 5000))})
	assert.Equal(t, "request-body-too-large", reason(t, err), "of unknown length")

	call, err := b.NewCall(nil)
	require.NoError(t, err)
	for range 3 {
		_, err = get(t, call, "http://good.test/exact")
		require.NoError(t, err)
	}
	_, err = get(t, call, "http://good.test/exact")
	assert.Equal(t, "byte-budget", reason(t, err))
	_, err = get(t, call, "http://10.0.0.1/")
	assert.Equal(t, literal, reason(t, err))
	_, err = get(t, call, "http://good.test/header")
	require.Error(t, err)
	_, err = get(t, call, "http://good.test/")
	assert.Equal(t, "request-budget", reason(t, err))
	requests, bytes := call.Usage()
	assert.Equal(t, 7, requests)
	assert.Greater(t, bytes, int64(3<<20))
	assert.Equal(t, []activity.Denial{{Component: "fetch", Reason: literal, Detail: "10.0.0.1 -> 10.0.0.1"}}, call.Denials())

	lower, err := b.NewCall(&egress.CallOptions{Limits: egress.Limits{Body: 10, Requests: 100}})
	require.NoError(t, err)
	_, err = get(t, lower, "http://good.test/exact")
	assert.Equal(t, "response-body-too-large", reason(t, err))
	for range 5 {
		_, err = get(t, lower, "http://good.test/")
		require.NoError(t, err)
	}
	_, err = get(t, lower, "http://good.test/")
	assert.Equal(t, "request-budget", reason(t, err), "a call cannot raise the guard's limits")
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestTimes(t *testing.T) {
	for name, tt := range map[string]struct {
		dial func(context.Context) (net.Conn, error)
		want time.Duration
	}{
		"connect":  {func(ctx context.Context) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }, 5 * time.Second},
		"response": {func(context.Context) (net.Conn, error) { a, b := net.Pipe(); go io.Copy(io.Discard, b); return a, nil }, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dns := &answers{table: public()}
				g, err := egress.New(egress.Policy{Mode: toolspec.NetworkStrict}, &egress.Options{Resolver: dns,
					Dial: func(ctx context.Context, _, _ string) (net.Conn, error) { return tt.dial(ctx) }})
				require.NoError(t, err)
				start := time.Now()
				_, err = get(t, g, "http://good.test/")
				assert.Equal(t, "timeout", reason(t, err))
				assert.ErrorIs(t, err, context.DeadlineExceeded)
				var timeout net.Error
				assert.True(t, errors.As(err, &timeout) && timeout.Timeout())
				assert.Equal(t, tt.want, time.Since(start))

				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				req, err := http.NewRequestWithContext(ctx, "GET", "http://good.test/", nil)
				require.NoError(t, err)
				_, err = g.Do(req)
				assert.Equal(t, "interrupted", reason(t, err))
				assert.ErrorIs(t, err, context.Canceled)
				require.NoError(t, g.Close())
				synctest.Wait()
			})
		})
	}
}
