package studio

import (
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/specdiff"
)

// Compare calls [specdiff.Diff] with the host of the studio. The specs must not be
// changed during the call.
func (s *Studio) Compare(from, to *toolspec.Spec) *specdiff.Difference {
	return specdiff.Diff(from, to, s.opts.Host)
}
