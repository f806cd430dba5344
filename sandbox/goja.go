package sandbox

import (
	"context"

	"github.com/localpass/localpass/sandbox/internal/js"
	"github.com/localpass/localpass/sandbox/internal/platform/intl"
	"github.com/localpass/localpass/sandbox/translate"
	"github.com/localpass/localpass/toolspec"
)

// The default engine. Its major version changes when code that passed could
// behave differently: receipts are bound to it.
const (
	runtimeID      = "localpass/goja"
	runtimeVersion = "1.0.0"
)

// Goja returns the default engine with a translator, which removes types and converts
// newer syntax before the code is compiled. With a nil translator it is the same engine
// as for a nil [Options].Engine. A program with isolated workers must also pass the
// engine to [Main].
func Goja(translator translate.Translator) Engine {
	lim := table()
	return newGoja(&lim, translator)
}

// gojaEngine is the default engine.
type gojaEngine struct {
	limits     *js.Limits
	translator translate.Translator
	zones      intl.Zones
}

func newGoja(l *Limits, translator translate.Translator) *gojaEngine {
	return &gojaEngine{limits: (*js.Limits)(&l.CodeLimits), translator: translator}
}

// translates reports whether an engine is the default one with a translator.
func translates(e Engine) bool {
	g, ok := e.(*gojaEngine)
	return ok && g.translator != nil
}

func (e *gojaEngine) Runtime() toolspec.Runtime {
	return toolspec.Runtime{ID: runtimeID, Version: runtimeVersion}
}

func (e *gojaEngine) Compile(src Source) (Program, toolspec.Problems) {
	p, problems := js.Compile(js.Source{Code: src.Code, TypeScript: src.TypeScript, Count: src.Count, Translator: e.translator}, e.limits)
	if p == nil {
		return nil, problems
	}
	return &gojaProgram{Program: p, engine: e}, nil
}

type gojaProgram struct {
	*js.Program
	engine *gojaEngine
}

func (p *gojaProgram) Run(ctx context.Context, in *Invocation) *toolspec.Outcome {
	return p.Program.Run(ctx, &js.Input{
		Globals: in.Globals, Unset: in.Unset, Statements: in.Statements, CallTool: in.CallTool, Host: in.Host, Grants: js.Grants(in.Grants),
		Console: in.Console, Guarded: in.Guarded, Now: in.Now, Random: in.Random, Zones: p.engine.zones.Load,
	})
}
