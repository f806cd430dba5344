package termtext

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCount(t *testing.T) {
	assert.Equal(t, []string{"0 documents", "1 document", "2 documents"}, []string{Count(0, "document"), Count(1, "document"), Count(2, "document")})
}
