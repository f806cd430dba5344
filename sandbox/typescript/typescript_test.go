package typescript_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/typescript"
	"github.com/localpass/localpass/toolspec"
)

func TestMain(m *testing.M) {
	sandbox.Main(typescript.Engine())
	m.Run()
}

func request(code string, language string) *toolspec.RunRequest {
	return &toolspec.RunRequest{
		Spec:    &toolspec.Spec{Name: "test", Code: code, CodeType: toolspec.CodeTypeJavascript, Language: language},
		Posture: &toolspec.Posture{Limits: toolspec.Limits{Timeout: 10 * time.Second}},
	}
}

// Code that must be translated runs with the engine and is refused without it, in both
// tiers, with a problem that says what to do; plain code runs either way.
func TestEngine(t *testing.T) {
	for _, tier := range []toolspec.Tier{toolspec.TierIsolated, toolspec.TierInProcess} {
		for _, c := range []struct{ name, code, language string }{
			{"types", `const n: number = 1; return {n}`, toolspec.LanguageTypeScript},
			{"newer syntax", `let n = 0; for await (const x of [1]) n += x; return {n}`, ""},
			{"plain", `return {n: 1}`, ""},
		} {
			t.Run(string(tier)+"/"+c.name, func(t *testing.T) {
				with, err := sandbox.New(&sandbox.Options{Tier: tier, Workers: 1, Engine: typescript.Engine()})
				require.NoError(t, err)
				defer with.Close()
				out, err := with.Run(context.Background(), request(c.code, c.language))
				require.NoError(t, err)
				require.Nil(t, out.Err)
				assert.JSONEq(t, `{"n":1}`, string(out.Result))

				without, err := sandbox.New(&sandbox.Options{Tier: tier, Workers: 1})
				require.NoError(t, err)
				defer without.Close()
				out, err = without.Run(context.Background(), request(c.code, c.language))
				require.NoError(t, err)
				if c.name == "plain" {
					require.Nil(t, out.Err)
					return
				}
				require.NotNil(t, out.Err)
				assert.Contains(t, out.Err.Error(), "sandbox/typescript")
				assert.Equal(t, with.Runtime(toolspec.L0), without.Runtime(toolspec.L0), "receipts of one are valid for the other")
			})
		}
	}
}

func ExampleEngine() {
	box, err := sandbox.New(&sandbox.Options{Engine: typescript.Engine()}) // main: sandbox.Main(typescript.Engine())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer box.Close()
	out, err := box.Run(context.Background(), request(`const greeting: string = "hello"; return greeting`, toolspec.LanguageTypeScript))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(out.Result))
	// Output: "hello"
}
