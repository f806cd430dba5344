package studioapi

import (
	"encoding/json"
	"time"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/studio"

	"github.com/localpass/localpass/toolspec"
)

// RunKind is the purpose of a run.
type RunKind string

// The kinds of run.
const (
	// RunTest runs the tool's own test; if it succeeds, the tool has a Local Pass.
	RunTest RunKind = "test"
	// RunTry runs the tool with the requested arguments or cases, and records nothing.
	RunTry RunKind = "try"
	// RunTrace runs the tool in a recording mode and proposes what it must declare.
	RunTrace RunKind = "trace"
)

// RunState is the progress of a run.
type RunState string

// The states of a run. The last four are final.
const (
	RunQueued  RunState = "queued"
	RunRunning RunState = "running"
	RunPassed  RunState = "passed"
	RunFailed  RunState = "failed"
	RunStopped RunState = "stopped"
	RunError   RunState = "error" // the run could not be executed
)

// Run is one run of a tool.
type Run struct {
	ID     string   `json:"runId"`
	ToolID string   `json:"toolId"`
	Name   string   `json:"name"`
	Kind   RunKind  `json:"kind" enum:"test,try,trace"`
	State  RunState `json:"state" enum:"queued,running,passed,failed,stopped,error"`
	// Version and ContentHash are those of the executed document.
	Version     int64          `json:"version,omitempty"`
	ContentHash string         `json:"contentHash"`
	Level       toolspec.Level `json:"level"`
	CreatedAt   time.Time      `json:"createdAt"`
	StartedAt   time.Time      `json:"startedAt,omitzero"`
	FinishedAt  time.Time      `json:"finishedAt,omitzero"`
	DurationMs  int64          `json:"durationMs" doc:"Of the run itself, without waiting."`
	Message     string         `json:"message,omitempty" doc:"Why it is not passed."`
	// Receipt is the pass that a test earned.
	Receipt     *Receipt      `json:"receipt,omitempty"`
	Cases       []CaseResult  `json:"cases"`
	Console     []ConsoleLine `json:"console" doc:"What the code printed, in order. Code that may differ from run to run is run twice."`
	ConsoleCut  int           `json:"consoleCut,omitempty" doc:"How many lines more there were."`
	Diagnostics []Diagnostic  `json:"diagnostics"`
	Missing     []string      `json:"missing,omitempty"`
	// Workspace is where a tool with file access ran.
	Workspace activity.Workspace `json:"workspace,omitempty" enum:"fixtures,copy,real" doc:"Where a tool with files ran: with the files of its fixtures, in a copy of the workspace, or in the real workspace."`
	// Fixes are changes that let a failed run go further.
	Fixes []Fix `json:"fixes,omitempty" doc:"Changes of the document that let the next run go further."`
	// Exchanges are the network exchanges of a recorded run.
	Exchanges json.RawMessage `json:"exchanges,omitempty" doc:"The network exchanges of a recorded run, in the form of x-fixtures.fetch; secrets are masked."`
	// Trace is the result of a trace.
	Trace json.RawMessage `json:"trace,omitempty" doc:"What a trace found: what was reached, and a proposal of the spec."`
}

// CaseResult is the outcome of one case of a run.
type CaseResult struct {
	Name    string   `json:"name"`
	OK      bool     `json:"ok"`
	Message string   `json:"message,omitempty"`
	Result  *Result  `json:"result,omitempty"`
	Error   *Failure `json:"error,omitempty"`
	// Attempts lists the individual requests and file operations, including the refused
	// ones. Network, Files and Denials are the summaries: what the case accessed and what
	// was refused.
	Attempts    []Attempt         `json:"attempts" doc:"Requests over the network and operations on files one by one, in order: at most 100 that were let through and 100 that were refused."`
	AttemptsCut int               `json:"attemptsCut,omitempty" doc:"How many more there were; network, files and denials cover those too."`
	Network     []activity.Access `json:"network"`
	Files       []activity.Access `json:"files"`
	AccessesCut int               `json:"accessesCut,omitempty"`
	Denials     []activity.Denial `json:"denials"`
	Usage       *Usage            `json:"usage,omitempty"`
	Limits      *Limits           `json:"limits,omitempty"`
	Runtime     *toolspec.Runtime `json:"runtime,omitempty"`
}

