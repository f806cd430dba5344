package conversation_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/persistence/memory"
)

// plain hides the optional interfaces of a persistence.
type plain struct{ localpass.Persistence }

func TestStores(t *testing.T) {
	for _, c := range []struct {
		name string
		open func(t *testing.T) localpass.Persistence
	}{
		{"memory", func(*testing.T) localpass.Persistence { return memory.New() }},
		{"file", func(t *testing.T) localpass.Persistence {
			p, err := file.Open(t.TempDir(), nil)
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, p.Close()) })
			return p
		}},
		{"without batches", func(*testing.T) localpass.Persistence { return plain{memory.New()} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			chattest.TestStore(t, func(t *testing.T) conversation.Store {
				s, err := conversation.NewStore(c.open(t))
				require.NoError(t, err)
				return s
			})
		})
	}
	_, err := conversation.NewStore(nil)
	assert.ErrorIs(t, err, llm.ErrInvalid)
}
