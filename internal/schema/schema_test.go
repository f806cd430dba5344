package schema_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/schema"
)

func TestForAndValidate(t *testing.T) {
	type args struct {
		City  string   `json:"city" jsonschema:"where"`
		Days  int      `json:"days,omitempty"`
		Units []string `json:"units,omitempty"`
	}
	raw, err := schema.For(reflect.TypeFor[args]())
	require.NoError(t, err)
	s, err := schema.CompileObject(raw)
	require.NoError(t, err)
	assert.NoError(t, s.Validate([]byte(`{"city":"Ulm","days":3}`)))
	assert.Error(t, s.Validate([]byte(`{"days":3}`)), "city is required")
	assert.Error(t, s.Validate([]byte(`{"city":1}`)))
	assert.Error(t, s.Validate([]byte(`{"city":`)))
	_, err = schema.For(reflect.TypeFor[func()]())
	assert.Error(t, err)
}

func TestCompileRefuses(t *testing.T) {
	for _, raw := range []string{``, `[]`, `{"type":"array"}`, `{}`, `{"type":["object"]}`, `{"type":"object","$ref":"https://example.com/x.json"}`, `{"type":"object","properties":3}`} {
		_, err := schema.CompileObject([]byte(raw))
		assert.Error(t, err, "%s", raw)
	}
	_, err := schema.Compile([]byte(`{"type":`))
	assert.Error(t, err)
}
