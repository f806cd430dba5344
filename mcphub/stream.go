package mcphub

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// writeLimit is the time limit of one write to an event stream. A client that reads
// nothing for that long is disconnected.
const writeLimit = 30 * time.Second

// httpStream answers one HTTP request: with one JSON body, or with an event stream that
// starts with the first message before the answer. Each message is written before send
// returns, so the order on the wire is the order of the calls, and no message is lost
// between two goroutines.
//
// In a session of 2025-11-25 an event stream is kept as long as the client may come back
// for it (see replay), and so outlives its connection.
type httpStream struct {
	json    bool     // the client accepts a JSON body
	session *session // where the stream can be resumed; nil if it cannot

	mu      sync.Mutex
	w       http.ResponseWriter // nil while no client is connected
	rc      *http.ResponseController
	started bool
	ended   bool
	replay  *replay // nil if the stream is not kept
}

var errStreamEnded = errors.New("mcphub: the response has ended")

// Header values that all responses share. net/http only reads them.
var (
	noCache   = []string{"no-cache, no-transform"}
	noBuffers = []string{"no"}
)

func newHTTPStream(w http.ResponseWriter, rc *http.ResponseController) *httpStream {
	return &httpStream{w: w, rc: rc}
}

// start turns the response into an event stream. mu must be held.
func (s *httpStream) start() error {
	if s.ended {
		return errStreamEnded
	}
	if s.started {
		return nil
	}
	s.started = true
	s.begin()
	if s.session == nil {
		return nil
	}
	if s.replay = s.session.streams.keep(s); s.replay == nil {
		return nil
	}
	return s.lose(s.write(s.replay.prime()))
}

// begin writes the head of an event stream. mu must be held.
func (s *httpStream) begin() {
	header := s.w.Header()
	header["Content-Type"], header["Cache-Control"], header["X-Accel-Buffering"] = rpc.TypeSSE, noCache, noBuffers
	s.w.WriteHeader(http.StatusOK)
}

func (s *httpStream) send(message []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.event(message)
}

// event writes one message as an event. mu must be held.
func (s *httpStream) event(message []byte) error {
	if err := s.start(); err != nil {
		return err
	}
	event := make([]byte, 0, len(message)+48)
	if s.replay != nil {
		event = s.replay.add(event, message)
	}
	event = append(append(append(event, "event: message\ndata: "...), message...), "\n\n"...)
	return s.lose(s.write(event))
}

// alive writes a comment, which a client's parser skips.
func (s *httpStream) alive() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.start(); err != nil {
		return err
	}
	return s.lose(s.write([]byte(":\n\n")))
}

// lose releases a failed connection if the client may come back.
func (s *httpStream) lose(err error) error {
	if err == nil || s.replay == nil {
		return err
	}
	s.leave()
	return nil
}

func (s *httpStream) write(b []byte) error {
	if s.w == nil {
		return nil
	}
	_ = s.rc.SetWriteDeadline(time.Now().Add(writeLimit)) // not every ResponseWriter supports it
	if _, err := s.w.Write(b); err != nil {
		return err
	}
	return s.rc.Flush()
}

// finish writes the answer: as the last event if the stream has started or the client
// insists on a stream, otherwise as the body. Errors are ignored, since the client is
// gone.
func (s *httpStream) finish(status int, response []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	if s.started || !s.json && status == http.StatusOK {
		_ = s.event(response)
		if s.w != nil {
			_ = s.rc.SetWriteDeadline(time.Time{}) // the connection may carry another request
		}
	} else {
		header := s.w.Header()
		header["Content-Type"] = rpc.TypeJSON
		header["Content-Length"] = []string{strconv.Itoa(len(response))}
		s.w.WriteHeader(status)
		_, _ = s.w.Write(response)
	}
	s.ended = true
	if s.replay != nil {
		s.leave()
		s.session.streams.forgetLater(s)
	}
}
