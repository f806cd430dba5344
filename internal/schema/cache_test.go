package schema_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/schema"
)

func TestCache(t *testing.T) {
	var c schema.Cache
	of := func(i int) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"n":{"const":%d}}}`, i))
	}
	first, err := c.Object(of(0))
	require.NoError(t, err)
	again, err := c.Object(of(0))
	require.NoError(t, err)
	assert.Same(t, first, again)

	var wg sync.WaitGroup
	for worker := range 4 { // more than are kept
		wg.Go(func() {
			for i := range 700 {
				s, err := c.Object(of(i))
				if assert.NoError(t, err) {
					assert.NoError(t, s.Validate(json.RawMessage(fmt.Sprintf(`{"n":%d}`, i))), worker)
					assert.Error(t, s.Validate(json.RawMessage(`{"n":-1}`)))
				}
			}
		})
	}
	wg.Wait()

	for range 2 {
		_, err = c.Object(json.RawMessage(`{"type":"string"}`))
		assert.ErrorContains(t, err, "object")
	}
}
