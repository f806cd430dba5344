package inspector

import (
	"strings"
	"time"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// CallLog is a log message of a server that belongs to an operation of an [Inspector].
// The text comes from the server; secrets of the connection are masked.
type CallLog struct {
	At time.Time `json:"at"`
	// Level and Logger are as the server spells them, cut to 20 and 100 bytes.
	Level  string `json:"level,omitempty"`
	Logger string `json:"logger,omitempty"`
	// Text is the logged text, or JSON if the server logged another value, cut to 2 KiB.
	Text string `json:"text"`
}

// Limits of the log messages of one operation.
const (
	maxCallLogs     = 200
	maxCallLogText  = 2 << 10
	maxCallLogBytes = 64 << 10 // total of all texts
	maxLogLevel     = 20
	maxLogger       = 100
)

// logOf reads the params of notifications/message, which are already masked.
func logOf(params []byte) (l CallLog) {
	all := rpc.Object(params)
	word := func(name string, most int) string {
		s, _ := rpc.Text(all[name])
		return clip.To(s, most)
	}
	l.Level, l.Logger = word("level", maxLogLevel), word("logger", maxLogger)
	said, ok := rpc.Text(all["data"])
	if !ok {
		said = string(all["data"])
	}
	l.Text = clip.To(strings.ToValidUTF8(said, "\uFFFD"), maxCallLogText)
	return l
}

// logged records a log message caused by the operation. After the end of the operation
// nothing is added.
func (o *inspecting) logged(n client.Notification) {
	l := logOf(n.Mask().JSON(n.Params))
	l.At = o.i.clock.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.over:
	case len(o.rec.Logs) == maxCallLogs || o.logBytes+len(l.Text) > maxCallLogBytes:
		o.rec.LogsCut++
	default:
		o.logBytes += len(l.Text)
		o.rec.Logs = append(o.rec.Logs, l)
	}
}
