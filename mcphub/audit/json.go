package audit

import (
	"encoding/json"
	"strconv"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec/activity"
)

// MarshalJSON writes the record as in the log, without the members that link it to other
// records.
func (r Record) MarshalJSON() ([]byte, error) { return r.appendJSON(nil), nil }

// size returns roughly the size of the record as JSON in bytes, so that a single
// allocation suffices.
func (r *Record) size() int {
	n := 512 + len(r.Tool.encoded) + 64*len(r.Denials)
	if r.Runtime != nil {
		n += 256
	}
	for i := range r.Accesses {
		n += 112 + len(r.Accesses[i].Target)
	}
	return n
}

// appendJSON appends the record as JSON. It is written by hand because every call pays
// for it.
func (r *Record) appendJSON(dst []byte) []byte {
	dst = rpc.AppendTime(append(dst, `{"time":`...), r.Time)
	dst = rpc.AppendString(append(dst, `,"call":`...), r.Call)
	dst = append(dst, `,"tool":`...)
	if r.Tool.encoded != nil {
		dst = append(dst, r.Tool.encoded...)
	} else {
		dst = append(dst, r.Tool.encode()...)
	}
	dst = rpc.AppendString(append(dst, `,"principal":{"subject":`...), r.Principal.Subject)
	dst = rpc.AppendField(dst, "issuer", r.Principal.Issuer)
	dst = append(rpc.AppendField(dst, "via", r.Principal.Via), '}')
	dst = rpc.AppendField(dst, "transport", r.Transport)
	dst = rpc.AppendField(dst, "protocol", r.Protocol)
	dst = rpc.AppendField(dst, "session", r.Session)
	dst = rpc.AppendField(dst, "conversation", r.Conversation)
	dst = rpc.AppendString(append(dst, `,"arguments":`...), r.Arguments)
	dst = appendCount(dst, "undeclared", int64(r.Undeclared))
	dst = strconv.AppendBool(append(dst, `,"ok":`...), r.OK)
	dst = rpc.AppendField(dst, "kind", string(r.Kind))
	dst = rpc.AppendField(dst, "reason", r.Reason)
	dst = rpc.AppendField(dst, "component", r.Component)
	dst = rpc.AppendField(dst, "because", r.Because)
	dst = strconv.AppendInt(append(dst, `,"duration":`...), int64(r.Duration), 10)
	if r.Runtime != nil {
		dst = rpc.AppendString(append(dst, `,"runtime":{"id":`...), r.Runtime.ID)
		dst = rpc.AppendString(append(dst, `,"version":`...), r.Runtime.Version)
		dst = append(rpc.AppendString(append(dst, `,"tier":`...), string(r.Runtime.Tier)), '}')
	}
	if r.Limits != nil {
		dst = strconv.AppendInt(append(dst, `,"limits":{"timeout":`...), int64(r.Limits.Timeout), 10)
		dst = append(appendCount(dst, "statements", r.Limits.Statements), '}')
	}
	if r.Usage != nil {
		dst = strconv.AppendInt(append(dst, `,"usage":{"duration":`...), int64(r.Usage.Duration), 10)
		dst = appendCount(dst, "cpu", int64(r.Usage.CPU))
		dst = appendCount(dst, "statements", r.Usage.Statements)
		dst = appendCount(dst, "hostCalls", int64(r.Usage.HostCalls))
		dst = appendCount(dst, "memory", r.Usage.Memory)
		dst = append(appendCount(dst, "memoryBefore", r.Usage.MemoryBefore), '}')
	}
	for i := range r.Accesses {
		dst = appendAccess(appendItem(dst, "accesses", i), &r.Accesses[i])
	}
	if len(r.Accesses) > 0 {
		dst = append(dst, ']')
	}
	dst = appendCount(dst, "accessesCut", int64(r.AccessesCut))
	for i, d := range r.Denials {
		dst = rpc.AppendString(append(appendItem(dst, "denials", i), `{"component":`...), d.Component)
		dst = append(rpc.AppendString(append(dst, `,"reason":`...), d.Reason), '}')
	}
	if len(r.Denials) > 0 {
		dst = append(dst, ']')
	}
	dst = appendCount(dst, "denialsCut", int64(r.DenialsCut))
	if len(r.Findings) > 0 {
		dst = rpc.AppendStrings(append(dst, `,"findings":`...), r.Findings)
	}
	if r.ConsoleCut {
		dst = append(dst, `,"consoleCut":true`...)
	}
	return append(dst, '}')
}

// appendItem starts the list with its first item, or appends the next item.
func appendItem(dst []byte, name string, i int) []byte {
	if i > 0 {
		return append(dst, ',')
	}
	return append(append(append(dst, `,"`...), name...), `":[`...)
}

func appendAccess(dst []byte, a *activity.Access) []byte {
	dst = rpc.AppendString(append(dst, `{"component":`...), a.Component)
	dst = rpc.AppendString(append(dst, `,"op":`...), a.Op)
	dst = rpc.AppendString(append(dst, `,"target":`...), a.Target)
	dst = appendCount(dst, "status", int64(a.Status))
	dst = appendCount(dst, "bytes", a.Bytes)
	return append(strconv.AppendInt(append(dst, `,"count":`...), int64(a.Count), 10), '}')
}

// appendCount appends `,"name":n`, or nothing if n is 0.
func appendCount(dst []byte, name string, n int64) []byte {
	if n == 0 {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return strconv.AppendInt(dst, n, 10)
}

func (t Tool) encode() []byte {
	b, err := json.Marshal(t)
	if err != nil { // a posture is plain data, so this does not happen
		return []byte(`{"id":"","name":"","level":"unknown","pass":""}`)
	}
	return b
}
