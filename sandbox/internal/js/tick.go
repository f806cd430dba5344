package js

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// tickName is the parameter of the outer wrapper that counts. It holds a
// character that no JavaScript name can hold, and is a local of a function that
// code has no way to reach: it can be neither called nor hidden.
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

// tickBody returns the statements of a function with a tick in front, behind
// its directives ("use strict").
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

// tickInitializer counts the evaluation of a default value, which can call
// before its function's body is entered. Functions and classes are left alone:
// making one runs nothing, and they take their name from their position.
func tickInitializer(e ast.Expression) ast.Expression {
	switch e.(type) {
	case nil, *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral,
		*ast.StringLiteral, *ast.NumberLiteral, *ast.BooleanLiteral, *ast.NullLiteral, *ast.Identifier:
		return e
	}
	return tickBefore(e)
}
