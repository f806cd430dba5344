package js

import (
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
)

// analysis is what one walk over the tree tells of the code.
type analysis struct {
	free    map[string]*use // names that nothing in the code declares
	members []memberUse     // of free names, those that could be absent
	notes   []note          // what else to report
	// classes are what code asks a host language for, by the global's name.
	classes map[string]string
	// dynamic says that code may reach the global object other than by name.
	dynamic bool
}

// use is how a free name is used.
type use struct {
	at     file.Idx // its first plain use
	plain  bool     // read, called
	typeof bool     // asked for with typeof
	assign bool     // assigned, which makes it a global of the code's own
	called bool     // called or constructed
}

type memberUse struct {
	base, member string
	at           file.Idx
	used         bool // called, or reached through
	scope        *scope
}

type note struct {
	at      file.Idx
	absence absence
}

// scope is one lexical scope. Names are resolved as it closes, since a
// declaration may follow its use.
type scope struct {
	parent   *scope
	function bool
	names    map[string]struct{}
	uses     map[string]*use
}

// walker walks the tree once. It notes free names and, when counting, puts a
// tick at each function entry and loop turn.
type walker struct {
	scope   *scope
	depth   int
	limit   int
	tooDeep file.Idx
	count   bool
	class   int // nesting of class bodies, where this is never the global object
	result  analysis
}

// analyze walks the wrapper function of the code. tooDeep is where the tree
// exceeds the limit, 0 when it does not.
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

// pop closes a scope: what it does not declare is the parent's to resolve.
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

// declareVar declares a var: in the nearest function.
func (w *walker) declareVar(name string) {
	s := w.scope
	for !s.function {
		s = s.parent
	}
	s.declare(name)
}

func (w *walker) declareHere(name string) { w.scope.declare(name) }

// enter counts one level of the tree, which leave takes back. False means to
// go no deeper: nothing was counted.
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

// leftmost is the position of a node, found without recursion: Idx0 of a long
// chain of operators is as deep as the chain.
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

// function walks a function with its parameters, in a scope of its own.
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

// block walks statements in a scope of their own.
func (w *walker) block(list []ast.Statement) {
	w.push(false)
	defer w.pop()
	w.statements(list)
}

func (w *walker) statements(list []ast.Statement) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *walker) stmt(s ast.Statement) {
	if s == nil || !w.enter(s) {
		return
	}
	defer w.leave()
	switch s := s.(type) {
	case *ast.BlockStatement:
		w.block(s.List)
	case *ast.ExpressionStatement:
		w.expr(s.Expression)
	case *ast.VariableStatement:
		for _, b := range s.List {
			w.binding(b, w.declareVar)
		}
	case *ast.LexicalDeclaration:
		for _, b := range s.List {
			w.binding(b, w.declareHere)
		}
	case *ast.FunctionDeclaration:
		// A function in a block is seen in its function too (sloppy mode).
		name := s.Function.Name.Name.String()
		w.declareHere(name)
		w.declareVar(name)
		w.function(s.Function)
	case *ast.ClassDeclaration:
		w.declareHere(s.Class.Name.Name.String())
		w.classLiteral(s.Class)
	case *ast.IfStatement:
		w.expr(s.Test)
		w.stmt(s.Consequent)
		w.stmt(s.Alternate)
	case *ast.ReturnStatement:
		w.expr(s.Argument)
	case *ast.ThrowStatement:
		w.expr(s.Argument)
	case *ast.LabelledStatement:
		w.stmt(s.Statement)
	case *ast.SwitchStatement:
		w.expr(s.Discriminant)
		w.push(false)
		for _, c := range s.Body {
			w.expr(c.Test)
			w.statements(c.Consequent)
		}
		w.pop()
	case *ast.TryStatement:
		w.block(s.Body.List)
		if s.Catch != nil {
			w.push(false)
			if s.Catch.Parameter != nil {
				w.pattern(s.Catch.Parameter, w.declareHere)
			}
			w.block(s.Catch.Body.List)
			w.pop()
		}
		if s.Finally != nil {
			w.block(s.Finally.List)
		}
	case *ast.WithStatement:
		w.result.dynamic = true
		w.expr(s.Object)
		w.stmt(s.Body)
	default:
		w.loop(s)
	}
}

