package demo

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A recursive schema with several references does not grow exponentially.
func TestShapesOfRecursiveSchemasEnd(t *testing.T) {
	var properties, variants []string
	for i := range 200 {
		properties = append(properties, fmt.Sprintf(`"p%d":{"$ref":"#"}`, i))
		variants = append(variants, `{"type":"null"},{"$ref":"#/x"}`)
	}
	tree := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`
	for _, raw := range []string{
		tree,
		`{"type":"object","allOf":[` + strings.Join(variants, ",") + `],"x":` + tree + `}`,
		`{"anyOf":[` + strings.Join(variants, ",") + `],"x":{"anyOf":[` + strings.Join(variants, ",") + `]}}`,
		`{"type":"object","description":"` + strings.Repeat("x", 1<<20) + `","properties":{` + strings.Join(properties, ",") + `}}`,
	} {
		start := time.Now()
		s := parseShape(json.RawMessage(raw))
		assert.NotNil(t, s)
		assert.Less(t, time.Since(start), 2*time.Minute)
	}
	s := parseShape(json.RawMessage(tree))
	assert.Len(t, s.fields, 200)
	assert.Equal(t, "object", s.kind)
}