// Result is the value that the code returned, as a client would get it.
type Result struct {
	Text       string          `json:"text"`
	Structured json.RawMessage `json:"structured,omitempty"`
	Bytes      int             `json:"bytes" doc:"Of the whole text."`
	Truncated  bool            `json:"truncated,omitempty" doc:"The text was cut, and the structured part left out."`
}

// Failure says why a call failed.
type Failure struct {
	Kind      toolspec.Kind `json:"kind"`
	Reason    string        `json:"reason,omitempty"`
	Component string        `json:"component,omitempty"`
	Message   string        `json:"message"`
	Line      int           `json:"line,omitempty" doc:"In the code, from 1."`
	Column    int           `json:"col,omitempty"`
}

// Attempt is one network request or one file operation of a case, as described in
// [activity.Attempt].
type Attempt struct {
	Component string `json:"component" enum:"fetch,fs"`
	Op        string `json:"op" doc:"The method of a request, or the function of safety.fs."`
	Target    string `json:"target" doc:"Where a request went, without path and query; or the path of a file as the code named it."`
	// StartMs is measured from the start of the case; DurationMs is how long the code
	// waited.
	StartMs    float64        `json:"startMs"`
	DurationMs float64        `json:"durationMs"`
	Status     int            `json:"status,omitempty" doc:"Of the response; without it none came."`
	Bytes      int64          `json:"bytes" doc:"What was read or written."`
	Refused    bool           `json:"refused,omitempty"`
	By         activity.Layer `json:"by" enum:"posture,arguments,rules,address,redirect,secrets,limits,recorded,workspace" doc:"The layer that decided: the one that refused or ended it, otherwise the last that let it through."`
	Reason     string         `json:"reason,omitempty" doc:"Why it did not succeed, as a slug; without it, it did."`
	Detail     string         `json:"detail,omitempty" doc:"The same in a sentence."`
}

func attemptOf(a activity.Attempt) Attempt {
	return Attempt{Component: a.Component, Op: a.Op, Target: a.Target, StartMs: ms(a.Start), DurationMs: ms(a.Duration),
		Status: a.Status, Bytes: a.Bytes, Refused: a.Refused, By: a.By, Reason: a.Reason, Detail: a.Detail}
}

// Usage is the resource usage of a case.
type Usage struct {
	DurationMs  float64 `json:"durationMs"`
	CPUMs       float64 `json:"cpuMs,omitempty"`
	Statements  int64   `json:"statements,omitempty"`
	HostCalls   int     `json:"hostCalls,omitempty"`
	OutputBytes int     `json:"outputBytes"`
	// MemoryBytes and MemoryBeforeBytes are Memory and MemoryBefore of [activity.Usage];
	// 0 means not measured.
	MemoryBytes       int64 `json:"memoryBytes,omitempty" doc:"The most that the worker process held during the run, measured every 2 ms and at the end. Not given in process, where it is unknown."`
	MemoryBeforeBytes int64 `json:"memoryBeforeBytes,omitempty" doc:"What of it the worker held when the run began: the engine, and what earlier runs left."`
}

// Limits are the limits that applied to a case.
type Limits struct {
	TimeoutMs  int64 `json:"timeoutMs"`
	Statements int64 `json:"statements,omitempty"`
	// The remaining limits belong to the runner; no spec changes them.
	HostCalls    int   `json:"hostCalls,omitempty" doc:"Requests to the program in one run: of the network, of files, of other tools."`
	OutputBytes  int   `json:"outputBytes,omitempty" doc:"Of a result, as JSON."`
	ConsoleLines int   `json:"consoleLines,omitempty"`
	MemoryBytes  int64 `json:"memoryBytes,omitempty" doc:"What a worker process may hold; one that holds more is ended. Only where the memory of a run is bounded."`
}

// Bounds are the limits of a run in addition to the limits of its spec: the number of
// requests to the program, the bytes of JSON of its result, the number of kept console
// lines, and the memory of its worker process in bytes. 0 means unknown.
type Bounds struct {
	HostCalls, OutputBytes, ConsoleLines int
	MemoryBytes                          int64
}

