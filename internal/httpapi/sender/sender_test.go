package sender_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/httpapi/sender"
	"github.com/localpass/localpass/toolspec"
)

func TestOf(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	who, err := sender.Of(r, nil)
	require.NoError(t, err)
	assert.Equal(t, "local via http", who.String())

	who, err = sender.Of(r, func(*http.Request) (toolspec.Principal, error) { return toolspec.Principal{Subject: "ada"}, nil })
	require.NoError(t, err)
	assert.Equal(t, "ada", who.String())

	unknown := errors.New("no session")
	for _, bad := range []func(*http.Request) (toolspec.Principal, error){
		func(*http.Request) (toolspec.Principal, error) { return toolspec.Principal{Subject: "ada"}, unknown },
		func(*http.Request) (toolspec.Principal, error) { return toolspec.Principal{Via: "http"}, nil },
	} {
		who, err = sender.Of(r, bad)
		assert.ErrorContains(t, err, "it is not known who sends this")
		assert.Zero(t, who, "nobody")
	}
}
