package mcphub

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/localpass/localpass/toolspec"
)

// taskPeer is the connection to the client of a task: questions wait in the task until
// the client fetches them.
type taskPeer struct {
	*peer
	task *task
}

// Progress updates the status message of the task. While the client still waits for the
// call itself, it gets progress as for any call.
func (p taskPeer) Progress(ctx context.Context, progress toolspec.Progress) error {
	err := p.peer.Progress(ctx, progress)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	message := progress.Message
	if message == "" {
		message = strconv.FormatFloat(progress.Done, 'f', -1, 64)
		if progress.Total > 0 {
			message += " of " + strconv.FormatFloat(progress.Total, 'f', -1, 64)
		}
	}
	p.task.mu.Lock()
	if !p.task.state.status.terminal() && p.task.state.message != message {
		p.task.state.message = message
		p.task.changed()
	}
	p.task.mu.Unlock()
	return nil
}

// taskOutlet is where messages of a task go while its client waits for the call.
// Afterwards the protocol has no place for them.
type taskOutlet struct {
	mu  sync.Mutex
	out outlet
}

var errNoStream = fmt.Errorf("mcphub: the client waits for no messages of a task: %w", errors.ErrUnsupported)

func (o *taskOutlet) send(message []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.out == nil {
		return errNoStream
	}
	return o.out.send(message)
}

func (o *taskOutlet) alive() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.out == nil {
		return errNoStream
	}
	return o.out.alive()
}

// enter gives the task a stream, unless it has one.
func (o *taskOutlet) enter(out outlet) bool {
	if o == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.out != nil {
		return false
	}
	o.out = out
	return true
}

// leave removes the client's stream. After it has returned, nothing is written to the
// stream.
func (o *taskOutlet) leave() {
	if o != nil {
		o.mu.Lock()
		o.out = nil
		o.mu.Unlock()
	}
}
