package chat

// sender passes the events of a stream to its consumer, until the consumer leaves the
// loop or an error has ended the stream. A sender belongs to one goroutine.
type sender struct {
	yield   func(Event, error) bool
	stopped bool // nothing more is sent
	// inYield says that the consumer's loop body is running: a panic then comes from the
	// consumer and must not be recovered.
	inYield bool
}

// event sends an event, and reports whether more is wanted.
func (s *sender) event(ev Event) bool {
	if s.stopped {
		return false
	}
	s.inYield = true
	s.stopped = !s.yield(ev, nil)
	s.inYield = false
	return !s.stopped
}

// fail ends the stream with an error.
func (s *sender) fail(err error) {
	if !s.stopped {
		s.stopped = true
		s.yield(nil, err)
	}
}