// loop walks the loops; what is left over has nothing in it.
func (w *walker) loop(s ast.Statement) {
	switch s := s.(type) {
	case *ast.WhileStatement:
		w.expr(s.Test)
		s.Body = w.body(s.Body)
	case *ast.DoWhileStatement:
		s.Body = w.body(s.Body)
		w.expr(s.Test)
	case *ast.ForStatement:
		w.push(false)
		switch init := s.Initializer.(type) {
		case *ast.ForLoopInitializerExpression:
			w.expr(init.Expression)
		case *ast.ForLoopInitializerVarDeclList:
			for _, b := range init.List {
				w.binding(b, w.declareVar)
			}
		case *ast.ForLoopInitializerLexicalDecl:
			for _, b := range init.LexicalDeclaration.List {
				w.binding(b, w.declareHere)
			}
		}
		w.expr(s.Test)
		w.expr(s.Update)
		s.Body = w.body(s.Body)
		w.pop()
	case *ast.ForInStatement:
		s.Body = w.forInto(s.Into, s.Source, s.Body)
	case *ast.ForOfStatement:
		s.Body = w.forInto(s.Into, s.Source, s.Body)
	}
}

func (w *walker) forInto(into ast.ForInto, source ast.Expression, body ast.Statement) ast.Statement {
	w.expr(source)
	w.push(false)
	defer w.pop()
	switch into := into.(type) {
	case *ast.ForIntoVar:
		w.binding(into.Binding, w.declareVar)
	case *ast.ForDeclaration:
		w.pattern(into.Target, w.declareHere)
	case *ast.ForIntoExpression:
		w.pattern(into.Expression, nil)
	}
	return w.body(body)
}

// body walks the body of a loop and returns it with a tick where turns count.
func (w *walker) body(s ast.Statement) ast.Statement {
	w.stmt(s)
	if w.count {
		return tickLoop(s)
	}
	return s
}

func (w *walker) classLiteral(c *ast.ClassLiteral) {
	w.push(false)
	defer w.pop()
	if c.Name != nil {
		w.scope.declare(c.Name.Name.String())
	}
	w.expr(c.SuperClass)
	w.class++
	defer func() { w.class-- }()
	for _, e := range c.Body {
		switch e := e.(type) {
		case *ast.FieldDefinition:
			if e.Computed {
				w.expr(e.Key)
			}
			w.push(true)
			w.scope.declare("arguments")
			w.expr(e.Initializer)
			w.pop()
			if w.count {
				e.Initializer = tickInitializer(e.Initializer)
			}
		case *ast.MethodDefinition:
			if e.Computed {
				w.expr(e.Key)
			}
			w.function(e.Body)
		case *ast.ClassStaticBlock:
			w.push(true)
			w.statements(e.Block.List)
			w.pop()
		}
	}
}

// binding walks one declared variable with its initial value.
func (w *walker) binding(b *ast.Binding, declare func(string)) {
	if b == nil {
		return
	}
	w.expr(b.Initializer)
	w.pattern(b.Target, declare)
}

// pattern walks what is bound or assigned. declare takes each name; nil means
// that it is an assignment to something declared elsewhere.
func (w *walker) pattern(e ast.Expression, declare func(string)) {
	if isNil(e) || !w.enter(e) {
		return
	}
	defer w.leave()
	switch e := e.(type) {
	case *ast.Identifier:
		if declare != nil {
			declare(e.Name.String())
			return
		}
		w.scope.merge(e.Name.String(), use{at: e.Idx, assign: true})
	case *ast.Binding:
		w.binding(e, declare)
		if w.count {
			e.Initializer = tickInitializer(e.Initializer)
		}
	case *ast.AssignExpression:
		w.expr(e.Right)
		w.pattern(e.Left, declare)
		if w.count {
			e.Right = tickInitializer(e.Right)
		}
	case *ast.ArrayPattern:
		for _, elt := range e.Elements {
			w.pattern(elt, declare)
		}
		w.pattern(e.Rest, declare)
	case *ast.ObjectPattern:
		for _, p := range e.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				w.expr(p.Initializer)
				w.pattern(&p.Name, declare)
				if w.count {
					p.Initializer = tickInitializer(p.Initializer)
				}
			case *ast.PropertyKeyed:
				if p.Computed {
					w.expr(p.Key)
				}
				w.pattern(p.Value, declare)
			}
		}
		w.pattern(e.Rest, declare)
	default:
		w.expr(e)
	}
}

