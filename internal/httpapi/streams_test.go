package httpapi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/httpapi"
)

func TestStreams(t *testing.T) {
	var s httpapi.Streams
	first, err := s.Enter(2)
	require.NoError(t, err)
	_, err = s.Enter(2)
	require.NoError(t, err)
	for range 3 { // who is refused is not counted
		_, err = s.Enter(2)
		assert.ErrorContains(t, err, "at most 2 streams can be open")
	}
	first()
	first()
	_, err = s.Enter(2)
	require.NoError(t, err)
	_, err = s.Enter(2)
	assert.Error(t, err, "one that left twice left once")
}
