package mcphubtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Exchange is one message and the means to answer it.
type Exchange struct {
	Message

	peer     *Peer
	ctx      context.Context
	write    func(message []byte) // one line, or one event
	w        http.ResponseWriter  // nil on a stream
	events   bool                 // the response has become an event stream
	answered bool
}

// Context returns a context that ends when no client waits for the answer any more.
func (x *Exchange) Context() context.Context { return x.ctx }

// Reply answers with a result in JSON.
func (x *Exchange) Reply(result string) {
	x.finish(http.StatusOK, `{"jsonrpc":"2.0","id":`+x.id()+`,"result":`+result+`}`)
}

// Refuse answers with an error. data is JSON or empty.
func (x *Exchange) Refuse(code int, message, data string) {
	if data != "" {
		data = `,"data":` + data
	}
	status := http.StatusOK
	if x.Header.Get("Mcp-Protocol-Version") >= "2026" {
		if status = http.StatusBadRequest; code == -32601 {
			status = http.StatusNotFound
		}
	}
	text, _ := json.Marshal(message)
	x.finish(status, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s%s}}`, x.id(), code, text, data))
}

// Notify sends a notification before the answer. params is JSON or empty.
func (x *Exchange) Notify(method, params string) {
	if params != "" {
		params = `,"params":` + params
	}
	x.Raw(`{"jsonrpc":"2.0","method":"` + method + `"` + params + `}`)
}

// Ask sends a request of the peer and waits for the answer. ok is false if no answer can
// arrive any more.
func (x *Exchange) Ask(method, params string) (answer Message, ok bool) {
	waiting := make(chan Message, 1)
	x.peer.mu.Lock()
	x.peer.asked++
	id := strconv.Quote("peer-" + strconv.Itoa(x.peer.asked))
	x.peer.answers[id] = waiting
	x.peer.mu.Unlock()
	if params != "" {
		params = `,"params":` + params
	}
	x.Raw(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"` + params + `}`)
	select {
	case m := <-waiting:
		return m, true
	case <-x.ctx.Done():
		return Message{}, false
	}
}

// Raw sends a text unchanged: as a line of a stream, or as an event over HTTP.
func (x *Exchange) Raw(message string) {
	x.Stream()
	x.write([]byte(message))
}

// Stream turns an HTTP response into an event stream; on other streams it does nothing.
func (x *Exchange) Stream() {
	if x.w != nil && !x.events {
		x.events = true
		x.w.Header().Set("Content-Type", "text/event-stream")
		x.w.WriteHeader(http.StatusOK)
		flush(x.w)
	}
}

// Bytes writes to the HTTP response, after Stream, or to the stream: fields of events, or
// anything else.
func (x *Exchange) Bytes(text string) {
	if x.w == nil {
		x.write([]byte(text))
		return
	}
	_, _ = x.w.Write([]byte(text)) // a client that is gone does not need it
	flush(x.w)
}

// Status answers over HTTP with a status, a body and headers in pairs.
func (x *Exchange) Status(status int, body string, headers ...string) {
	if x.w == nil {
		return
	}
	for i := 0; i+1 < len(headers); i += 2 {
		x.w.Header().Add(headers[i], headers[i+1])
	}
	x.answered = true
	x.w.WriteHeader(status)
	_, _ = x.w.Write([]byte(body))
}

func (x *Exchange) id() string {
	if x.ID == nil {
		return "null"
	}
	return string(x.ID)
}

func (x *Exchange) accepted() {
	if x.w != nil {
		x.Status(http.StatusAccepted, "")
	}
}

func (x *Exchange) finish(status int, message string) {
	x.answered = true
	if x.w == nil || x.events {
		x.write([]byte(strings.ReplaceAll(message, "\n", " "))) // a message is one line
		return
	}
	x.w.Header().Set("Content-Type", "application/json")
	x.w.WriteHeader(status)
	_, _ = x.w.Write([]byte(message))
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// Reply answers with a result in JSON.
func Reply(result string) Reaction { return func(x *Exchange) { x.Reply(result) } }

// Refuse answers with an error.
func Refuse(code int, message string) Reaction {
	return func(x *Exchange) { x.Refuse(code, message, "") }
}

// Echo answers with the request's params.
func Echo() Reaction {
	return func(x *Exchange) {
		if x.Params == nil {
			x.Reply(`{}`)
			return
		}
		x.Reply(string(x.Params))
	}
}

// Hang sends no answer while a client waits.
func Hang() Reaction { return func(x *Exchange) { <-x.ctx.Done() } }

// Garbage answers with data that is not a message.
func Garbage() Reaction {
	return func(x *Exchange) {
		if x.w != nil {
			x.Status(http.StatusOK, "<html>not a message", "Content-Type", "application/json")
			return
		}
		x.write([]byte("{not a message"))
	}
}

// Oversize answers with a result of more than n bytes.
func Oversize(n int) Reaction {
	return func(x *Exchange) { x.Reply(`{"filler":"` + strings.Repeat("x", n) + `"}`) }
}

// OversizeEvent answers with an event, or a line, of more than n bytes that
// never ends.
func OversizeEvent(n int) Reaction {
	return func(x *Exchange) {
		x.Stream()
		if x.w != nil {
			x.Bytes("data: " + strings.Repeat("x", n) + "\n\n")
		} else {
			x.write([]byte(strings.Repeat("x", n)))
		}
		<-x.ctx.Done()
	}
}

// Status answers over HTTP with a status, a body and headers in pairs.
func Status(status int, body string, headers ...string) Reaction {
	return func(x *Exchange) { x.Status(status, body, headers...) }
}

// Unauthorized answers 401 with a challenge, such as `Bearer scope="files"`.
func Unauthorized(challenge string) Reaction {
	return Status(http.StatusUnauthorized, "", "WWW-Authenticate", challenge)
}

// Forbidden answers 403 with a challenge.
func Forbidden(challenge string) Reaction {
	return Status(http.StatusForbidden, "", "WWW-Authenticate", challenge)
}

// Busy answers 429 with the given time in Retry-After.
func Busy(wait time.Duration) Reaction {
	return Status(http.StatusTooManyRequests, "", "Retry-After", strconv.Itoa(int(wait/time.Second)))
}

// LoseSession forgets every session, and answers 404.
func LoseSession() Reaction {
	return func(x *Exchange) {
		x.peer.EndSessions()
		x.Status(http.StatusNotFound, "")
	}
}

// HalfOpen starts an event stream, sends the texts unchanged, and then stays silent while
// a client listens.
func HalfOpen(texts ...string) Reaction {
	return func(x *Exchange) {
		x.Stream()
		for _, text := range texts {
			x.Bytes(text)
		}
		<-x.ctx.Done()
	}
}

// Broken starts an event stream, sends the texts unchanged, and ends it.
func Broken(texts ...string) Reaction {
	return func(x *Exchange) {
		x.Stream()
		for _, text := range texts {
			x.Bytes(text)
		}
	}
}

// EndlessCursor answers with a list that never ends: each page is empty and names a next
// one. key is the list's member, such as "tools".
func EndlessCursor(key string) Reaction {
	page := make(chan int, 1)
	page <- 0
	return func(x *Exchange) {
		n := <-page + 1
		page <- n
		x.Reply(fmt.Sprintf(`{"resultType":"complete","%s":[],"nextCursor":"page-%d"}`, key, n))
	}
}
