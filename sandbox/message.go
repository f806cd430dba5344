package sandbox

import (
	"encoding/json"
	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/toolspec/activity"
	"strings"
	"time"

	"github.com/localpass/localpass/internal/worker"
	"github.com/localpass/localpass/toolspec"
)

// The kinds of frames, in the order of a conversation:
//
//	program            worker
//	frameCall    ->
//	             <-    frameNeedSource    when it does not have the program
//	frameCall    ->                       again, with the source
//	             <-    frameConsole       each line, when asked for
//	             <-    frameToolCall      the code calls another tool
//	frameReply   ->
//	             <-    frameHostCall      the code wants a file, a request
//	frameReply   ->
//	             <-    frameResult
//	frameCheck   ->
//	             <-    frameProblems
const (
	frameCall       = worker.KindUser + iota // run a program
	frameCheck                               // check code without running it
	frameReply                               // the result of a called tool
	frameResult                              // the outcome of the run
	frameNeedSource                          // the hash is not enough
	frameConsole                             // one line
	frameToolCall                            // call another tool
	frameProblems                            // what a check found
	frameHostCall                            // the code requests an operation for which it has no rights
)

// programKey names compiled code: a hash, so that no code can pass for another.
type programKey [32]byte

// callMessage is one run.
type callMessage struct {
	key        programKey
	source     string // empty: the worker should have it
	hasSource  bool
	timeout    time.Duration
	typescript bool
	statements int64
	count      bool
	stream     bool // send console lines as they come
	tools      bool // the code may call tools
	grants     Grants
	seed       []byte
	now        int64 // nanoseconds since 1970; 0: the real clock
	globals    []toolspec.Global
	unset      []string
}

func (m *callMessage) encode(buf []byte) []byte {
	e := encoder{buf: buf}
	e.raw(m.key[:])
	e.flag(m.hasSource)
	if m.hasSource {
		e.text(m.source)
	}
	e.int(int64(m.timeout))
	e.flag(m.typescript)
	e.int(m.statements)
	e.flag(m.count)
	e.flag(m.stream)
	e.flag(m.tools)
	e.flag(m.grants.Network)
	e.flag(m.grants.FileRead)
	e.flag(m.grants.FileWrite)
	e.flag(m.grants.Destructive)
	e.bytes(m.seed)
	e.int(m.now)
	e.uint(uint64(len(m.globals)))
	for _, g := range m.globals {
		e.text(g.Name)
		e.bytes(g.Value)
	}
	e.uint(uint64(len(m.unset)))
	for _, name := range m.unset {
		e.text(name)
	}
	return e.buf
}

// decodeCall copies everything out of data.
func decodeCall(data []byte) (*callMessage, error) {
	d := decoder{buf: data}
	m := &callMessage{}
	copy(m.key[:], d.raw(len(m.key)))
	if m.hasSource = d.flag(); m.hasSource {
		m.source = d.text()
	}
	m.timeout = time.Duration(d.int())
	m.typescript = d.flag()
	m.statements = d.int()
	m.count = d.flag()
	m.stream = d.flag()
	m.tools = d.flag()
	m.grants = Grants{Network: d.flag(), FileRead: d.flag(), FileWrite: d.flag(), Destructive: d.flag()}
	m.seed = []byte(d.text())
	m.now = d.int()
	for n := d.count(); n > 0; n-- {
		name := d.text()
		m.globals = append(m.globals, toolspec.Global{Name: name, Value: json.RawMessage(d.text())})
	}
	for n := d.count(); n > 0; n-- {
		m.unset = append(m.unset, d.text())
	}
	if err := d.done(); err != nil {
		return nil, err
	}
	return m, nil
}

// names returns the names that a run binds.
func (m *callMessage) names() []string { return boundNames(m.globals, m.unset) }

func boundNames(globals []toolspec.Global, unset []string) []string {
	if len(globals)+len(unset) == 0 {
		return nil
	}
	names := make([]string, 0, len(globals)+len(unset))
	for _, g := range globals {
		names = append(names, g.Name)
	}
	return append(names, unset...)
}

// checkMessage asks for a check of code.
type checkMessage struct {
	source     string
	typescript bool
	names      []string
}

func (m *checkMessage) encode(buf []byte) []byte {
	e := encoder{buf: buf}
	e.text(m.source)
	e.flag(m.typescript)
	e.uint(uint64(len(m.names)))
	for _, name := range m.names {
		e.text(name)
	}
	return e.buf
}

func decodeCheck(data []byte) (*checkMessage, error) {
	d := decoder{buf: data}
	m := &checkMessage{source: d.text(), typescript: d.flag()}
	for n := d.count(); n > 0; n-- {
		m.names = append(m.names, d.text())
	}
	return m, d.done()
}

