// Package typescript lets a sandbox run specs in TypeScript, and in JavaScript newer than
// the engine: for await, async generators, decorators, using. It is the only package that
// links esbuild, 4.2 MB of a program.
//
//	func main() {
//		sandbox.Main(typescript.Engine()) // the workers translate
//		box, err := sandbox.New(&sandbox.Options{Engine: typescript.Engine()})
//		…
//	}
//
// Types are taken out, not checked. Without this package such a spec is refused with a
// problem of reason "unsupported-syntax".
package typescript

import (
	"github.com/evanw/esbuild/pkg/api"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/translate"
)

// Engine returns the default engine of a sandbox with a translator. Receipts of one are
// valid for the other.
func Engine() sandbox.Engine { return sandbox.Goja(Translator()) }

// Translator returns esbuild as a translator.
func Translator() translate.Translator { return translator{} }

type translator struct{}

// Translate runs esbuild. What is named as not supported is what the engine has not;
// everything else stays as it is.
func (translator) Translate(in translate.Request) translate.Result {
	loader := api.LoaderJS
	if in.TypeScript {
		loader = api.LoaderTS
	}
	out := api.Transform(in.Code, api.TransformOptions{
		Loader:   loader,
		LogLevel: api.LogLevelSilent,
		Color:    api.ColorNever,
		Target:   api.ESNext,
		Supported: map[string]bool{
			"async-await": in.KeepAsync, "async-generator": false, "for-await": false, "using": false, "decorators": false,
			"class-private-brand-check": false,
			"class-private-accessor":    in.KeepPrivate, "class-private-field": in.KeepPrivate, "class-private-method": in.KeepPrivate,
			"class-private-static-accessor": in.KeepPrivate, "class-private-static-field": in.KeepPrivate, "class-private-static-method": in.KeepPrivate,
		},
		Charset:        api.CharsetUTF8,
		LegalComments:  api.LegalCommentsNone,
		Sourcemap:      api.SourceMapExternal,
		SourcesContent: api.SourcesContentExclude,
		Sourcefile:     "code",
		TsconfigRaw:    "{}",
	})
	t := translate.Result{Code: string(out.Code), Map: out.Map}
	for _, e := range out.Errors {
		m := translate.Message{Text: e.Text}
		if e.Location != nil {
			m.Line, m.Column, m.LineText = e.Location.Line, e.Location.Column, e.Location.LineText
		}
		t.Errors = append(t.Errors, m)
	}
	return t
}
