package studio_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// What is nil is an error that says so, and no panic.
func TestNilArguments(t *testing.T) {
	ctx := t.Context()
	st := newBench(t, nil).Studio
	echo, err := toolspec.Func("echo", "Gives its text back.", func(_ context.Context, in struct{ Text string }) (string, error) { return in.Text, nil }, nil)
	require.NoError(t, err)
	for name, call := range map[string]func() error{
		"the runner is nil": func() error { _, err := studio.New(ctx, nil, memory.New(), nil); return err },
		"the store is nil":  func() error { _, err := studio.New(ctx, newRunner(), nil, nil); return err },
		"test: the spec":    func() error { _, err := st.Test(ctx, nil, nil); return err },
		"test and publish: the spec": func() error {
			_, _, err := st.TestAndPublish(ctx, nil, nil)
			return err
		},
		"publish: the spec":           func() error { _, err := st.Publish(ctx, nil); return err },
		"publish the draft: the spec": func() error { _, err := st.PublishDraft(ctx, studio.Draft{}); return err },
		"save the draft: the spec":    func() error { _, err := st.SaveDraft(ctx, studio.Draft{}); return err },
		"fork: the spec":              func() error { _, err := st.Fork(ctx, nil); return err },
		"status: the spec":            func() error { _, err := st.Status(ctx, nil); return err },
		"preflight: the spec":         func() error { _, err := st.Preflight(ctx, nil, nil); return err },
		"trace: the spec":             func() error { _, err := st.Trace(ctx, nil, nil); return err },
		"try: the spec":               func() error { _, err := st.Try(ctx, nil, nil, nil); return err },
		"the tool is nil":             func() error { _, err := studio.Certify(ctx, nil, nil, nil); return err },
		"no case asserts anything":    func() error { _, err := studio.Certify(ctx, echo, nil, nil); return err },
		"the call is nil": func() error {
			_, err := admit(t, st, parse(t, echoSpec)).Call(ctx, nil)
			return err
		},
		`func "echo": the call is nil`: func() error { _, err := echo.Call(ctx, nil); return err },
		"the spec is nil":              func() error { _, problems := (*toolspec.Spec)(nil).Resolve(nil); return problems.Err() },
	} {
		t.Run(name, func(t *testing.T) { assert.ErrorContains(t, call(), name) })
	}
	stop := st.Watch(nil)
	_, err = st.SaveDraft(ctx, studio.Draft{Spec: parse(t, echoSpec)})
	assert.NoError(t, err)
	stop()
}

// A panic of a case is reported with its value and where it happened.
func TestCertifyPanic(t *testing.T) {
	tool, err := toolspec.Func("breaks", "Breaks.", func(context.Context, struct{}) (string, error) { panic("the value of it") }, nil)
	require.NoError(t, err)
	_, err = studio.Certify(t.Context(), tool, []toolspec.Case{{Want: []byte(`"x"`)}}, nil)
	require.ErrorIs(t, err, studio.ErrNoPass)
	assert.ErrorContains(t, err, "the value of it")
	assert.ErrorContains(t, err, "nil_test.go")
}
