package toolspec_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

const limited = `{"name":"limited","description":"d","codeType":"Javascript","code":"return 1;","params":[],
	"x-language":"typescript","x-limits":{"timeoutMs":5000,"statements":1000}}`

func TestOwnLimits(t *testing.T) {
	spec, err := toolspec.ParseSpec([]byte(limited))
	require.NoError(t, err)
	assert.Equal(t, toolspec.Limits{Timeout: 5 * time.Second, Statements: 1000}, spec.Limits)
	assert.Equal(t, toolspec.LanguageTypeScript, spec.Language)
	assert.Empty(t, spec.Validate(false).Errors())

	// Lower than the host's, never above it.
	for _, tt := range []struct{ host, own, want toolspec.Limits }{
		{toolspec.Limits{}, toolspec.Limits{}, toolspec.Limits{Timeout: 30 * time.Second}},
		{toolspec.Limits{}, toolspec.Limits{Timeout: time.Hour}, toolspec.Limits{Timeout: 30 * time.Second}},
		{toolspec.Limits{Timeout: time.Minute, Statements: 10}, toolspec.Limits{Timeout: time.Second, Statements: 100}, toolspec.Limits{Timeout: time.Second, Statements: 10}},
		{toolspec.Limits{}, toolspec.Limits{Statements: 5}, toolspec.Limits{Timeout: 30 * time.Second, Statements: 5}},
	} {
		spec.Limits = tt.own
		posture, problems := spec.Resolve(&toolspec.Host{Baseline: toolspec.Baseline{Limits: tt.host}})
		require.Empty(t, problems.Errors())
		assert.Equal(t, tt.want, posture.Limits, "%+v", tt)
	}
}

// Both are part of what a pass is bound to, and survive the way back.
func TestOwnLimitsRoundTrip(t *testing.T) {
	spec, err := toolspec.ParseSpec([]byte(limited))
	require.NoError(t, err)
	hash := spec.ContentHash()
	spec.Limits.Timeout = time.Second
	assert.NotEqual(t, hash, spec.ContentHash())
	out, err := json.Marshal(spec)
	require.NoError(t, err)
	again, err := toolspec.ParseSpec(out)
	require.NoError(t, err)
	assert.Equal(t, spec.ContentHash(), again.ContentHash())
	assert.Equal(t, spec.Limits, again.Limits)

	hash = again.ContentHash()
	again.Language = toolspec.LanguageJavaScript
	assert.NotEqual(t, hash, again.ContentHash())
	hash = again.ContentHash()
	again.Language = ""
	assert.Equal(t, hash, again.ContentHash(), "JavaScript is what an absent language means")
	again.Limits = toolspec.Limits{}
	out, err = json.Marshal(again)
	require.NoError(t, err)
	bare, err := toolspec.ParseSpec(out)
	require.NoError(t, err)
	assert.Zero(t, bare.Limits)
	assert.Empty(t, bare.Language)
}

func TestOwnLimitsThatAreNone(t *testing.T) {
	for member, want := range map[string]string{
		`"x-limits":7`:                 "x-limits",
		`"x-limits":{"timeoutMs":0}`:   "x-limits.timeoutMs",
		`"x-limits":{"timeoutMs":1.5}`: "x-limits.timeoutMs",
		`"x-limits":{"statements":-1}`: "x-limits.statements",
		`"x-language":7`:               "x-language",
		`"x-language":"python"`:        "x-language",
	} {
		_, err := toolspec.ParseSpec([]byte(`{"name":"n","description":"d","codeType":"Javascript","code":"return 1;","params":[],` + member + `}`))
		require.ErrorContains(t, err, want+":", member)
	}
	spec, err := toolspec.ParseSpec([]byte(`{"name":"n","description":"d","codeType":"Javascript","code":"return 1;","params":[],"x-limits":{"memory":1}}`))
	require.NoError(t, err)
	problems := spec.Validate(false)
	assert.Empty(t, problems.Errors())
	assert.Contains(t, problems.Error(), "x-limits.memory")
}