// isNil tells an absent expression, also when it is a nil pointer in an
// interface.
func isNil(e ast.Expression) bool {
	if e == nil {
		return true
	}
	id, ok := e.(*ast.Identifier)
	return ok && id == nil
}

func (w *walker) expr(e ast.Expression) {
	if isNil(e) || !w.enter(e) {
		return
	}
	defer w.leave()
	switch e := e.(type) {
	case *ast.Identifier:
		w.name(e, false)
	case *ast.PrivateIdentifier: // alone only as in: #name in object
		w.note(e.Idx, absence{ReasonUnsupportedSyntax, "asking for a private name with in is not supported", "try to read the member instead"})
	case *ast.ThisExpression:
		if w.class == 0 {
			w.result.dynamic = true
		}
	case *ast.RegExpLiteral:
		w.regexp(e.Idx, e.Pattern, e.Flags)
	case *ast.FunctionLiteral:
		w.function(e)
	case *ast.ArrowFunctionLiteral:
		w.arrow(e)
	case *ast.ClassLiteral:
		w.classLiteral(e)
	case *ast.CallExpression:
		w.call(e.Callee, e.ArgumentList)
	case *ast.NewExpression:
		w.call(e.Callee, e.ArgumentList)
	case *ast.DotExpression:
		w.dot(e, false)
	case *ast.PrivateDotExpression:
		w.expr(e.Left)
	case *ast.BracketExpression:
		w.expr(e.Left)
		w.expr(e.Member)
	case *ast.OptionalChain:
		w.expr(e.Expression)
	case *ast.Optional:
		w.expr(e.Expression)
	case *ast.SpreadElement:
		w.expr(e.Expression)
	case *ast.AwaitExpression:
		w.expr(e.Argument)
	case *ast.YieldExpression:
		w.expr(e.Argument)
	case *ast.UnaryExpression:
		w.unary(e)
	case *ast.BinaryExpression:
		w.expr(e.Left)
		w.expr(e.Right)
		unfold(e)
	case *ast.AssignExpression:
		w.assign(e)
	case *ast.ConditionalExpression:
		w.expr(e.Test)
		w.expr(e.Consequent)
		w.expr(e.Alternate)
	case *ast.SequenceExpression:
		w.exprs(e.Sequence)
	case *ast.ArrayLiteral:
		w.exprs(e.Value)
	case *ast.ObjectLiteral:
		w.object(e)
	case *ast.TemplateLiteral:
		w.expr(e.Tag)
		w.exprs(e.Expressions)
	}
}

// unfold keeps the engine from working out a power or a shift while it compiles:
// there nothing bounds the time, and 10n ** 10n ** 10n takes for ever. As a
// sequence of one the left side is no constant, so that the operator runs with the
// code, within its limits.
func unfold(e *ast.BinaryExpression) {
	switch e.Operator {
	case token.EXPONENT, token.SHIFT_LEFT:
	default:
		return
	}
	switch e.Left.(type) {
	case *ast.Identifier, *ast.DotExpression, *ast.BracketExpression, *ast.CallExpression:
		return // no constant
	}
	e.Left = &ast.SequenceExpression{Sequence: []ast.Expression{e.Left}}
}

func (w *walker) exprs(list []ast.Expression) {
	for _, e := range list {
		w.expr(e)
	}
}

func (w *walker) name(id *ast.Identifier, called bool) {
	name := id.Name.String()
	if name == "globalThis" {
		w.result.dynamic = true
	}
	w.scope.merge(name, use{at: id.Idx, plain: true, called: called})
}

