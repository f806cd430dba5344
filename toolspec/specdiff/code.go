package specdiff

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/localpass/localpass/toolspec"
)

// This file compares code line by line.

func (d *differ) code(from, to *toolspec.Spec) {
	if from.Code == to.Code {
		return
	}
	edits := udiff.Lines(from.Code, to.Code)
	added, removed := 0, 0
	for _, e := range edits {
		added, removed = added+lineCount(e.New), removed+lineCount(from.Code[e.Start:e.End])
	}
	text := fmt.Sprintf("The code changes: +%d −%d lines.", added, removed)
	before, after := counted(lineCount(from.Code), "line"), counted(lineCount(to.Code), "line")
	if d.from == nil {
		text, before = fmt.Sprintf("Its code has %s.", after), ""
	}
	d.row("code", "", before, after, Changed, text)
	if diff, err := udiff.ToUnified("a", "b", from.Code, edits, udiff.DefaultContextLines); err == nil { // cannot fail: the edits were made for this code
		d.out.CodeDiff = strings.TrimPrefix(diff, "--- a\n+++ b\n")
	}
}

// lineCount returns the number of lines, including a last line without a line break.
func lineCount(code string) int {
	n := strings.Count(code, "\n")
	if code != "" && !strings.HasSuffix(code, "\n") {
		n++
	}
	return n
}