func (b Bounds) of(cases []CaseResult) {
	for _, c := range cases {
		if c.Limits != nil {
			c.Limits.HostCalls, c.Limits.OutputBytes, c.Limits.ConsoleLines = b.HostCalls, b.OutputBytes, b.ConsoleLines
			if c.Runtime != nil && c.Runtime.Tier == toolspec.TierIsolated {
				c.Limits.MemoryBytes = b.MemoryBytes
			}
		}
	}
}

// ConsoleLine is a line that the code printed, with its time since the start of the run
// and its position in the code.
type ConsoleLine struct {
	Ms     int64  `json:"ms"`
	Level  string `json:"level" enum:"log,info,warn,error,debug"`
	Text   string `json:"text"`
	Line   int    `json:"line,omitempty" doc:"Of the code that printed it, from 1; without it no line of the code did."`
	Column int    `json:"col,omitempty"`
}

// RunEvent is the data of the events of a run:
//
//	run.started   the run began; RunID, ToolID
//	run.console   a line was printed; Line
//	run.finished  it ended; State, DurationMs and Message
type RunEvent struct {
	RunID      string       `json:"runId"`
	ToolID     string       `json:"toolId"`
	Line       *ConsoleLine `json:"line,omitempty"`
	State      RunState     `json:"state,omitempty" enum:"running,passed,failed,stopped,error"`
	DurationMs int64        `json:"durationMs,omitempty"`
	Message    string       `json:"message,omitempty"`
}

const (
	eventStarted  = "run.started"
	eventConsole  = "run.console"
	eventFinished = "run.finished"
)

// Limits of what is kept of one run.
const (
	maxLines       = 1000
	maxLineBytes   = 256 << 10 // for all lines together
	maxResultBytes = 64 << 10  // for one case
	maxRunBytes    = 1 << 20   // for the results of all cases together
	maxTraceBytes  = 2 << 20
	maxAttempts    = 1000 // for all cases together
)

// room is the remaining space for the cases of one run.
type room struct {
	results  int // bytes
	attempts int
}

func newRoom() *room { return &room{results: maxRunBytes, attempts: maxAttempts} }

// caseOf returns the result of a case, as far as there is room for it.
func caseOf(r studio.Run, left *room) CaseResult {
	c := CaseResult{Name: r.Name, OK: r.OK, Message: r.Message, Network: []activity.Access{}, Attempts: []Attempt{}, Files: []activity.Access{}, Denials: []activity.Denial{}}
	if r.Result == nil {
		return c
	}
	if err := r.Result.Err; err != nil {
		c.Error = &Failure{Kind: err.Kind, Reason: err.Reason, Component: err.Component, Message: err.Message, Line: err.Line, Column: err.Column}
	}
	text := r.Result.Text()
	if !r.Result.IsError {
		c.Result = &Result{Text: text, Structured: r.Result.Structured, Bytes: len(text)}
		if most := min(maxResultBytes, left.results); len(text) > most {
			c.Result.Text, c.Result.Structured, c.Result.Truncated = clip.Bytes(text, most), nil, true
		}
		left.results -= len(c.Result.Text)
	}
	if out := r.Result.Outcome; out != nil {
		for _, access := range out.Accesses {
			if access.Component == "fs" {
				c.Files = append(c.Files, access)
			} else {
				c.Network = append(c.Network, access)
			}
		}
		kept := out.Attempts[:min(len(out.Attempts), left.attempts)]
		for _, one := range kept {
			c.Attempts = append(c.Attempts, attemptOf(one))
		}
		left.attempts -= len(kept)
		c.AccessesCut, c.AttemptsCut = out.AccessesCut, out.AttemptsCut+len(out.Attempts)-len(kept)
		c.Denials = append(c.Denials, out.Denials...)
		c.Usage = &Usage{DurationMs: ms(out.Usage.Duration), CPUMs: ms(out.Usage.CPU), Statements: out.Usage.Statements,
			HostCalls: out.Usage.HostCalls, OutputBytes: len(text),
			MemoryBytes: out.Usage.Memory, MemoryBeforeBytes: out.Usage.MemoryBefore}
		c.Limits = &Limits{TimeoutMs: out.Limits.Timeout.Milliseconds(), Statements: out.Limits.Statements}
		runtime := out.Runtime
		c.Runtime = &runtime
	}
	return c
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