// resultMessage is the outcome of a run, as the worker reports it.
type resultMessage struct {
	outcome toolspec.Outcome // without Runtime, Denials, Usage.Duration, Usage.HostCalls
	// recycle says that the worker should not be used again.
	recycle bool
}

func (m *resultMessage) encode(buf []byte) []byte {
	e := encoder{buf: buf}
	e.flag(m.recycle)
	o := &m.outcome
	e.bytes(o.Result)
	e.flag(o.Undefined)
	e.int(int64(o.Usage.CPU))
	e.int(o.Usage.Statements)
	e.int(o.Usage.Memory)
	e.int(o.Usage.MemoryBefore)
	e.uint(uint64(len(o.Console)))
	for i := range o.Console {
		encodeLine(&e, &o.Console[i])
	}
	e.flag(o.Err != nil)
	if o.Err != nil {
		encodeError(&e, o.Err)
	}
	return e.buf
}

func encodeError(e *encoder, err *toolspec.CallError) {
	e.text(string(err.Kind))
	e.text(err.Reason)
	e.text(err.Component)
	e.text(err.Message)
	e.uint(uint64(max(err.Line, 0)))
	e.uint(uint64(max(err.Column, 0)))
}

// decodeResult decodes a result and limits it to what a correct worker can send.
func decodeResult(data []byte, lim *Limits) (*resultMessage, error) {
	d := decoder{buf: data}
	m := &resultMessage{recycle: d.flag()}
	o := &m.outcome
	o.Result = json.RawMessage(append([]byte(nil), d.bytes()...))
	o.Undefined = d.flag()
	o.Usage.CPU = time.Duration(d.int())
	o.Usage.Statements = d.int()
	o.Usage.Memory = d.int()
	o.Usage.MemoryBefore = d.int()
	lines := d.count()
	if lines > 0 {
		o.Console = make([]activity.ConsoleLine, 0, min(lines, lim.ConsoleLines+1))
	}
	for total := 0; lines > 0 && !d.failed; lines-- {
		line, ok := decodeLine(&d)
		if total += len(line.Text); !ok || len(o.Console) > lim.ConsoleLines || total > 2*lim.ConsoleBytes {
			return nil, errWire
		}
		o.Console = append(o.Console, line)
	}
	if d.flag() {
		o.Err = decodeError(&d)
	}
	if err := d.done(); err != nil {
		return nil, err
	}
	if o.Usage.CPU < 0 || o.Usage.Statements < 0 || o.Usage.Memory < 0 || o.Usage.MemoryBefore < 0 {
		return nil, errWire
	}
	switch {
	case o.Err != nil:
		o.Result, o.Undefined = nil, false
		if !knownKind(o.Err.Kind) {
			return nil, errWire
		}
	case len(o.Result) > lim.ResultBytes || !json.Valid(o.Result):
		return nil, errWire
	}
	return m, nil
}

// decodeError decodes a failure. Untrusted code may have made its texts: they are cut,
// and slugs must be plain words.
func decodeError(d *decoder) *toolspec.CallError {
	return &toolspec.CallError{
		Kind: toolspec.Kind(d.text()), Reason: slug(d.text()), Component: slug(d.text()), Message: clip.To(d.text(), maxMessage),
		Line: readPosition(d), Column: readPosition(d),
	}
}

// readPosition decodes a line or a column.
func readPosition(d *decoder) int { return int(min(d.uint(), 1<<24)) }

// maxMessage bounds the text of a failure, in characters. It leaves room in addition to
// the 500 characters of a thrown value.
const maxMessage = 1000

func knownKind(k toolspec.Kind) bool {
	switch k {
	case toolspec.KindSecurity, toolspec.KindInvalidInput, toolspec.KindHelperRuntime, toolspec.KindResourceLimit,
		toolspec.KindTimeout, toolspec.KindCancelled, toolspec.KindJSError, toolspec.KindRuntimeError:
		return true
	}
	return false
}

func encodeLine(e *encoder, line *activity.ConsoleLine) {
	e.text(line.Level)
	e.text(line.Text)
	e.uint(uint64(max(line.Line, 0)))
	e.uint(uint64(max(line.Column, 0)))
}

// decodeLine accepts a line from a worker.
func decodeLine(d *decoder) (activity.ConsoleLine, bool) {
	line := activity.ConsoleLine{Level: d.text(), Text: strings.ToValidUTF8(d.text(), "\uFFFD"), Line: readPosition(d), Column: readPosition(d)}
	switch line.Level {
	case "log", "info", "warn", "error", "debug":
		return line, true
	}
	return activity.ConsoleLine{}, false
}

// slug returns s if it is a short word of letters, digits and dashes.
func slug(s string) string {
	if len(s) > 64 {
		return ""
	}
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return ""
		}
	}
	return s
}
