package studio

import (
	"reflect"
	"sync"

	"github.com/localpass/localpass/toolspec"
)

// maxExamined bounds how many specs are remembered.
const maxExamined = 1000

// examination is what a document alone shows: the same document always shows the same.
type examination struct {
	spec          *toolspec.Spec // a copy, to compare with
	invalid, lint toolspec.Problems
}

// examinations remembers what specs showed, by tool id, so that a list of hundreds does
// not validate each of them again after every change of one.
type examinations struct {
	mu   sync.Mutex
	byID map[string]*examination
}

func (e *examinations) of(spec *toolspec.Spec, strict bool) *examination {
	id := spec.ID()
	e.mu.Lock()
	known := e.byID[id]
	e.mu.Unlock()
	if known != nil && reflect.DeepEqual(known.spec, spec) {
		return known
	}
	known = &examination{spec: spec.Clone(), invalid: spec.Validate(strict), lint: spec.Lint()}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.byID == nil || len(e.byID) >= maxExamined {
		e.byID = map[string]*examination{}
	}
	e.byID[id] = known
	return known
}
