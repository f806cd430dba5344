package studio_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

type sumArgs struct {
	A int `json:"a" jsonschema:"first"`
	B int `json:"b,omitempty"`
}

type sumResult struct {
	Sum int `json:"sum"`
}

func sum(_ context.Context, in sumArgs) (sumResult, error) {
	if in.A < 0 {
		return sumResult{}, errors.New("a must not be negative")
	}
	return sumResult{Sum: in.A + in.B}, nil
}

func newSum(t *testing.T) toolspec.Tool {
	t.Helper()
	tool, err := toolspec.Func("sum", "Adds.", sum, &toolspec.FuncOptions{Level: toolspec.L0, Title: "Sum"})
	require.NoError(t, err)
	return tool
}

func TestFunc(t *testing.T) {
	tool := newSum(t)
	def := tool.Definition()
	assert.JSONEq(t, `{"type":"object","properties":{"a":{"type":"integer","description":"first"},"b":{"type":"integer"}},"required":["a"],"additionalProperties":false}`, string(def.InputSchema))
	assert.NotNil(t, def.OutputSchema)
	tests := []struct {
		args, text string
		kind       toolspec.Kind
	}{
		{`{"a":1,"b":2}`, `{"sum":3}`, ""},
		{` {"a":1} `, `{"sum":1}`, ""},
		{`{}`, ``, toolspec.KindInvalidInput},
		{``, ``, toolspec.KindInvalidInput},
		{`null`, ``, toolspec.KindInvalidInput},
		{`{"a":"x"}`, ``, toolspec.KindInvalidInput},
		{`{"a":1,"c":2}`, ``, toolspec.KindInvalidInput},
		{`{"a":`, ``, toolspec.KindInvalidInput},
		{`{"a":-1}`, `RUNTIME_ERROR: a must not be negative`, toolspec.KindRuntimeError},
	}
	for _, tt := range tests {
		result := callWith(t, tool, tt.args)
		assert.Equal(t, tt.kind != "", result.IsError, tt.args)
		if tt.kind != "" {
			assert.Equal(t, tt.kind, result.Err.Kind, tt.args)
		}
		if tt.text != "" {
			assert.Equal(t, tt.text, result.Text(), tt.args)
		}
	}
}

func TestFuncResults(t *testing.T) {
	type none struct{}
	result := func(out any) *toolspec.Result {
		t.Helper()
		tool, err := toolspec.Func("x", "X.", func(context.Context, none) (any, error) { return out, nil }, nil)
		require.NoError(t, err)
		r, err := tool.Call(t.Context(), &toolspec.Call{})
		require.NoError(t, err)
		return r
	}
	assert.Equal(t, "text", result("text").Text())
	assert.Equal(t, "[1,2]", result([]int{1, 2}).Text())
	assert.Nil(t, result([]int{1}).Structured)
	assert.JSONEq(t, `{"a":1}`, string(result(map[string]int{"a": 1}).Structured))
	assert.Equal(t, toolspec.ContentImage, result(toolspec.Image([]byte("x"), "image/png")).Content[0].Type)
	assert.Len(t, result([]toolspec.Content{toolspec.Text("a"), toolspec.Audio(nil, "audio/wav")}).Content, 2)
	assert.Equal(t, "a\nb", result(toolspec.Result{Content: []toolspec.Content{toolspec.Text("a"), toolspec.Text("b")}}).Text())
	assert.True(t, result(&toolspec.Result{IsError: true}).IsError)

	tool, err := toolspec.Func("x", "X.", func(context.Context, none) (any, error) { return func() {}, nil }, nil)
	require.NoError(t, err)
	_, err = tool.Call(t.Context(), &toolspec.Call{})
	assert.ErrorContains(t, err, "JSON")
}

func TestFuncRefuses(t *testing.T) {
	type none struct{}
	ok := func(context.Context, none) (string, error) { return "", nil }
	_, err := toolspec.Func("bad name", "X.", ok, nil)
	assert.ErrorContains(t, err, "bad name")
	_, err = toolspec.Func[none, string]("x", "X.", nil, nil)
	assert.ErrorContains(t, err, "nil")
	_, err = toolspec.Func("x", "X.", func(context.Context, string) (string, error) { return "", nil }, nil)
	assert.ErrorContains(t, err, "struct")
	_, err = toolspec.Func("x", "X.", ok, &toolspec.FuncOptions{InputSchema: json.RawMessage(`{"type":"array"}`)})
	assert.ErrorContains(t, err, "object")
	type unfit struct{ C chan int }
	_, err = toolspec.Func("x", "X.", func(context.Context, unfit) (string, error) { return "", nil }, nil)
	assert.Error(t, err)
	_, err = toolspec.Func("x", "X.", func(context.Context, none) (unfit, error) { return unfit{}, nil }, nil)
	assert.Error(t, err)
}

