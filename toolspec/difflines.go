package toolspec

import (
	"fmt"
	"strings"
)

// This file compares code line by line.

func (d *differ) code(from, to *Spec) {
	if from.Code == to.Code {
		return
	}
	a, b := splitLines(from.Code), splitLines(to.Code)
	edits := lineEdits(a, b)
	added, removed := 0, 0
	for _, e := range edits {
		switch e.sign {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	text := fmt.Sprintf("The code changes: +%d −%d lines.", added, removed)
	before := counted(len(a), "line")
	if d.from == nil {
		text, before = fmt.Sprintf("Its code has %s.", counted(len(b), "line")), ""
	}
	d.row("code", "", before, counted(len(b), "line"), DirectionChanged, text)
	d.out.CodeDiff = unified(edits)
}

// splitLines keeps the line breaks, so that a missing last one shows.
func splitLines(code string) []string {
	lines := strings.SplitAfter(code, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// lineEdit is one line of a comparison: ' ' in both, '-' only before, '+' only
// after.
type lineEdit struct {
	sign byte
	line string
}

// maxLineEdits bounds the search for the shortest way from one text to the
// other. Texts that differ more are shown as replaced.
const maxLineEdits = 1000

func lineEdits(a, b []string) []lineEdit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	out := make([]lineEdit, 0, len(a)+len(b)-head-tail)
	for _, line := range a[:head] {
		out = append(out, lineEdit{' ', line})
	}
	out = append(out, shortest(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, line := range a[len(a)-tail:] {
		out = append(out, lineEdit{' ', line})
	}
	return out
}

// shortest is the greedy algorithm of Myers: for each number of edits, how far
// one gets on each diagonal of the edit graph.
func shortest(a, b []string) []lineEdit {
	n, m := len(a), len(b)
	most := min(n+m, maxLineEdits)
	far := make([]int32, 2*most+3) // by diagonal, from -most-1 on
	at := func(k int) *int32 { return &far[k+most+1] }
	var trace [][]int32 // far before each round, from diagonal -d on
	for d := 0; d <= most; d++ {
		trace = append(trace, append([]int32(nil), far[most+1-d:most+2+d]...))
		for k := -d; k <= d; k += 2 {
			x := 0
			if k == -d || k != d && *at(k - 1) < *at(k + 1) {
				x = int(*at(k + 1))
			} else {
				x = int(*at(k - 1)) + 1
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			*at(k) = int32(x)
			if x >= n && x-k >= m {
				return walkBack(a, b, trace)
			}
		}
	}
	out := make([]lineEdit, 0, n+m)
	for _, line := range a {
		out = append(out, lineEdit{'-', line})
	}
	for _, line := range b {
		out = append(out, lineEdit{'+', line})
	}
	return out
}

// walkBack follows the trace from the end to the start.
func walkBack(a, b []string, trace [][]int32) []lineEdit {
	x, y := len(a), len(b)
	var out []lineEdit // backwards
	for d := len(trace) - 1; d > 0; d-- {
		far := func(k int) int { return int(trace[d][k+d]) }
		k := x - y
		before := k - 1
		if k == -d || k != d && far(k-1) < far(k+1) {
			before = k + 1
		}
		px := far(before)
		py := px - before
		for x > px && y > py {
			x, y = x-1, y-1
			out = append(out, lineEdit{' ', a[x]})
		}
		if x == px {
			y--
			out = append(out, lineEdit{'+', b[y]})
		} else {
			x--
			out = append(out, lineEdit{'-', a[x]})
		}
	}
	// Nothing is left: the lines that both begin with were cut off before.
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// unified writes the edits as hunks with three lines around each change.
func unified(edits []lineEdit) string {
	const around = 3
	var b strings.Builder
	oldLine, newLine := 1, 1
	for i := 0; i < len(edits); {
		first := i
		for first < len(edits) && edits[first].sign == ' ' {
			first++
		}
		if first == len(edits) {
			break
		}
		start := max(i, first-around)
		oldLine, newLine = oldLine+start-i, newLine+start-i
		end, quiet := first, 0
		for j := first; j < len(edits) && quiet <= 2*around; j++ {
			if quiet++; edits[j].sign != ' ' {
				end, quiet = j+1, 0
			}
		}
		end = min(len(edits), end+around)
		oldCount, newCount := 0, 0
		for _, e := range edits[start:end] {
			if e.sign != '+' {
				oldCount++
			}
			if e.sign != '-' {
				newCount++
			}
		}
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", hunkRange(oldLine, oldCount), hunkRange(newLine, newCount))
		for _, e := range edits[start:end] {
			b.WriteByte(e.sign)
			b.WriteString(e.line)
			if !strings.HasSuffix(e.line, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
		oldLine, newLine, i = oldLine+oldCount, newLine+newCount, end
	}
	return b.String()
}

// hunkRange: an empty range is named by the line before it.
func hunkRange(line, count int) string {
	if count == 0 {
		line--
	}
	if count == 1 {
		return fmt.Sprint(line)
	}
	return fmt.Sprintf("%d,%d", line, count)
}