func (w *walker) unary(e *ast.UnaryExpression) {
	switch operand := e.Operand.(type) {
	case *ast.Identifier:
		switch e.Operator {
		case token.TYPEOF:
			w.scope.merge(operand.Name.String(), use{at: operand.Idx, typeof: true})
			return
		case token.INCREMENT, token.DECREMENT:
			w.scope.merge(operand.Name.String(), use{at: operand.Idx, plain: true, assign: true})
			return
		}
	}
	w.expr(e.Operand)
}

func (w *walker) assign(e *ast.AssignExpression) {
	w.expr(e.Right)
	if e.Operator == token.ASSIGN {
		w.pattern(e.Left, nil)
		return
	}
	w.expr(e.Left)
}

func (w *walker) call(callee ast.Expression, args []ast.Expression) {
	switch c := callee.(type) {
	case *ast.Identifier:
		w.name(c, true)
	case *ast.DotExpression:
		w.dot(c, true)
		w.hostCall(c, args)
	default:
		w.expr(callee)
	}
	w.exprs(args)
}

// hostCall notes which class code asks a host language for, the first it asks
// for by each name: Java.type("java.util.List"), Packages.java.util.List.of().
func (w *walker) hostCall(callee *ast.DotExpression, args []ast.Expression) {
	path := callee.Identifier.Name.String()
	left := callee.Left
	for {
		dot, ok := left.(*ast.DotExpression)
		if !ok {
			break
		}
		path = dot.Identifier.Name.String() + "." + path
		left = dot.Left
	}
	id, ok := left.(*ast.Identifier)
	if !ok {
		return
	}
	name := id.Name.String()
	if a, absent := absentGlobal(name); !absent || a.reason != ReasonHostInterop || w.result.classes[name] != "" {
		return
	}
	if len(args) > 0 && name != "Packages" {
		if text, ok := args[0].(*ast.StringLiteral); ok {
			path = text.Value.String()
		}
	}
	if w.result.classes == nil {
		w.result.classes = map[string]string{}
	}
	w.result.classes[name] = path
}

// dot walks a.b and notes members that could be absent. used says that the
// member is called or reached through, and not only looked at.
func (w *walker) dot(e *ast.DotExpression, used bool) {
	switch left := e.Left.(type) {
	case *ast.Identifier:
		base, member := left.Name.String(), e.Identifier.Name.String()
		if _, ok := absentMember(base, member); ok {
			w.result.members = append(w.result.members, memberUse{base: base, member: member, at: left.Idx, used: used, scope: w.scope})
		}
		w.name(left, false)
	case *ast.DotExpression:
		if w.enter(left) {
			w.dot(left, true)
			w.leave()
		}
	default:
		w.expr(e.Left)
	}
}

func (w *walker) object(o *ast.ObjectLiteral) {
	for _, p := range o.Value {
		switch p := p.(type) {
		case *ast.PropertyShort:
			w.name(&p.Name, false)
			w.expr(p.Initializer)
		case *ast.PropertyKeyed:
			if p.Computed {
				w.expr(p.Key)
			}
			w.expr(p.Value)
		case *ast.SpreadElement:
			w.expr(p.Expression)
		}
	}
}

// regexp notes what the engine takes differently from the language.
func (w *walker) regexp(at file.Idx, pattern, flags string) {
	if i := strings.IndexAny(flags, "dv"); i >= 0 {
		w.note(at, absence{ReasonUnsupportedSyntax, "the regular expression flag " + flags[i:i+1] + " is not supported", "write the expression without it"})
	}
	if strings.Contains(flags, "u") && hasPropertyEscape(pattern) {
		w.note(at, absence{ReasonUnsupportedSyntax, `\p{…} in a regular expression is not supported: it would match the literal text`, "name the characters or ranges instead, such as [A-Za-zÀ-ÿ]"})
	}
}

// hasPropertyEscape reports whether a pattern holds \p{ or \P{, itself not
// escaped.
func hasPropertyEscape(pattern string) bool {
	for i := 0; i+2 < len(pattern); i++ {
		if pattern[i] != '\\' {
			continue
		}
		if (pattern[i+1] == 'p' || pattern[i+1] == 'P') && pattern[i+2] == '{' {
			return true
		}
		i++
	}
	return false
}
