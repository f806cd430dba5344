package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/localpass/localpass/internal/worker"
)

// workerName is the name under which this package's workers are started.
const workerName = "localpass-sandbox"

// Main prepares a program for isolated workers, which are the same program started again.
// It must be the first line of main, and of TestMain in packages whose tests use an
// isolated sandbox:
//
//	func main() {
//		sandbox.Main()
//		…
//	}
//
// In the program itself Main returns at once. In a worker it never returns: it serves
// runs until the program that started it is gone. Package-level variables and init
// functions have run before that, also in each worker.
//
// Engines for [Options].Engine other than the default must be passed here as well, so
// that the workers have them.
func Main(engines ...Engine) {
	if !worker.Is(workerName) {
		return
	}
	in, out := worker.Pipes()
	lim := table()
	os.Exit(worker.Serve(in, out, lim.FrameBytes, func(data []byte) ([]byte, func(*worker.Child, worker.Frame) error, error) {
		return setUpWorker(data, engines)
	}))
}

// workerSetup is the sandbox's part of a worker's first frame.
type workerSetup struct {
	Engine  string // the id of the engine that is wanted
	Version string
	// Translates says that the program's engine has a translator, so that the worker's
	// must have one.
	Translates bool `json:",omitempty"`
	// CallDepth is the program's limit.
	CallDepth int
}

// setUpWorker prepares a worker: it finds the engine and runs a first program while files
// can still be read, so that nothing needs to be loaded later.
func setUpWorker(data []byte, engines []Engine) ([]byte, func(*worker.Child, worker.Frame) error, error) {
	var want workerSetup
	if err := json.Unmarshal(data, &want); err != nil {
		return nil, nil, fmt.Errorf("sandbox: worker setup: %w", err)
	}
	lim := table()
	engine := findEngine(append(engines, newGoja(&lim, nil)), want.Engine)
	if engine == nil {
		return nil, nil, fmt.Errorf("sandbox: the worker has no engine %q; name it in the call of sandbox.Main", want.Engine)
	}
	if have := engine.Runtime().Version; have != want.Version {
		return nil, nil, fmt.Errorf("sandbox: the worker has version %s of engine %q, and the program %s; build both from the same source", have, want.Engine, want.Version)
	}
	if want.Translates && !translates(engine) {
		return nil, nil, errors.New("sandbox: the program's engine translates TypeScript, and the worker's does not; name typescript.Engine() in the call of sandbox.Main too")
	}
	if own, ok := engine.(*gojaEngine); ok { // as the program's: its limits, and a translator only where it has one
		lim.CallDepth = want.CallDepth
		translator := own.translator
		if !want.Translates {
			translator = nil
		}
		engine = newGoja(&lim, translator)
	}
	s := newServer(engine, &lim)
	s.warm()
	return nil, s.handle, nil
}

func findEngine(engines []Engine, id string) Engine {
	for _, e := range engines {
		if e.Runtime().ID == id {
			return e
		}
	}
	return nil
}
