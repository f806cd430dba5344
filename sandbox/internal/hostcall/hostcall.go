// Package hostcall defines the calls by which code in a sandbox asks the host program for
// operations that it cannot do itself, such as network requests and file access. In the
// isolated tier each call is sent through a pipe to the host program, which checks it; in
// process it is a function call. Each side validates everything that it receives from the
// other.
package hostcall

import (
	"context"
	"encoding/json"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
)

// Request asks for one operation.
type Request struct {
	// Op is the name of the operation, such as "fetch" or "fs.readText": a helper,
	// optionally followed by a dot and a function.
	Op string
	// Args is a JSON value whose structure depends on the operation.
	Args json.RawMessage
	// Data holds bytes that accompany the arguments, such as the content to send or to
	// write. At most MaxData bytes.
	Data []byte
}

// Reply is the result of an operation.
type Reply struct {
	Value json.RawMessage // JSON; null if there is no value
	Data  []byte          // at most MaxData bytes; longer results are requested in parts
}

// MaxData is the maximum length of Data in one request or reply. A frame between worker
// and host program holds 4 MiB, including everything else.
const MaxData = 3 << 20

// Func performs a request on behalf of code. An error becomes an Error that the code can
// catch.
type Func func(Request) (Reply, *toolspec.CallError)

// Service performs the requests of one run in the host program. It is called by one
// goroutine at a time. Close releases what the run left open.
type Service interface {
	Serve(ctx context.Context, req Request) (Reply, *toolspec.CallError)
	// Denials returns the refused requests, whether or not the code caught the error.
	Denials() []activity.Denial
	Close() error
}