func TestFuncErrors(t *testing.T) {
	type none struct{}
	own := &toolspec.CallError{Kind: toolspec.KindSecurity, Reason: "mine", Message: "no"}
	for want, give := range map[toolspec.Kind]error{
		toolspec.KindSecurity:     fmt.Errorf("wrapped: %w", own),
		toolspec.KindTimeout:      context.DeadlineExceeded,
		toolspec.KindCancelled:    context.Canceled,
		toolspec.KindRuntimeError: errors.New("plain"),
	} {
		tool, err := toolspec.Func("x", "X.", func(context.Context, none) (string, error) { return "", give }, nil)
		require.NoError(t, err)
		result := callWith(t, tool, `{}`)
		assert.Equal(t, want, result.Err.Kind)
	}
	assert.Nil(t, own.Definition, "an error that a tool returned is not changed")
}

func TestCallReachesTheFunction(t *testing.T) {
	type none struct{}
	tool, err := toolspec.Func("who", "Says who asks.", func(ctx context.Context, _ none) (string, error) {
		call := toolspec.CallFrom(ctx)
		if err := call.Caller().Log(ctx, toolspec.LogMessage{}); !errors.Is(err, errors.ErrUnsupported) {
			return "", fmt.Errorf("unexpected: %v", err)
		}
		return call.Principal.String(), nil
	}, nil)
	require.NoError(t, err)
	result, err := tool.Call(t.Context(), &toolspec.Call{Principal: toolspec.Principal{Subject: "ann", Issuer: "idp", Via: "http"}})
	require.NoError(t, err)
	assert.Equal(t, "ann@idp via http", result.Text())
	assert.Nil(t, toolspec.CallFrom(t.Context()))
}

func TestNoPeer(t *testing.T) {
	ctx, p := t.Context(), toolspec.NoPeer
	_, elicit := p.Elicit(ctx, &toolspec.ElicitRequest{})
	_, sample := p.Sample(ctx, &toolspec.SampleRequest{})
	_, roots := p.Roots(ctx)
	for _, err := range []error{p.Progress(ctx, toolspec.Progress{}), p.Log(ctx, toolspec.LogMessage{}), elicit, sample, roots} {
		assert.ErrorIs(t, err, errors.ErrUnsupported)
	}
}

func TestCertify(t *testing.T) {
	ctx := t.Context()
	good := []toolspec.Case{
		{Name: "both", Args: json.RawMessage(`{"a":1,"b":2}`), Want: json.RawMessage(`{"sum":3.0}`)},
		{Name: "negative", Args: json.RawMessage(`{"a":-1}`), WantError: &toolspec.WantError{Kind: toolspec.KindRuntimeError, Message: "negative"}},
	}
	passed, err := studio.Certify(ctx, newSum(t), good, nil)
	require.NoError(t, err)
	assert.NoError(t, passed.Err())
	assert.Equal(t, "go:sum", passed.ID())
	assert.Equal(t, 2, passed.Receipt().Cases)
	assert.Nil(t, passed.Posture())
	assert.Nil(t, passed.Spec())
	assert.False(t, callWith(t, passed, `{"a":1}`).IsError)

	for name, tt := range map[string]struct {
		cases []toolspec.Case
		want  string
	}{
		"no cases":           {nil, "no case asserts"},
		"nothing asserted":   {[]toolspec.Case{{Args: json.RawMessage(`{"a":1}`)}}, "no case asserts"},
		"wrong result":       {append(good, toolspec.Case{Name: "off", Args: json.RawMessage(`{"a":1}`), Want: json.RawMessage(`{"sum":2}`)}), "case 3 (off): result.sum is 1, not 2"},
		"should have failed": {[]toolspec.Case{{Args: json.RawMessage(`{"a":1}`), WantError: &toolspec.WantError{}}}, "wants it to fail"},
		"failed":             {[]toolspec.Case{{Args: json.RawMessage(`{}`), Want: json.RawMessage(`1`)}}, "case 1: it failed"},
		"wrong kind":         {[]toolspec.Case{{Args: json.RawMessage(`{}`), WantError: &toolspec.WantError{Kind: toolspec.KindTimeout}}}, `not "TIMEOUT"`},
		"wrong reason":       {[]toolspec.Case{{WantError: &toolspec.WantError{Reason: "x"}}}, `not "x"`},
		"wrong message":      {[]toolspec.Case{{WantError: &toolspec.WantError{Message: "zebra"}}}, "zebra"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := studio.Certify(ctx, newSum(t), tt.cases, nil)
			require.ErrorIs(t, err, studio.ErrNoPass)
			assert.ErrorContains(t, err, tt.want)
			assert.ErrorContains(t, err, `"sum"`)
		})
	}
}

