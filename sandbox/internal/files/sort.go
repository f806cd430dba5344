package files

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/toolspec"
)

// sorted is one line with its sort keys.
type sorted struct {
	line, key string
	number    float64
	index     int // position in the file, which keeps the order of equal lines
}

// sort implements sort(path, {reverse, numeric, caseInsensitive, unique}). Text is
// ordered by UTF-16 code units, as the sort of JavaScript does; in a numeric sort, lines
// that are not numbers come after all numbers.
func (c *call) sort() (answer, error) {
	text, _, err := c.text()
	if err != nil {
		return answer{}, err
	}
	all, err := c.toSort(text)
	if err != nil {
		return answer{}, err
	}
	compare := func(a, b *sorted) int { return canon.Compare(a.key, b.key) }
	if c.args.Numeric {
		compare = func(a, b *sorted) int { return cmp.Compare(a.number, b.number) }
	}
	sign := 1
	if c.args.Reverse {
		sign = -1
	}
	compared := 0
	slices.SortFunc(all, func(a, b sorted) int {
		// Once the run has ended the order does not matter, so the rest of the sort runs
		// without comparing lines.
		if compared++; compared%1024 == 0 && c.ctx.Err() != nil {
			compare = func(*sorted, *sorted) int { return 0 }
		}
		if n := compare(&a, &b); n != 0 {
			return sign * n
		}
		return cmp.Compare(a.index, b.index)
	})
	if err := ended(c.ctx); err != nil {
		return answer{}, err
	}
	out := c.newList()
	for i := range all {
		if err := out.add(all[i].line); err != nil {
			return answer{}, err
		}
	}
	return out.answer()
}

// toSort returns the lines to sort, with their keys.
func (c *call) toSort(text string) ([]sorted, error) {
	var all []sorted
	var seen map[string]struct{}
	if c.args.Unique {
		seen = make(map[string]struct{})
	}
	n := 0
	for line := range lines(text) {
		if n++; n%1024 == 0 {
			if err := ended(c.ctx); err != nil {
				return nil, err
			}
		}
		if c.args.Unique {
			if _, again := seen[line]; again {
				continue
			}
			seen[line] = struct{}{}
		}
		if len(all) >= c.limits.Lines {
			return nil, limit(toolspec.ReasonResultTooLarge, "the file has more than %d lines to sort", c.limits.Lines)
		}
		one := sorted{line: line, key: line, index: len(all)}
		switch {
		case c.args.Numeric:
			one.number = leadingNumber(line)
		case c.args.CaseInsensitive:
			one.key = strings.ToLower(strings.ToUpper(line))
		}
		all = append(all, one)
	}
	return all, nil
}

// leadingNumber returns the value of a line for a numeric sort: the largest possible one if the
// line is not a number.
func leadingNumber(line string) float64 {
	x, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
	if err != nil && !math.IsInf(x, 0) || math.IsNaN(x) {
		return math.MaxFloat64
	}
	return x
}
