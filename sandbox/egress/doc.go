// Package egress limits outgoing HTTP requests to what a policy allows. A [Guard] is an
// [http.RoundTripper]: use it as the transport of any client, or call [Guard.NewCall] for
// a unit of work with a budget.
//
//	guard, err := egress.New(egress.Policy{
//		Mode:  toolspec.NetworkAllowlist,
//		Rules: []string{"GET api.example.com/v1/*", "*.example.org"},
//	}, nil)
//	if err != nil {
//		return err
//	}
//	defer guard.Close()
//	client := &http.Client{Transport: guard}
//
// # What is checked, and where
//
// The URL is checked first: its scheme, host, port, method and path must match the rules,
// and it must not contain credentials or an unusual spelling of an address. A name is
// looked up once, every resulting address is checked, and the connection is made to one
// of these addresses, so a later change of the DNS answer has no effect. The address of
// the socket is checked again before it connects. TLS verifies the name, and the Host
// header contains it. Each redirect is a separate request with the same checks.
//
// In every mode only public addresses are reachable: see [Public]. [Policy].OperatorHosts
// opens other addresses, by exact name or address, or all internal ones for the tools
// that request them ([AnyInternal]). Addresses at which clouds hand out credentials are
// opened only by listing the address itself.
//
// A Guard has its own connections, so different policies never share one; [Pool] keeps
// one Guard per policy. Proxy settings in the environment are ignored.
//
// # What a request carries
//
// Headers that belong to the connection are removed: Connection, Content-Length, Expect,
// Host, TE, Trailer, Transfer-Encoding, Upgrade and Proxy-*. When a redirect leaves the
// origin of the first request, credentials are not sent on: Authorization, Cookie,
// headers with similar names (token, api-key and so on) and headers that contain a
// secret. A redirect from https to http is refused unless the mode is open.
//
// Code that must not see a secret writes a handle, {{secret:NAME}}, into a header value,
// the query or the body. The value replaces the handle after all checks, and only in
// requests to the hosts that the [Secret] names, over TLS unless the operator listed the
// host. Since a host that received a value could be made to pass it on, a redirect to
// another origin, even to one that the secret names, is refused if its URL contains the
// value of a secret of the call. The value is found in plain form, percent-encoded up to
// eight times, with + for a space, as base64 or hex of the whole value, and in any letter
// case, but not in anything that a host computes from it.
//
// # Errors
//
// Every refusal and failure is an [*Error] with a kind, a stable reason and a message
// that may be shown to a model; a refusal has the kind SECURITY and a message that begins
// with "[fetch] denied: ". http.Client wraps the error: use errors.As.
//
// # Recording
//
// A [Recorder] records exchanges in a form that a spec can contain, and a [Replayer]
// answers from them without a network. Both work before secrets replace their handles:
// see [CallOptions].Around and [CallOptions].Replay.
//
// All types are safe for concurrent use.
package egress
