package mcphub

import (
	"strconv"
	"time"

	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// appendTask writes the members that describe a task, without the result. t.mu must be
// held.
func (t *task) appendTask(dst []byte) []byte {
	dst = rpc.AppendString(append(dst, `"taskId":`...), t.id)
	dst = append(append(append(dst, `,"status":"`...), taskStatuses[t.state.status]...), '"')
	dst = rpc.AppendField(dst, "statusMessage", t.state.message)
	dst = rpc.AppendTime(append(dst, `,"createdAt":`...), t.created)
	dst = rpc.AppendTime(append(dst, `,"lastUpdatedAt":`...), t.state.updated)
	dst = appendMillis(append(dst, `,"ttlMs":`...), t.kept.until.Sub(t.created))
	return appendMillis(append(dst, `,"pollIntervalMs":`...), t.opts.Poll)
}

// appendMillis writes a time in whole milliseconds, rounded up, at least 1.
func appendMillis(dst []byte, d time.Duration) []byte {
	return strconv.AppendInt(dst, max(int64((d+time.Millisecond-1)/time.Millisecond), 1), 10)
}

// appendDetail is appendTask plus what belongs to the status: the questions, the result
// or the error.
func (t *task) appendDetail(dst []byte) []byte {
	dst = t.appendTask(dst)
	switch t.state.status {
	case taskInputRequired:
		dst = appendTaskQuestions(append(dst, `,"inputRequests":`...), t.questions.open)
	case taskCompleted:
		dst = append(append(dst, `,"result":`...), t.end.result...)
	case taskFailed:
		dst = strconv.AppendInt(append(dst, `,"error":{"code":`...), int64(t.end.fault.Code), 10)
		dst = append(rpc.AppendString(append(dst, `,"message":`...), t.end.fault.Message), '}')
	}
	return dst
}

func appendTaskQuestions(dst []byte, asked []*taskQuestion) []byte {
	dst = append(dst, '{')
	for i, q := range asked {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rpc.AppendString(append(rpc.AppendString(dst, q.key), `:{"method":`...), q.method)
		if q.params != nil {
			dst = append(append(dst, `,"params":`...), q.params...)
		}
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// appendCreated writes the response to a call that became a task. t.mu must be
// held.
func (t *task) appendCreated(dst, id, serverInfo []byte) []byte {
	dst = append(rpc.AppendHead(dst, id), `,"result":{"resultType":"task",`...)
	return append(rpc.AppendMeta(t.appendTask(dst), nil, serverInfo), "}}"...)
}

// appendGot writes the response to tasks/get. t.mu must be held.
func (t *task) appendGot(dst, id, serverInfo []byte) []byte {
	dst = append(rpc.AppendHead(dst, id), `,"result":{"resultType":"complete",`...)
	return append(rpc.AppendMeta(t.appendDetail(dst), nil, serverInfo), "}}"...)
}

// appendParked writes the response to a call that asks before it becomes a task.
func appendParked(dst, id []byte, asked []*taskQuestion, state string, serverInfo []byte) []byte {
	dst = append(rpc.AppendHead(dst, id), `,"result":{"resultType":"input_required","inputRequests":`...)
	dst = appendTaskQuestions(dst, asked)
	dst = rpc.AppendString(append(dst, `,"requestState":`...), state)
	return append(rpc.AppendMeta(dst, nil, serverInfo), "}}"...)
}
