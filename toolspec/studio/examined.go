package studio

import (
	"reflect"
	"sync"

	"github.com/localpass/localpass/toolspec"
)

// maxExamined bounds the number of cached examinations.
const maxExamined = 1000

// examination is the result of examining a document alone; it is the same each time for
// the same document.
type examination struct {
	spec          *toolspec.Spec // a copy, to compare with
	hash          string         // of its content
	invalid, lint toolspec.Problems
}

// examinations caches the examinations of specs by tool id, so that a list of hundreds of
// specs is not validated again after every change of one.
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
	known = &examination{spec: spec.Clone(), hash: spec.ContentHash(), invalid: spec.Validate(strict), lint: spec.Lint()}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.byID == nil || len(e.byID) >= maxExamined {
		e.byID = map[string]*examination{}
	}
	e.byID[id] = known
	return known
}
