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

// sorted is one line on its way through sort.
type sorted struct {
	line, key string
	number    float64
	index     int // keeps equal lines in their order
}

// sort is sort(path, {reverse, numeric, caseInsensitive, unique}). Text is
// ordered by UTF-16 code units, as the sort of JavaScript does; lines that are
// no numbers come behind all that are.
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
		// Once the run has ended, any order will do: what is left to sort is
		// gone through without looking at the lines.
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

// toSort gives the lines that are to be sorted, with their keys.
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
			one.number = number(line)
		case c.args.CaseInsensitive:
			one.key = strings.ToLower(strings.ToUpper(line))
		}
		all = append(all, one)
	}
	return all, nil
}

// number is the value of a line for a numeric sort: the largest there is for
// what is none.
func number(line string) float64 {
	x, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
	if err != nil && !math.IsInf(x, 0) || math.IsNaN(x) {
		return math.MaxFloat64
	}
	return x
}
