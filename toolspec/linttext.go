package toolspec

import (
	"strings"
	"unicode"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/internal/poison"
)

// shortDescription is the width below which a description is too short to say what a tool
// does and when to choose it.
const shortDescription = 40

func (v *validator) description(s *Spec) {
	switch width := textWidth(s.Description); {
	case width == 0:
		v.warn("description", "description-empty", "say in one sentence what the tool does and when to use it", "is empty: a model chooses a tool by it")
	case width < shortDescription:
		v.warn("description", "description-short", "say what the tool does, and when to use it rather than another",
			"has %d characters: a model chooses a tool by it", len([]rune(strings.TrimSpace(s.Description))))
	}
}

// textWidth counts East Asian characters twice, because one of them says as much as
// several letters.
func textWidth(text string) int {
	width := 0
	for _, r := range strings.TrimSpace(text) {
		width++
		if unicode.In(r, unicode.Hangul, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			width++
		}
	}
	return width
}

// maxScanned bounds the text of one spec that is scanned, in bytes. A longer text has
// findings for its length anyway.
const maxScanned = 512 << 10

// injected looks for text that addresses the model instead of describing the tool, in
// everything that the model or the approving person reads.
func (v *validator) injected(s *Spec) {
	left := maxScanned
	look := func(pointer, text string) {
		const most = 5
		if left < 0 {
			return
		}
		left -= len(text) + 100
		for i, f := range poison.Scan(text) {
			if i == most {
				break
			}
			v.warn(pointer, "injected-instructions", "say what the tool does, and leave that out",
				`%s (%s): "%s"`, poison.Why(f.Rule), f.Rule, f.Text)
		}
	}
	look("name", s.Name)
	look("description", s.Description)
	for i := range s.Params {
		at := scan.Index("params", i)
		look(at+".name", s.Params[i].Name)
		look(at+".description", s.Params[i].Description)
	}
	if s.Approval != nil {
		look("humanInTheLoop.promptTemplate", s.Approval.PromptTemplate)
	}
	everyString(s.OutputSchema, func(text string) { look(memberOutputSchema, text) })
}

// everyString visits every string in JSON, including member names.
func everyString(raw []byte, visit func(text string)) {
	if _, bad := scan.Text(raw, canon.MaxDepth); bad != nil {
		return
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '"' {
			continue
		}
		end, _ := scan.Value(raw, i, canon.MaxDepth)
		visit(scan.Unquote(raw[i:end]))
		i = end - 1
	}
}
