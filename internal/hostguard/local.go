package hostguard

import (
	"errors"
	"fmt"
	"net"
	"strings"
)

// ErrNotLocal is matched by every error of [CheckLocal].
var ErrNotLocal = errors.New("the request does not come directly from this machine")

// CheckLocal reports whether a request without credentials may count as one of
// this machine: it arrived on a loopback address, which an http.Server keeps
// under http.LocalAddrContextKey, and no header says that a proxy forwarded it.
// The error matches [ErrNotLocal], may be sent to the client, and does not
// repeat the values of headers.
func CheckLocal(arrived net.Addr, header map[string][]string) error {
	if !IsLoopback(arrived) {
		return &notLocal{"without credentials, only connections on a loopback address are served"}
	}
	if name := ForwardedBy(header); name != "" {
		return &notLocal{fmt.Sprintf("a proxy forwarded this request (header %s), so it may come from another machine: "+
			"start the server with a token (-token; in a program Options.Authenticate or Authorize) and send it", name)}
	}
	return nil
}

// ForwardedBy returns the name of a header by which a proxy says that it
// forwards the request of another: Forwarded, Via, X-Forwarded and everything
// that begins so, and the usual names for the address of a client, such as
// X-Real-Ip. It is empty when there is none. The value does not count, not even
// one that names this machine: the client may have written it.
//
// A proxy that adds no such header cannot be distinguished from a program of
// this machine.
func ForwardedBy(header map[string][]string) string {
	for name := range header { // in canonical form, as net/http reads them
		switch name {
		case "Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Original-Host", "True-Client-Ip", "Cf-Connecting-Ip", "Fastly-Client-Ip":
			return name
		}
		if strings.HasPrefix(name, "X-Forwarded") {
			return name
		}
	}
	return ""
}

type notLocal struct{ why string }

func (e *notLocal) Error() string        { return e.why }
func (e *notLocal) Is(target error) bool { return target == ErrNotLocal }
