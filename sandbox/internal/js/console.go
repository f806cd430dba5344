package js

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/toolspec/activity"
)

// console collects what code prints, up to a number of lines and bytes. If something is
// cut, a final line says so.
type console struct {
	run   *run
	lines []activity.ConsoleLine
	bytes int
	full  bool
	emit  func(activity.ConsoleLine) // receives each line as it is printed; may be nil

	frames []goja.StackFrame // reused for each line
	places map[place]place   // places in the author's code, by places in the program
}

// place is a line and a column, both counted from 1.
type place struct{ line, column int }

// maxFrames is the number of stack frames that are searched for the author's code; above
// it are only native functions such as forEach and helpers of the translation.
const maxFrames = 16

// The limits for the conversion of one argument of a console call.
var consoleBudget = budget{depth: 16, nodes: 5000, bytes: 16 << 10}

// object creates the console object of a runtime.
func (c *console) object(vm *goja.Runtime) *goja.Object {
	obj := vm.NewObject()
	for _, level := range [...]string{"log", "info", "warn", "error", "debug"} {
		method(vm, obj, level, func(call goja.FunctionCall) goja.Value {
			if !c.full {
				c.print(level, call.Arguments)
			}
			return goja.Undefined()
		})
	}
	return obj
}

func (c *console) print(level string, args []goja.Value) {
	var b strings.Builder
	for i, arg := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(c.lineText(arg))
		if b.Len() > c.run.limits.ConsoleBytes {
			break
		}
	}
	c.add(activity.ConsoleLine{Level: level, Text: b.String()})
}

// caller returns the place in the author's code that is being executed: the innermost
// stack frame that the author wrote.
func (c *console) caller() place {
	if c.frames == nil {
		c.frames = make([]goja.StackFrame, 0, maxFrames)
	}
	c.frames = c.run.vm.CaptureCallStack(maxFrames, c.frames[:0])
	for i := range c.frames {
		at := c.frames[i].Position()
		if at.Line <= 1 || c.frames[i].SrcName() != fileName {
			continue // a native function, or the wrapper around the code
		}
		if author := c.author(place{at.Line, at.Column}); author.line > 0 {
			return author
		}
	}
	return place{}
}

// author converts a place in the program to one in the author's code. Results are cached,
// since a loop prints from few places.
func (c *console) author(at place) place {
	found, ok := c.places[at]
	if !ok {
		found.line, found.column = c.run.authorPlace(at.line, at.column)
		if c.places == nil {
			c.places = make(map[place]place, 1)
		}
		c.places[at] = found
	}
	return found
}

// warn prints a warning of a helper to the author.
func (c *console) warn(message string) {
	if !c.full {
		c.add(activity.ConsoleLine{Level: "warn", Text: message})
	}
}

// add stores as much of a line as still fits.
func (c *console) add(line activity.ConsoleLine) {
	room := c.run.limits.ConsoleBytes - c.bytes
	if len(c.lines) >= c.run.limits.ConsoleLines || room <= 0 {
		c.cut()
		return
	}
	long := len(line.Text) > room
	if long {
		line.Text = cutBytes(line.Text, room)
	}
	c.bytes += len(line.Text) + 1
	at := c.caller()
	line.Line, line.Column = at.line, at.column
	c.append(line)
	if long {
		c.cut()
	}
}

func (c *console) append(line activity.ConsoleLine) {
	c.lines = append(c.lines, line)
	if c.emit != nil {
		c.emit(line)
	}
}

func (c *console) cut() {
	if c.full {
		return
	}
	c.full = true
	c.append(activity.ConsoleLine{Level: "warn", Text: fmt.Sprintf(
		"console output was cut here: the limit is %d lines and %d bytes", c.run.limits.ConsoleLines, c.run.limits.ConsoleBytes)})
}

// lineText renders one argument: strings as they are, errors by name and message,
// other objects as JSON.
func (c *console) lineText(v goja.Value) string {
	switch v := v.(type) {
	case nil:
		return "undefined"
	case *goja.Object:
		if _, ok := goja.AssertFunction(v); ok {
			return "[function]"
		}
		if v.ExportType() == typeObject && v.ClassName() == "Error" {
			return c.run.describe(v)
		}
		conv := converter{vm: c.run.vm, budget: consoleBudget, done: c.run.done}
		// If script code throws here, the panic continues and ends the console call, as
		// in any other call.
		if err := conv.top(v); err != nil {
			return "[object: " + err.Error() + "]"
		}
		return string(conv.out)
	case goja.String:
		if v.Length() > c.run.limits.ConsoleBytes {
			return v.Substring(0, c.run.limits.ConsoleBytes).String()
		}
		return v.String()
	}
	return cutRunes(primitiveText(v), c.run.limits.ConsoleBytes)
}

// cutBytes shortens s to at most n bytes, at the boundary of a character.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// cutRunes shortens s to at most n characters; if something is cut, the last one is an
// ellipsis.
func cutRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	count := 0
	for i := range s {
		if count == n-1 && utf8.RuneCountInString(s[i:]) > 1 {
			return s[:i] + "…"
		}
		count++
	}
	return s
}
