package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/toolspec"
)

// CertifyOptions are the options of [Certify]. The zero value works.
type CertifyOptions struct {
	// ID is the tool's stable identity; default "go:" and its name.
	ID string
	// Timeout bounds each case; default 30 s.
	Timeout time.Duration
	// Telemetry receives a span per call. nil is off.
	Telemetry *genai.Telemetry
}

var nativeRuntime = toolspec.Runtime{ID: "localpass/go", Version: "0.1.0", Tier: toolspec.TierInProcess}

// Certify lets a tool written in Go earn its Local Pass: it runs every case and returns
// the tool as Passed if all of them give the expected outcome. At least one case must
// assert something about the result. The pass is valid for the life of the program, since
// the code cannot change.
//
// The error names every failed case and how it failed; for a panic it contains the value
// and the stack.
func Certify(ctx context.Context, tool toolspec.Tool, cases []toolspec.Case, opts *CertifyOptions) (*Passed, error) {
	if opts == nil {
		opts = &CertifyOptions{}
	}
	if tool == nil {
		return nil, errors.New("studio: certify: the tool is nil")
	}
	def := tool.Definition()
	core := &passedCore{id: opts.ID, def: def, tool: tool, telemetry: opts.Telemetry}
	if core.id == "" {
		core.id = "go:" + def.Name
	}
	if err := def.Validate(); err != nil {
		return nil, fmt.Errorf("studio: certify %q: %w", def.Name, err)
	}
	if def.OutputSchema != nil {
		core.output, _ = schema.CompileObject(def.OutputSchema) // checked above
	}
	asserted := false
	for _, c := range cases {
		asserted = asserted || c.Asserts()
		if !termtext.IsLine(c.Name) {
			return nil, fmt.Errorf("studio: certify %q: the name of the case %q has control or hidden characters: write it on one line: %w", def.Name, c.Name, ErrNoPass)
		}
		if c.Fixtures != nil || c.WantFiles != nil {
			return nil, fmt.Errorf("studio: certify %q: a case has fixtures or wantFiles: a Go function uses the world as it is, only specs are tested with them: %w", def.Name, ErrNoPass)
		}
	}
	if !asserted {
		return nil, fmt.Errorf("studio: certify %q: no case asserts anything about the result: give one a Want or a WantError: %w", def.Name, ErrNoPass)
	}
	timeout := opts.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	started := time.Now()
	var failures []error
	var results [][]byte
	for i, c := range cases {
		result, err := core.try(ctx, c, timeout)
		if err != nil {
			failures = append(failures, fmt.Errorf("case %s: %w", caseName(c, i), err))
			continue
		}
		results = append(results, result)
	}
	if failures != nil {
		return nil, fmt.Errorf("studio: certify %q: %w: %w", def.Name, ErrNoPass, errors.Join(failures...))
	}
	c := clock.Clock{}
	core.receipt = Receipt{ID: c.ID(), ToolID: core.id, Name: def.Name, Runtime: nativeRuntime, Level: def.Level,
		At: c.Now(), Duration: time.Since(started), Cases: len(cases), ResultDigest: canon.Digest(results...)}
	core.receipt.ContentHash = canon.Digest([]byte(def.Name), []byte(def.Description), def.InputSchema, def.OutputSchema)
	core.receipt.Subject = core.receipt.ContentHash
	core.def.Fingerprint = core.receipt.ContentHash
	return &Passed{core: core}, nil
}

const defaultTimeout = 30 * time.Second

// try runs one case and returns the result's JSON.
func (c *passedCore) try(ctx context.Context, test toolspec.Case, timeout time.Duration) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	args := test.Args
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	result := c.run(ctx, &toolspec.Call{ID: "certify", Arguments: args, Principal: toolspec.Principal{Subject: "local", Via: "in-process"}})
	err := checkCase(test, result)
	if failed := result.Err; err != nil && failed != nil && failed.Reason == toolspec.ReasonPanic && failed.Err != nil {
		err = fmt.Errorf("%w: %w", err, failed.Err)
	}
	return valueOf(result), err
}

// valueOf returns the result as one JSON value: the structured part, or the text if it is
// JSON, or the text as a string.
func valueOf(r *toolspec.Result) json.RawMessage {
	if r.Structured != nil {
		return r.Structured
	}
	text := r.Text()
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(text) // a string always marshals
	return quoted
}

// checkCase compares a result with the expectations of its case.
func checkCase(test toolspec.Case, result *toolspec.Result) error {
	if want := test.WantError; want != nil {
		if err := checkFiles(test.WantFiles, result); err != nil {
			return err
		}
		if !result.IsError {
			return fmt.Errorf("it succeeded with %s; the case wants it to fail", shortJSON(valueOf(result)))
		}
		return checkFailure(want, result)
	}
	if result.IsError {
		return fmt.Errorf("it failed: %s", failureText(result))
	}
	if err := checkFiles(test.WantFiles, result); err != nil {
		return err
	}
	if len(test.Want) == 0 {
		return nil
	}
	err := test.CheckResult(valueOf(result))
	if err != nil && result.Structured == nil {
		// A text that happens to be JSON may be meant as text.
		quoted, _ := json.Marshal(result.Text())
		if test.CheckResult(quoted) == nil {
			return nil
		}
	}
	return err
}

// checkFiles compares the files after a run with the expectations of its case.
func checkFiles(want map[string]*string, result *toolspec.Result) error {
	var files map[string]string
	if result.Outcome != nil {
		files = result.Outcome.Files
	}
	if want != nil && files == nil {
		return errors.New(`it wants files, and was not given any: add "fixtures": {"files": {}} to the case`)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		got, there := files[name]
		switch text := want[name]; {
		case text == nil && there:
			return fmt.Errorf("the file %q is still there", name)
		case text != nil && !there:
			return fmt.Errorf("there is no file %q after the run", name)
		case text != nil && got != *text:
			return fmt.Errorf("the file %q holds %s, not %s", name, shortJSON(got), shortJSON(*text))
		}
	}
	return nil
}

// failureText returns the reason of a failed result, without the place in the code.
func failureText(result *toolspec.Result) string {
	if err := result.Err; err != nil && err.Message != "" {
		return string(err.Kind) + ": " + err.Message
	}
	return result.Text()
}

func checkFailure(w *toolspec.WantError, result *toolspec.Result) error {
	var kind toolspec.Kind
	var reason string
	if result.Err != nil {
		kind, reason = result.Err.Kind, result.Err.Reason
	}
	switch text := result.Text(); {
	case w.Kind != "" && w.Kind != kind:
		return fmt.Errorf("it failed with kind %q, not %q: %s", kind, w.Kind, text)
	case w.Reason != "" && w.Reason != reason:
		return fmt.Errorf("it failed with reason %q, not %q: %s", reason, w.Reason, text)
	case !strings.Contains(text, w.Message):
		return fmt.Errorf("it failed with %q, which does not contain %q", text, w.Message)
	}
	return nil
}

func caseName(c toolspec.Case, i int) string {
	if c.Name != "" {
		return fmt.Sprintf("%d (%s)", i+1, c.Name)
	}
	return fmt.Sprint(i + 1)
}

// shortJSON returns a value as JSON for display, cut after 120 bytes.
func shortJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "something"
	}
	return clip.To(string(raw), 120)
}
