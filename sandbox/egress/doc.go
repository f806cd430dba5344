// Package egress lets requests out to the network, as far as a policy goes, and
// nowhere else. A [Guard] is an [http.RoundTripper]: put it under any client, or
// use [Guard.NewCall] for one piece of work with a budget.
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
// # What is decided, and where
//
// The URL is judged before anything else: scheme, host, port, method and path
// against the rules, no credentials, no odd spelling of an address. A name is
// looked up once, every address of the answer is judged, and the connection
// goes to one of the judged addresses: an answer that changes afterwards changes
// nothing. The socket's own address is judged once more before it connects. The
// name stays what TLS verifies and what the Host header says. Each redirect is a
// request of its own and is judged as one.
//
// In every mode only public addresses are reachable: see [Public].
// [Policy].OperatorHosts opens others, by exact name or address, or all internal
// ones for the tools that ask for them ([AnyInternal]). An operator opens an
// address at which clouds hand out credentials by listing the address itself.
//
// A Guard has connections of its own, so two policies never share one; [Pool]
// keeps a Guard per policy. Proxies that the environment names are ignored.
//
// # What a request carries
//
// Headers that belong to the connection are left out: Connection,
// Content-Length, Expect, Host, TE, Trailer, Transfer-Encoding, Upgrade and
// Proxy-*. When a redirect leaves the origin of the first request, credentials
// stay behind: Authorization, Cookie, headers named like one (token, api-key and
// so on) and headers that carry a secret. A redirect from https to http is
// refused unless the mode is open.
//
// Code that must not see a secret sends a handle, {{secret:NAME}}, in the value
// of a header, in the query or in the body. It is replaced behind every decision
// and only in requests to the hosts that the [Secret] names, over TLS unless the
// operator listed the host. A host that has a value could be made to hand it on: a
// redirect to another origin is refused when its URL holds the value of a secret
// of the call, anywhere in it, also one that the secret names. It is found as it
// is, percent-encoded up to eight times, with + for a space, in base64 or hex of
// the whole value, and in any case of letters; not in what a host computes from it.
//
// # Errors
//
// Every refusal and failure is an [*Error] with a kind, a stable reason and a
// message that may be shown to a model; what was refused has the kind SECURITY
// and a message that begins with "[fetch] denied: ". What http.Client returns
// wraps it: use errors.As.
//
// # Recording
//
// A [Recorder] keeps exchanges in a form that a spec can carry, a [Replayer]
// answers from it without a network. Both run where secrets are still handles:
// see [CallOptions].Around and [CallOptions].Replay.
//
// All types are safe for concurrent use.
package egress
