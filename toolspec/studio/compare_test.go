package studio_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// What counts is what is in force on the studio's own host.
func TestCompareOnTheStudiosHost(t *testing.T) {
	plain := parse(t, echoSpec)
	open := plain.Clone()
	yes := true
	open.Overrides.FileRead = &yes
	assert.True(t, newBench(t, nil).Compare(plain, open).Wider)
	host := &toolspec.Host{Baseline: toolspec.Baseline{FileRead: true}}
	assert.False(t, newBench(t, &studio.Options{Host: host}).Compare(plain, open).Wider, "it could read before")
}
