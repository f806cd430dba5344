package hostguard

import (
	"errors"
	"fmt"
	"net"
	"strings"
)

// ErrNotLocal is matched by every error of [CheckLocal].
var ErrNotLocal = errors.New("the request does not come directly from this machine")

// CheckLocal returns nil if a request without credentials counts as coming from this
// machine: it arrived on a loopback address, which an http.Server stores under
// http.LocalAddrContextKey, and no header says that a proxy forwarded it. The error
// matches [ErrNotLocal] and may be sent to the client: it does not repeat the values of
// headers.
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

// ForwardedBy returns the name of a header that says that a proxy forwarded the request:
// Forwarded, Via, any header that begins with X-Forwarded, and the usual headers for a
// client's address, such as X-Real-Ip. It returns "" if there is none. It ignores the
// value of the header, even if that names this machine, because the client may have
// written it.
//
// A proxy that adds no such header cannot be distinguished from a program on this
// machine.
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
