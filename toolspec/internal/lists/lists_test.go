package lists_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/toolspec/internal/lists"
)

func TestSets(t *testing.T) {
	a := lists.Set([]string{"c", "a", "c", "b"})
	assert.Equal(t, []string{"a", "b", "c"}, a)
	b := lists.Set([]string{"d", "b"})
	assert.Equal(t, []string{"b"}, lists.Overlap(a, b))
	assert.Equal(t, []string{"a", "c"}, lists.Minus(a, b))
	assert.Equal(t, []string{"a", "b", "c"}, a, "unchanged")
	assert.Empty(t, lists.Minus(nil, a))
	assert.Empty(t, lists.Overlap(a, nil))
}
