package sandbox

// PIDs lists the worker processes of a sandbox, for tests that watch them.
func (s *Sandbox) PIDs() []int {
	t, ok := s.tier.(*isolated)
	if !ok {
		return nil
	}
	var pids []int
	for _, slot := range t.pool.slots {
		slot.mu.Lock()
		if slot.process != nil {
			pids = append(pids, slot.process.PID())
		}
		slot.mu.Unlock()
	}
	return pids
}
