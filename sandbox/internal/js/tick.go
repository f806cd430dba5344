package js

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// tickName is the parameter of the outer wrapper that holds the counter function. It
// contains a character that is not allowed in JavaScript names, and it is local to a
// function that code cannot access, so code can neither call nor shadow it.
const tickName = "\x00tick"

func tick(at file.Idx) *ast.CallExpression {
	return &ast.CallExpression{
		Callee:          &ast.Identifier{Name: tickName, Idx: at},
		LeftParenthesis: at, RightParenthesis: at,
	}
}

func tickStatement(at file.Idx) ast.Statement {
	return &ast.ExpressionStatement{Expression: tick(at)}
}

// tickBody returns the statements of a function with a tick in front, but after its
// directives ("use strict").
func tickBody(body *ast.BlockStatement) []ast.Statement {
	n := 0
	for n < len(body.List) {
		s, ok := body.List[n].(*ast.ExpressionStatement)
		if !ok {
			break
		}
		if _, ok = s.Expression.(*ast.StringLiteral); !ok {
			break
		}
		n++
	}
	list := make([]ast.Statement, 0, len(body.List)+1)
	list = append(list, body.List[:n]...)
	list = append(list, tickStatement(body.LeftBrace))
	return append(list, body.List[n:]...)
}

// tickLoop returns the body of a loop with a tick in front.
func tickLoop(body ast.Statement) ast.Statement {
	if block, ok := body.(*ast.BlockStatement); ok {
		block.List = append([]ast.Statement{tickStatement(block.LeftBrace)}, block.List...)
		return block
	}
	at := body.Idx0()
	return &ast.BlockStatement{LeftBrace: at, RightBrace: at, List: []ast.Statement{tickStatement(at), body}}
}

func tickBefore(e ast.Expression) ast.Expression {
	return &ast.SequenceExpression{Sequence: []ast.Expression{tick(e.Idx0()), e}}
}

// tickInitializer counts the evaluation of a default value, which can make calls before
// the body of its function is entered. Functions and classes stay unchanged: creating one
// runs nothing, and their position determines their name.
func tickInitializer(e ast.Expression) ast.Expression {
	switch e.(type) {
	case nil, *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral,
		*ast.StringLiteral, *ast.NumberLiteral, *ast.BooleanLiteral, *ast.NullLiteral, *ast.Identifier:
		return e
	}
	return tickBefore(e)
}
