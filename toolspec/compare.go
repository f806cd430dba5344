package toolspec

// Compare is [Diff] on the host of the studio. The specs must not be changed
// meanwhile.
func (s *Studio) Compare(from, to *Spec) *Difference { return Diff(from, to, s.opts.Host) }
