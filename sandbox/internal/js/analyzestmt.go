package js

import (
	"github.com/dop251/goja/ast"
)

// block walks statements in a new scope.
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
		// In sloppy mode, a function in a block is also visible in the enclosing
		// function.
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

// loop walks loops; the remaining statements contain nothing to walk.
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

// body walks the body of a loop and returns it, with a tick if iterations are counted.
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

// pattern walks the target of a binding or an assignment. declare is called for each
// name; nil means an assignment to names declared elsewhere.
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

// isNil reports whether an expression is absent, which includes a nil pointer in an
// interface.
func isNil(e ast.Expression) bool {
	if e == nil {
		return true
	}
	id, ok := e.(*ast.Identifier)
	return ok && id == nil
}
