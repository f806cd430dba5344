package client

import (
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// WireMessage is one message of a session as it was sent, for debugging. It does not
// include HTTP headers.
type WireMessage struct {
	At time.Time `json:"at"`
	// Sent is the direction: true from this side to the server. A message is reported
	// just before it is sent.
	Sent bool `json:"sent"`
	// Kind is the kind of the transport.
	Kind TransportKind `json:"transport"`
	// Method is empty for a response, and for data that is not a message.
	Method string `json:"method,omitempty"`
	// ID is the id as written, with quotes if it is a string; empty for a notification.
	ID string `json:"id,omitempty"`
	// Text is the message with the secrets of the connection masked, cut to 64 KiB. Size
	// is its full size in bytes; Cut says that it was cut.
	Text string `json:"text"`
	Size int    `json:"size"`
	Cut  bool   `json:"cut,omitempty"`

	raw []byte // a request or notification of this side that is not too large
}

// maxRaw is the maximum size of a message whose bytes are kept in addition to the text.
const maxRaw = 1 << 20

// maxWireText is the maximum size of the text of one message.
const maxWireText = 64 << 10

// wireFunc is called with each message. It is called where messages are sent and read,
// and must not block.
type wireFunc = func(WireMessage)

// TakeRaw returns the unmasked bytes of a request or notification of this side, and
// removes them from the message; nil for other messages and for messages above 1 MiB.
func (m *WireMessage) TakeRaw() []byte {
	raw := m.raw
	m.raw = nil
	return raw
}

// SentNotification returns the WireMessage of a notification that was sent over s, to
// pass to [CallOptions].Wire, since a notification belongs to no call.
func SentNotification(s Session, method string, frame []byte) WireMessage {
	return newWireMessage(true, s.Info().Endpoint.Kind, MaskOf(s), method, nil, frame)
}

// newWireMessage makes the record of a message.
func newWireMessage(sent bool, kind TransportKind, mask Mask, method string, id, data []byte) WireMessage {
	m := WireMessage{At: time.Now().UTC(), Sent: sent, Kind: kind, Method: method, ID: string(id), Size: len(data)}
	text := string(mask.JSON(data)) // masked before it is cut, because a truncated secret would not be found
	m.Text, m.Cut = cutText(text, maxWireText)
	if sent && method != "" && len(data) <= maxRaw {
		m.raw = data
	}
	return m
}

// cutText cuts a text to at most most bytes, but not within a character.
func cutText(text string, most int) (string, bool) {
	if len(text) <= most {
		return text, false
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most], true
}

// tapped reports whether messages are observed. If they are not, it costs one atomic
// load.
func (s *session) tapped() bool { return s.opts.Wire != nil || s.taps.Load() > 0 }

// observe delivers a message to its observers.
func (s *session) observe(m WireMessage, also wireFunc) {
	for _, to := range []wireFunc{s.opts.Wire, also} {
		if to != nil {
			s.guarded("wire", func() { to(m) })
		}
	}
}

// sends is called with each outgoing message. rq is the request that it is or belongs to;
// nil for other messages.
func (s *session) sends(method string, id int64, frame []byte, rq *request) {
	if !s.tapped() {
		return
	}
	var written []byte
	if id != 0 {
		written = strconv.AppendInt(nil, id, 10)
	}
	s.observe(newWireMessage(true, s.endpoint.Kind, s.mask, method, written, frame), rq.wire())
}

// responds is called with each outgoing response to the server.
func (s *session) responds(frame []byte, from *request) {
	if !s.tapped() {
		return
	}
	var m rpc.Message
	_ = m.Parse(frame) // our own message
	also := from.wire()
	if also == nil {
		also = s.wireOfCall()
	}
	s.observe(newWireMessage(true, s.endpoint.Kind, s.mask, "", m.ID, frame), also)
}

// took is called with each incoming message, before it is processed. m is nil if the
// message is not valid.
func (s *session) took(m *rpc.Message, data []byte, from *request) {
	if !s.tapped() {
		return
	}
	if m == nil {
		m = &rpc.Message{}
	}
	also := from.wire()
	if also == nil {
		also = s.wireFor(m)
	}
	s.observe(newWireMessage(false, s.endpoint.Kind, s.mask, m.Method, slices.Clone(m.ID), data), also)
}

// wireFor finds the observer of a message through the request that it answers, or through
// the call whose progress it reports.
func (s *session) wireFor(m *rpc.Message) wireFunc {
	key := m.ID
	switch {
	case m.Method == rpc.MethodProgress:
		key = rpc.Object(m.Params)["progressToken"]
	case m.IsRequest():
		return s.wireOfCall()
	case m.Method != "":
		return nil
	}
	id, err := strconv.ParseInt(string(key), 10, 64)
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.waiting[id]; w != nil {
		return w.wire
	}
	return nil
}

// wireOfCall returns the observer of the call to which a question outside of all
// responses belongs.
func (s *session) wireOfCall() wireFunc {
	if w := s.belongsTo(nil); w != nil {
		return w.wire
	}
	return nil
}

// wire returns the observer of the messages of a request. rq may be nil.
func (rq *request) wire() wireFunc {
	if rq == nil || rq.wait == nil {
		return nil
	}
	return rq.wait.wire
}
