package js

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// analysis is the result of one walk over the syntax tree of the code.
type analysis struct {
	free    map[string]*use // names that the code does not declare
	members []memberUse     // members of free names that could be absent
	notes   []note          // other findings to report
	// classes holds the class that code requests from a host language, by the name of the
	// global.
	classes map[string]string
	// dynamic says that code may access the global object in other ways than by name.
	dynamic bool
}

// use is how a free name is used.
type use struct {
	at     file.Idx // position of its first plain use
	plain  bool     // read, called
	typeof bool     // used with typeof
	assign bool     // assigned, which creates a global variable
	called bool     // called or constructed
}

type memberUse struct {
	base, member string
	at           file.Idx
	used         bool // called, or a member of it is accessed
	scope        *scope
}

type note struct {
	at      file.Idx
	absence absence
}

// scope is one lexical scope. Its names are resolved when it closes, since a declaration
// may follow a use.
type scope struct {
	parent   *scope
	function bool
	names    map[string]struct{}
	uses     map[string]*use
}

// walker walks the tree once. It records free names and, if counting, inserts a tick at
// each function entry and loop iteration.
type walker struct {
	scope   *scope
	depth   int
	limit   int
	tooDeep file.Idx
	count   bool
	class   int // nesting depth of class bodies, in which this is never the global object
	result  analysis
}

// analyze walks the wrapper function of the code. tooDeep is the position where the depth
// of the tree exceeds the limit, 0 if it does not.
func analyze(fn *ast.FunctionLiteral, limit int, count bool) (a analysis, tooDeep file.Idx) {
	w := walker{limit: limit, count: count}
	top := w.push(true)
	w.function(fn)
	a = w.result
	a.free = top.uses
	members := a.members[:0]
	for _, m := range a.members {
		if !declared(m.scope, m.base) {
			members = append(members, m)
		}
	}
	a.members = members
	return a, w.tooDeep
}

func declared(s *scope, name string) bool {
	for ; s != nil; s = s.parent {
		if _, ok := s.names[name]; ok {
			return true
		}
	}
	return false
}

func (w *walker) push(function bool) *scope {
	w.scope = &scope{parent: w.scope, function: function}
	return w.scope
}

// pop closes a scope. Names that it does not declare are passed to its parent scope.
func (w *walker) pop() {
	s := w.scope
	w.scope = s.parent
	for name, u := range s.uses {
		if _, ok := s.names[name]; ok {
			continue
		}
		w.scope.merge(name, *u)
	}
}

func (s *scope) declare(name string) {
	if s.names == nil {
		s.names = make(map[string]struct{}, 4)
	}
	s.names[name] = struct{}{}
}

func (s *scope) merge(name string, u use) {
	if s.uses == nil {
		s.uses = make(map[string]*use, 8)
	}
	old, ok := s.uses[name]
	if !ok {
		s.uses[name] = &u
		return
	}
	if u.plain && (!old.plain || u.at < old.at) {
		old.at = u.at
	}
	old.plain = old.plain || u.plain
	old.typeof = old.typeof || u.typeof
	old.assign = old.assign || u.assign
	old.called = old.called || u.called
}

// declareVar declares a var in the scope of the nearest function.
func (w *walker) declareVar(name string) {
	s := w.scope
	for !s.function {
		s = s.parent
	}
	s.declare(name)
}

func (w *walker) declareHere(name string) { w.scope.declare(name) }

// enter counts one level of the tree until leave is called. If it returns false, the
// limit is reached and nothing was counted: do not descend.
func (w *walker) enter(at ast.Node) bool {
	if w.depth < w.limit {
		w.depth++
		return true
	}
	if w.tooDeep == 0 {
		w.tooDeep = leftmost(at)
	}
	return false
}

// leftmost returns the position of a node, found without recursion: Idx0 of a long chain
// of operators recurses as deep as the chain is long.
func leftmost(n ast.Node) file.Idx {
	for range 64 {
		switch e := n.(type) {
		case *ast.BinaryExpression:
			n = e.Left
		case *ast.DotExpression:
			n = e.Left
		case *ast.CallExpression:
			n = e.Callee
		default:
			return n.Idx0()
		}
	}
	return 1
}

func (w *walker) leave() { w.depth-- }

func (w *walker) note(at file.Idx, a absence) {
	w.result.notes = append(w.result.notes, note{at: at, absence: a})
}

// function walks a function with its parameters, in a new scope.
func (w *walker) function(fn *ast.FunctionLiteral) {
	w.push(true)
	defer w.pop()
	if fn.Name != nil {
		w.scope.declare(fn.Name.Name.String())
	}
	w.scope.declare("arguments")
	if fn.Async && fn.Generator {
		w.note(fn.Function, absence{ReasonUnsupportedSyntax, "async generators are not supported", "collect the values in an array and return it"})
	}
	w.params(fn.ParameterList)
	w.statements(fn.Body.List)
	if w.count {
		fn.Body.List = tickBody(fn.Body)
	}
}

func (w *walker) arrow(fn *ast.ArrowFunctionLiteral) {
	w.push(true)
	defer w.pop()
	w.params(fn.ParameterList)
	switch body := fn.Body.(type) {
	case *ast.BlockStatement:
		w.statements(body.List)
		if w.count {
			body.List = tickBody(body)
		}
	case *ast.ExpressionBody:
		w.expr(body.Expression)
		if w.count {
			body.Expression = tickBefore(body.Expression)
		}
	}
}

func (w *walker) params(list *ast.ParameterList) {
	if list == nil {
		return
	}
	for _, b := range list.List {
		w.binding(b, w.declareHere)
		if w.count {
			b.Initializer = tickInitializer(b.Initializer)
		}
	}
	if list.Rest != nil {
		w.pattern(list.Rest, w.declareHere)
	}
}
