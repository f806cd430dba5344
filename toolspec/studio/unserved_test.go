package studio_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
	"github.com/localpass/localpass/toolspec/studio"
)

// Each reason for which a tool cannot be called, of own, bundled and published specs.
func TestUnserved(t *testing.T) {
	ctx := t.Context()
	named := func(name, id string) *toolspec.Spec {
		return parse(t, strings.NewReplacer(`"name": "echo"`, `"name": "`+name+`"`, "0a01", id).Replace(echoSpec))
	}
	bundled, passed, live := named("bundled", "0a02"), named("passed", "0a04"), named("live", "0a05")
	keyed := parse(t, strings.NewReplacer(`"name": "echo"`, `"name": "keyed"`, "0a01", "0a03", `"hi"`, `"${GREETING} ${NAME_OF}"`).Replace(echoSpec))
	b := newBench(t, &studio.Options{Lookup: secret.Map(map[string]string{"NAME_OF": "x"}), Bundled: func() ([]*toolspec.Spec, error) { return []*toolspec.Spec{bundled}, nil }})
	for _, spec := range []*toolspec.Spec{keyed, passed} {
		_, err := b.SaveDraft(ctx, studio.Draft{Spec: spec})
		require.NoError(t, err)
	}
	_, err := b.Test(ctx, passed, nil)
	require.NoError(t, err)
	tool := admit(t, b.Studio, live)

	names := []string{"nothing", "keyed", "bundled", "passed", "live"}
	want := []toolspec.Unserved{{Name: "nothing", Reason: toolspec.UnservedUnknown}, {Name: "keyed", Reason: toolspec.UnservedNeedsKey, Keys: []string{"GREETING"}},
		{Name: "bundled", Reason: toolspec.UnservedNotPassed}, {Name: "passed", Reason: toolspec.UnservedNotPublished}}
	got, err := b.Unserved(ctx, names)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	for verdict, reason := range map[studio.Serving]toolspec.UnservedReason{studio.ServingExcluded: toolspec.UnservedNotExposed, studio.ServingNotExposed: toolspec.UnservedNotExposed, studio.ServingNotPublished: toolspec.UnservedNotPublished} {
		got, err := b.UnservedBy(ctx, []string{"live"}, func(id string) studio.Serving {
			assert.Equal(t, tool.ID(), id)
			return verdict
		})
		require.NoError(t, err)
		assert.Equal(t, []toolspec.Unserved{{Name: "live", Reason: reason}}, got)
		assert.Contains(t, []string{"live is published, not exposed", "live passed and is not published"}, got[0].Explain())
	}
	assert.Equal(t, "keyed needs a value for GREETING", want[1].Explain())
	assert.Contains(t, want[0].Explain(), "no tool nothing")
	assert.Contains(t, want[2].Explain(), "bundled holds no valid Local Pass")
	got, err = b.Unserved(ctx, nil)
	require.NoError(t, err)
	assert.Empty(t, got)
}
