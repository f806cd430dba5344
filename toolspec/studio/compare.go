package studio

import "github.com/localpass/localpass/toolspec"

// Compare is [toolspec.Diff] on the host of the studio. The specs must not be changed
// meanwhile.
func (s *Studio) Compare(from, to *toolspec.Spec) *toolspec.Difference {
	return toolspec.Diff(from, to, s.opts.Host)
}
