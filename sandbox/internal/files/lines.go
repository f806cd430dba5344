package files

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/localpass/localpass/toolspec"
)

// lines yields the lines of a text. A line ends with LF, CR LF or CR; there is no empty
// line after the last line ending.
func lines(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > 0 {
			line, rest, _ := strings.Cut(text, "\n")
			for {
				i := strings.IndexByte(line, '\r')
				if i < 0 || i == len(line)-1 {
					break
				}
				if !yield(line[:i]) {
					return
				}
				line = line[i+1:]
			}
			if !yield(strings.TrimSuffix(line, "\r")) {
				return
			}
			text = rest
		}
	}
}

// lineCount implements lineCount(path).
func (c *call) lineCount() (answer, error) {
	text, _, err := c.text()
	if err != nil {
		return answer{}, err
	}
	n, err := countLines(c.ctx, text)
	return answer{value: n}, err
}

// someLines is the number of lines processed between two checks of the context.
const someLines = 1 << 16

func countLines(ctx context.Context, text string) (int64, error) {
	n := int64(0)
	for range lines(text) {
		if n++; n%someLines == 0 && ctx.Err() != nil {
			break
		}
	}
	return n, ended(ctx)
}

// slice implements slice(path, start?, end?): end is exclusive, negative numbers count
// from the end of the file.
func (c *call) slice() (answer, error) {
	text, _, err := c.text()
	if err != nil {
		return answer{}, err
	}
	start, end := c.args.Start, c.args.End
	var n int64
	if start != nil && *start < 0 || end != nil && *end < 0 {
		if n, err = countLines(c.ctx, text); err != nil {
			return answer{}, err
		}
	}
	from, to := bound(start, n, 0), bound(end, n, 1<<62)
	out := c.newList()
	at := int64(0)
	for line := range lines(text) {
		if at >= to {
			break
		}
		if at%someLines == 0 {
			if err := ended(c.ctx); err != nil {
				return answer{}, err
			}
		}
		if at >= from {
			if err := out.add(line); err != nil {
				return answer{}, err
			}
		}
		at++
	}
	return out.answer()
}

// bound resolves an index of slice, which counts from the end of the n lines if it is
// negative; absent is the default.
func bound(index *int64, n, absent int64) int64 {
	switch {
	case index == nil:
		return absent
	case *index < 0:
		return max(0, n+*index)
	}
	return *index
}

// cut implements cut(path, {fields, delimiter, regex}).
func (c *call) cut() (answer, error) {
	fields := c.args.Fields
	if len(fields) == 0 {
		return answer{}, invalid("cut-fields-required", "fields must hold at least one number, counted from 1")
	}
	if len(fields) > c.limits.Fields {
		return answer{}, invalid("cut-too-many-fields", "there are more than %d fields", c.limits.Fields)
	}
	delimiter := "\t"
	if c.args.Delimiter != nil {
		delimiter = *c.args.Delimiter
	}
	const reason = "cut-invalid-delimiter"
	if delimiter == "" {
		return answer{}, invalid(reason, "the delimiter is empty")
	}
	k := cutter{ctx: c.ctx, join: delimiter, parts: make([]string, len(fields)), wanted: make(map[int64][]int), last: slices.Max(fields)}
	if c.args.Regex {
		var err error
		if k.pattern, err = c.compile(delimiter, false, reason); err != nil {
			return answer{}, err
		}
		k.join = "\t"
	}
	for i, f := range fields {
		k.wanted[f] = append(k.wanted[f], i)
	}
	text, _, err := c.text()
	if err != nil {
		return answer{}, err
	}
	out := c.newList()
	for line := range lines(text) {
		if err := k.split(line); err != nil {
			return answer{}, err
		}
		if err := k.add(&out); err != nil {
			return answer{}, err
		}
	}
	return out.answer()
}

// cutter extracts the requested fields from lines.
type cutter struct {
	ctx     context.Context
	pattern *pattern // if nil, join separates the fields
	join    string
	wanted  map[int64][]int // the indexes in parts of each field
	last    int64           // the last requested field
	parts   []string
	line    []byte // built from parts
}

func (k *cutter) split(line string) error {
	if err := ended(k.ctx); err != nil {
		return err
	}
	clear(k.parts)
	if k.pattern != nil {
		return k.splitPattern(line)
	}
	for field := int64(1); field <= k.last; field++ {
		part, rest, more := strings.Cut(line, k.join)
		k.put(field, part)
		if !more {
			break
		}
		if line = rest; field%someLines == 0 && k.ctx.Err() != nil {
			break
		}
	}
	return nil
}

// splitPattern splits a line as regexp.Split does. Finding the next separator can require
// a scan of the whole line.
func (k *cutter) splitPattern(line string) error {
	find := max(0, min(k.last, int64(len(line)))+1)
	if find > 0 && int64(len(line)) > 2*atOnce/int64(k.pattern.size)/find {
		return limit("line-too-long", "a line of %d bytes is too long to be split by this pattern", len(line))
	}
	begin, field := 0, int64(1)
	for _, at := range k.pattern.re.FindAllStringIndex(line, int(find)) {
		if at[1] == 0 {
			continue // an empty match at the start of the line does not split
		}
		k.put(field, line[begin:at[0]])
		begin = at[1]
		field++
	}
	k.put(field, line[begin:])
	return nil
}

func (k *cutter) put(field int64, part string) {
	for _, i := range k.wanted[field] {
		k.parts[i] = part
	}
}

func (k *cutter) add(out *list) error {
	total := int64(0)
	for _, part := range k.parts {
		total += int64(len(part) + len(k.join))
	}
	if total > out.limits.ResultBytes {
		return limit(toolspec.ReasonResultTooLarge, "the result is larger than %d bytes; ask for less", out.limits.ResultBytes)
	}
	k.line = k.line[:0]
	for i, part := range k.parts {
		if i > 0 {
			k.line = append(k.line, k.join...)
		}
		k.line = append(k.line, part...)
	}
	return out.add(string(k.line))
}

func (c *call) newList() list { return list{limits: &c.limits} }

func (l *list) answer() (answer, error) { return answer{data: l.data, count: l.count}, nil }
