package studio

import (
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/specdiff"
)

// Compare is [specdiff.Diff] on the host of the studio. The specs must not be changed
// meanwhile.
func (s *Studio) Compare(from, to *toolspec.Spec) *specdiff.Difference {
	return specdiff.Diff(from, to, s.opts.Host)
}
