package js

import (
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"

	"github.com/localpass/localpass/toolspec"
)

func (w *walker) expr(e ast.Expression) {
	if isNil(e) || !w.enter(e) {
		return
	}
	defer w.leave()
	switch e := e.(type) {
	case *ast.Identifier:
		w.name(e, false)
	case *ast.PrivateIdentifier: // alone only in: #name in object
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

// unfold prevents the engine from evaluating a power or a shift during compilation, where
// the time is not limited: 10n ** 10n ** 10n takes forever. It wraps the left side in a
// sequence of one expression, which is not a constant, so that the operator is evaluated
// at run time, within the limits.
func unfold(e *ast.BinaryExpression) {
	switch e.Operator {
	case token.EXPONENT, token.SHIFT_LEFT:
	default:
		return
	}
	switch e.Left.(type) {
	case *ast.Identifier, *ast.DotExpression, *ast.BracketExpression, *ast.CallExpression:
		return // not a constant
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

// hostCall records the first class that code requests from a host language through each
// global: Java.type("java.util.List"), Packages.java.util.List.of().
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
	if a, absent := absentGlobal(name); !absent || a.reason != toolspec.ReasonHostInterop || w.result.classes[name] != "" {
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

// dot walks a.b and records members that could be absent. used says that the member is
// called or a member of it is accessed, and not only read.
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

// regexp records features of a regular expression that the engine treats differently from
// the language standard.
func (w *walker) regexp(at file.Idx, pattern, flags string) {
	if i := strings.IndexAny(flags, "dv"); i >= 0 {
		w.note(at, absence{ReasonUnsupportedSyntax, "the regular expression flag " + flags[i:i+1] + " is not supported", "write the expression without it"})
	}
	if strings.Contains(flags, "u") && hasPropertyEscape(pattern) {
		w.note(at, absence{ReasonUnsupportedSyntax, `\p{…} in a regular expression is not supported: it would match the literal text`, "name the characters or ranges instead, such as [A-Za-zÀ-ÿ]"})
	}
}

// hasPropertyEscape reports whether a pattern contains an unescaped \p{ or \P{.
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
