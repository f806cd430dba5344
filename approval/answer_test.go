package approval_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/approval"
)

// The descriptions of an answer and of a request name the decisions that the broker
// accepts.
func TestDecisionsAreDescribed(t *testing.T) {
	t.Parallel()
	for in, member := range map[reflect.Type]string{reflect.TypeFor[approval.Answer](): "Decision", reflect.TypeFor[approval.View](): "Options"} {
		field, ok := in.FieldByName(member)
		assert.True(t, ok)
		var words []string
		for _, d := range approval.Decisions() {
			words = append(words, string(d))
		}
		assert.Equal(t, strings.Join(words, ","), field.Tag.Get("enum"), "%v", in)
	}
}
