package sandbox

import (
	"encoding/json"
	"github.com/localpass/localpass/internal/clip"
	"net/url"
	"strings"

	"github.com/localpass/localpass/sandbox/internal/files"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/secret"
)

// maxAccesses is how many different accesses of one run are distinguished.
const maxAccesses = 100

// maxTarget is how many bytes of a path are kept.
const maxTarget = 512

// accesses collects what a run reached.
type accesses struct {
	list  []activity.Access
	index map[activity.Access]int // without Bytes and Count
	cut   int
}

func (a *accesses) add(access activity.Access) {
	key := access
	key.Bytes, key.Count = 0, 0
	if i, ok := a.index[key]; ok {
		a.list[i].Count++
		a.list[i].Bytes += access.Bytes
		return
	}
	if len(a.list) >= maxAccesses {
		a.cut++
		return
	}
	if a.index == nil {
		a.index = map[activity.Access]int{}
	}
	a.index[key] = len(a.list)
	access.Count = 1
	a.list = append(a.list, access)
}

// requestOf returns what a network request reached or tried to reach; reply is empty if
// there was no response. It returns false for a request that is a part of another.
// Secrets in the code's text are masked before the text is cut, because half a secret
// would not be found.
func requestOf(req HostRequest, reply HostReply, secrets *secret.Redactor) (activity.Access, bool) {
	if req.Op != "fetch" {
		return activity.Access{}, false // a further part of a body
	}
	var asked struct{ URL, Method string }
	var answer struct {
		Status int   `json:"status"`
		Size   int64 `json:"size"`
	}
	_ = json.Unmarshal(req.Args, &asked) // the service has read it
	_ = json.Unmarshal(reply.Value, &answer)
	u, err := url.Parse(secrets.String(asked.URL))
	if err != nil {
		return activity.Access{}, false
	}
	method := strings.ToUpper(secrets.String(asked.Method))
	if method == "" {
		method = "GET"
	}
	return activity.Access{Component: "fetch", Op: clip.To(method, 16), Target: clip.To(origin(u, secrets), maxTarget), Status: answer.Status, Bytes: answer.Size}, true
}

// origin returns a URL without path and query, and without a default port.
func origin(u *url.URL, secrets *secret.Redactor) string {
	host := u.Host
	switch port := u.Port(); u.Scheme + port {
	case "https443", "http80":
		host = strings.TrimSuffix(host, ":"+port) // the name alone would lose the brackets of an address
	}
	return strings.ToLower(u.Scheme) + "://" + secrets.Host(host)
}

// fileOf is like requestOf, for a file operation.
func fileOf(req HostRequest, reply HostReply, secrets *secret.Redactor) (activity.Access, bool) {
	op := strings.TrimPrefix(req.Op, files.OpPrefix)
	var asked struct{ Path, To string }
	_ = json.Unmarshal(req.Args, &asked)
	switch op {
	case "stage", "next", "workspace", "readRoots":
		return activity.Access{}, false // a part of another operation, or an operation that touches nothing
	}
	var answer struct {
		Bytes int64 `json:"bytes"`
	}
	_ = json.Unmarshal(reply.Value, &answer) // an answer without a size counts as 0
	target := asked.Path
	if target == "" {
		target = "."
	}
	if asked.To != "" {
		target += " -> " + asked.To
	}
	return activity.Access{Component: "fs", Op: clip.To(op, 32), Target: clip.To(secrets.String(target), maxTarget), Bytes: max(answer.Bytes, int64(len(req.Data)))}, true
}
