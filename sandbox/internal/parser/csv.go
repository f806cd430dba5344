package parser

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// csv implements safety.parser.csv(text, {header, delimiter}).
func (h *host) csv(call goja.FunctionCall) goja.Value {
	const helper = "csv"
	text := h.input(call, helper)
	header, delimiter := false, ','
	switch opts := call.Argument(1).(type) {
	case *goja.Object:
		if v := opts.Get("header"); v != nil {
			header = v.ToBoolean()
		}
		if s, ok := h.optional(opts.Get("delimiter"), helper, "the delimiter"); ok {
			if s == "" {
				h.invalid(helper, ReasonInvalidArgument, "the delimiter is empty")
			}
			delimiter, _ = utf8.DecodeRuneInString(s)
		}
	default:
		if !goja.IsUndefined(opts) && !goja.IsNull(opts) {
			h.invalid(helper, ReasonInvalidArgument, "the second argument is {header, delimiter}")
		}
	}
	if delimiter == '"' || delimiter == '\r' || delimiter == '\n' || delimiter == utf8.RuneError {
		h.invalid(helper, ReasonInvalidArgument, fmt.Sprintf("%q cannot be the delimiter", delimiter))
	}
	records, err := parseCSV(text, delimiter, h.limits, h.opts.Stopped)
	if err == nil && header && len(records) > 0 {
		err = checkHeader(records[0])
	}
	if err != nil {
		h.failed(helper, err)
	}
	out := make([]any, 0, len(records))
	for i, record := range records {
		switch {
		case !header:
			out = append(out, h.strings(record))
		case i > 0:
			obj := h.vm.NewObject()
			for j, cell := range record[:min(len(record), len(records[0]))] {
				setProperty(obj, records[0][j], h.vm.ToValue(cell))
			}
			out = append(out, obj)
		}
		if i%pollEvery == 0 && h.opts.Stopped != nil && h.opts.Stopped() {
			h.failed(helper, errStopped)
		}
	}
	return h.vm.NewArray(out...)
}

func (h *host) strings(list []string) goja.Value {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = h.vm.ToValue(s)
	}
	return h.vm.NewArray(out...)
}

func checkHeader(names []string) error {
	for i, name := range names {
		if strings.TrimSpace(name) == "" {
			return fmt.Errorf("column %d of the header has no name", i+1)
		}
	}
	return nil
}

// parseCSV reads records as in RFC 4180: the delimiter separates fields, which may be
// quoted, and CRLF, LF or CR separates records. Blank lines are skipped.
func parseCSV(text string, delimiter rune, limits Limits, stopped func() bool) ([][]string, error) {
	if err := tooLong(text, limits.CSVBytes); err != nil {
		return nil, err
	}
	p := csvParser{rest: strings.TrimPrefix(text, "\ufeff"), line: 1, delimiter: string(delimiter), ends: string(delimiter) + "\r\n", clock: clock{stopped: stopped}}
	var records [][]string
	for p.rest != "" {
		if p.lineEnd() {
			continue // blank line
		}
		record := make([]string, 0, p.width)
		for more := true; more; {
			field, err := p.field()
			if err == nil {
				err = p.tick()
			}
			if err != nil {
				return nil, err
			}
			record = append(record, field)
			if p.cells++; p.cells > limits.CSVCells {
				return nil, fmt.Errorf("it has more than %d cells", limits.CSVCells)
			}
			more, err = p.divider()
			if err != nil {
				return nil, err
			}
		}
		p.width = len(record)
		records = append(records, record)
	}
	return records, nil
}

type csvParser struct {
	clock
	rest            string
	delimiter, ends string
	line            int
	width, cells    int
}

// lineEnd consumes a line ending if one is next, and reports whether there was one.
func (p *csvParser) lineEnd() bool {
	switch {
	case strings.HasPrefix(p.rest, "\r\n"):
		p.rest = p.rest[2:]
	case p.rest[0] == '\n' || p.rest[0] == '\r':
		p.rest = p.rest[1:]
	default:
		return false
	}
	p.line++
	return true
}

// field reads one field.
func (p *csvParser) field() (string, error) {
	if !strings.HasPrefix(p.rest, `"`) {
		end := len(p.rest)
		if p.delimiter[0] < utf8.RuneSelf { // the usual case, a faster path
			for i := range len(p.rest) {
				if c := p.rest[i]; c == p.delimiter[0] || c == '\n' || c == '\r' {
					end = i
					break
				}
			}
		} else if i := strings.IndexAny(p.rest, p.ends); i >= 0 {
			end = i
		}
		field := p.rest[:end]
		p.rest = p.rest[end:]
		return field, nil
	}
	line := p.line
	rest := p.rest[1:]
	var b strings.Builder
	for {
		i := strings.IndexByte(rest, '"')
		if i < 0 {
			return "", fmt.Errorf("the quote in line %d is not closed", line)
		}
		p.line += lines(rest[:i])
		if !strings.HasPrefix(rest[i+1:], `"`) {
			p.rest = rest[i+1:]
			if b.Len() == 0 {
				return rest[:i], nil
			}
			b.WriteString(rest[:i])
			return b.String(), nil
		}
		b.WriteString(rest[:i+1])
		rest = rest[i+2:]
		if err := p.tick(); err != nil {
			return "", err
		}
	}
}

// lines counts the line endings in a quoted field.
func lines(s string) int {
	return strings.Count(s, "\n") + strings.Count(s, "\r") - strings.Count(s, "\r\n")
}

// divider consumes what follows a field and reports whether another field of the same
// record follows.
func (p *csvParser) divider() (bool, error) {
	if p.rest == "" || p.lineEnd() {
		return false, nil
	}
	if rest, ok := strings.CutPrefix(p.rest, p.delimiter); ok {
		p.rest = rest
		return true, nil
	}
	return false, errors.New("text follows the closing quote in line " + fmt.Sprint(p.line))
}