// handMade is a Tool that somebody wrote without Func.
type handMade struct {
	def  toolspec.Definition
	call func(ctx context.Context) (*toolspec.Result, error)
}

func (h handMade) Definition() toolspec.Definition { return h.def }
func (h handMade) Call(ctx context.Context, _ *toolspec.Call) (*toolspec.Result, error) {
	return h.call(ctx)
}

func TestCertifyAnyTool(t *testing.T) {
	ctx := t.Context()
	object := json.RawMessage(`{"type":"object"}`)
	text := func(context.Context) (*toolspec.Result, error) { return toolspec.TextResult("3 apples"), nil }
	asserts := []toolspec.Case{{Want: json.RawMessage(`"3 apples"`)}}
	for name, def := range map[string]toolspec.Definition{
		"no name":           {InputSchema: object},
		"no schema":         {Name: "x"},
		"schema of a list":  {Name: "x", InputSchema: json.RawMessage(`{"type":"array"}`)},
		"bad output schema": {Name: "x", InputSchema: object, OutputSchema: json.RawMessage(`[]`)},
	} {
		_, err := studio.Certify(ctx, handMade{def, text}, asserts, nil)
		assert.Error(t, err, name)
	}
	passed, err := studio.Certify(ctx, handMade{toolspec.Definition{Name: "x", InputSchema: object, Timeout: time.Minute}, text}, asserts, &studio.CertifyOptions{ID: "mine"})
	require.NoError(t, err)
	assert.Equal(t, "mine", passed.ID())

	number := handMade{toolspec.Definition{Name: "x", InputSchema: object}, func(context.Context) (*toolspec.Result, error) { return toolspec.TextResult("42"), nil }}
	_, err = studio.Certify(ctx, number, []toolspec.Case{{Want: json.RawMessage(`"42"`)}, {Want: json.RawMessage(`42`)}}, nil)
	assert.NoError(t, err, "a text that is JSON may be wanted as text or as value")

	promised := handMade{toolspec.Definition{Name: "x", InputSchema: object, OutputSchema: object}, text}
	_, err = studio.Certify(ctx, promised, asserts, nil)
	assert.ErrorContains(t, err, "structured")

	nothing := handMade{toolspec.Definition{Name: "x", InputSchema: object}, func(context.Context) (*toolspec.Result, error) { return nil, nil }}
	_, err = studio.Certify(ctx, nothing, asserts, nil)
	assert.ErrorContains(t, err, "no result")

	slow := handMade{toolspec.Definition{Name: "x", InputSchema: object, Timeout: time.Millisecond}, func(ctx context.Context) (*toolspec.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	_, err = studio.Certify(ctx, slow, []toolspec.Case{{WantError: &toolspec.WantError{Kind: toolspec.KindTimeout}}}, nil)
	assert.NoError(t, err)
}

func TestContains(t *testing.T) {
	tests := []struct{ got, want, err string }{
		{`{"a":1,"b":2}`, `{"a":1}`, ""},
		{`{"a":{"b":[1,{"c":2,"d":3}]}}`, `{"a":{"b":[1,{"c":2}]}}`, ""},
		{`1.0`, `1`, ""},
		{`100`, `1e2`, ""},
		{`9007199254740993`, `9007199254740992`, "result is 9007199254740993"},
		{`1e999999999`, `1e999999999`, ""},
		{`"a"`, `"a"`, ""},
		{`null`, `null`, ""},
		{`{"a":1}`, `{"b":1}`, `no member "b"`},
		{`[1,2]`, `[1]`, "2 elements, not 1"},
		{`[1,2]`, `[1,3]`, "result[1] is 2, not 3"},
		{`"1"`, `1`, `result is "1", not 1`},
		{`1`, `{"a":1}`, "result is 1"},
		{`1`, `[1]`, "result is 1"},
		{`true`, `false`, "result is true"},
		{`{`, `1`, "the result is not JSON"},
		{`1`, `{`, "want is not JSON"},
		{`1 2`, `1`, "more text"},
		{`{"text":"` + long() + `"}`, `{"text":"x"}`, "..."},
	}
	for _, tt := range tests {
		err := toolspec.Case{Want: json.RawMessage(tt.want)}.CheckResult(json.RawMessage(tt.got))
		if tt.err == "" {
			assert.NoError(t, err, "%s in %s", tt.want, tt.got)
			continue
		}
		assert.ErrorContains(t, err, tt.err)
	}
}

func long() string {
	b := make([]byte, 500)
	for i := range b {
		b[i] = 'x'
	}
	return string(b)
}

func TestLevelText(t *testing.T) {
	for _, l := range []toolspec.Level{toolspec.LevelUnknown, toolspec.L0, toolspec.L1, toolspec.L2, toolspec.L3, toolspec.L4, toolspec.L5} {
		text, err := l.MarshalText()
		require.NoError(t, err)
		var back toolspec.Level
		require.NoError(t, back.UnmarshalText(text))
		assert.Equal(t, l, back)
	}
	var l toolspec.Level
	assert.Error(t, l.UnmarshalText([]byte("L9")))
	assert.Equal(t, "unknown", toolspec.Level(99).String())
	assert.True(t, toolspec.LevelUnknown.Exceeds(toolspec.L5), "unknown counts as the highest")
	assert.True(t, toolspec.Level(99).Exceeds(toolspec.L5))
	assert.False(t, toolspec.L3.Exceeds(toolspec.L3))
}

func TestCallErrorText(t *testing.T) {
	err := &toolspec.CallError{Definition: &toolspec.Definition{Name: "x"}, Kind: toolspec.KindTimeout, Reason: "deadline", Message: "too long", Err: errors.New("cause"), Line: 2, Column: 5}
	assert.Equal(t, "toolspec: x: TIMEOUT: too long (line 2, column 5): cause", err.Error())
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.NotErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, &toolspec.CallError{Kind: toolspec.KindCancelled}, context.Canceled)
	assert.Equal(t, "SECURITY: withdrawn", (&toolspec.CallError{Kind: toolspec.KindSecurity, Reason: "withdrawn"}).ModelText())
	assert.Equal(t, "JS_ERROR: the call failed", (&toolspec.CallError{Kind: toolspec.KindJSError}).ModelText())
}

func TestContentConstructors(t *testing.T) {
	assert.Equal(t, toolspec.Content{Type: "resource", URI: "u", MIMEType: "m", Text: "t"}, toolspec.TextResource("u", "m", "t"))
	assert.Equal(t, toolspec.Content{Type: "resource", URI: "u", MIMEType: "m", Data: []byte("t")}, toolspec.BlobResource("u", "m", []byte("t")))
	assert.Equal(t, toolspec.Content{Type: "resource_link", URI: "u", Name: "n"}, toolspec.Link("u", "n"))
}

func ExampleCertify() {
	type args struct {
		Text string `json:"text" jsonschema:"what to measure"`
	}
	length, err := toolspec.Func("length", "Counts the bytes of a text.", func(_ context.Context, in args) (string, error) {
		return fmt.Sprint(len(in.Text)), nil
	}, &toolspec.FuncOptions{Level: toolspec.L0})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = studio.Certify(context.Background(), length, []toolspec.Case{{Args: []byte(`{"text":"four"}`), Want: []byte(`5`)}}, nil)
	fmt.Println(err)
	passed, err := studio.Certify(context.Background(), length, []toolspec.Case{{Args: []byte(`{"text":"four"}`), Want: []byte(`4`)}}, nil)
	fmt.Println(passed.Definition().Name, err)
	// Output:
	// studio: certify "length": no valid Local Pass: case 1: result is 4, not 5
	// length <nil>
}
