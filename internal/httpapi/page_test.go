package httpapi_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/httpapi"
)

type place struct {
	List  string `json:"l"`
	After int    `json:"a"`
}

func TestCursor(t *testing.T) {
	var at place
	require.NoError(t, httpapi.DecodeCursor(httpapi.EncodeCursor(place{"tools", 7}), &at))
	assert.Equal(t, place{"tools", 7}, at)
	require.NoError(t, httpapi.DecodeCursor("", &at))
	assert.Equal(t, place{"tools", 7}, at, "no cursor changes nothing")
	for _, bad := range []string{"!", "eyJ", httpapi.EncodeCursor("text"), httpapi.EncodeCursor(map[string]any{"unknown": 1})} {
		assert.Error(t, httpapi.DecodeCursor(bad, &at), bad)
	}
}

func TestPageLimit(t *testing.T) {
	for text, want := range map[string]int{"": 50, "1": 1, "200": 200, "0": 0, "201": 0, "-1": 0, "x": 0, "1.0": 0} {
		limit, err := httpapi.PageLimit(url.Values{"limit": {text}}, httpapi.DefaultPage, httpapi.MaxPage)
		assert.Equal(t, want, limit, text)
		assert.Equal(t, want == 0, err != nil, text)
	}
}

// FuzzCursor: what a client sends as a cursor is a place or an error.
func FuzzCursor(f *testing.F) {
	f.Add(httpapi.EncodeCursor(place{"tools", 7}))
	f.Fuzz(func(_ *testing.T, cursor string) {
		var at place
		_ = httpapi.DecodeCursor(cursor, &at)
	})
}

// After Close nothing begins, and Close waits for what runs.
func TestLife(t *testing.T) {
	l := httpapi.NewLife(1)
	release, err := l.OpenStream()
	require.NoError(t, err)
	_, err = l.OpenStream()
	require.ErrorContains(t, err, "at most 1 streams")
	release()
	ended := false
	require.True(t, l.Go(func() { <-l.Done(); ended = true }))
	l.Close()
	assert.True(t, ended)
	assert.False(t, l.Go(func() { t.Error("ran after Close") }))
	_, err = l.OpenStream()
	require.ErrorContains(t, err, "try again")
	l.Close()
}

// While a service drains, the streams that are open stay, and no other is opened.
func TestLifeDrains(t *testing.T) {
	l := httpapi.NewLife(3)
	first, err := l.OpenStream()
	require.NoError(t, err)
	second, err := l.OpenStream()
	require.NoError(t, err)
	idle := l.Drain()
	first()
	first() // counts once
	select {
	case <-idle:
		t.Error("a stream is open")
	case <-l.Done():
		t.Error("Drain is not Close")
	case <-l.Draining():
	}
	_, err = l.OpenStream()
	require.ErrorContains(t, err, "try again")
	second()
	<-idle
	<-l.Drain()
	l.Close()
	<-l.Done()
	<-httpapi.NewLife(1).Drain() // none was open
}
