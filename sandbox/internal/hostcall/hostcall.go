// Package hostcall is what code in a sandbox and the program around it say to
// each other when the code wants something done that it has no authority for:
// a request over the network, a file. In the isolated tier each call crosses
// the pipe to the program, which checks it; in process it is a function call.
// Both sides trust the shape of nothing that the other says.
package hostcall

import (
	"context"
	"encoding/json"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
)

// Request asks for one operation.
type Request struct {
	// Op names the operation, such as "fetch" or "fs.readText": a helper, a
	// dot, and what to do.
	Op string
	// Args is a JSON value whose shape belongs to the operation.
	Args json.RawMessage
	// Data is a body of bytes beside the arguments, such as what to send or to
	// write. At most MaxData.
	Data []byte
}

// Reply is what an operation gave.
type Reply struct {
	Value json.RawMessage // JSON; null when there is nothing to say
	Data  []byte          // at most MaxData; longer answers are asked for in parts
}

// MaxData bounds the bytes of one request and of one reply. A frame between
// worker and program holds 4 MiB with everything around them.
const MaxData = 3 << 20

// Func performs a request from inside the code. The error, when there is one,
// becomes an Error that the code can catch.
type Func func(Request) (Reply, *toolspec.CallError)

// Service performs the requests of one run in the program around it. It is
// called by one goroutine at a time. Close releases what the run left open.
type Service interface {
	Serve(ctx context.Context, req Request) (Reply, *toolspec.CallError)
	// Denials lists what was refused, whether or not the code caught it.
	Denials() []activity.Denial
	Close() error
}
