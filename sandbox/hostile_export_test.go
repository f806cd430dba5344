package sandbox

// LeftBehind is how many runs of an in-process sandbox go on after their caller
// was answered.
func (s *Sandbox) LeftBehind() int64 {
	if t, ok := s.tier.(*inProcess); ok {
		return t.abandoned.Load()
	}
	return 0
}
