package egress

import "time"

// Limits bound the requests through a Guard. A zero field means its default; a default
// can be lowered and raised. Sources: (S n) is section n of the Safe Tool Specification
// sheet; the others are our own.
type Limits struct {
	Connect  time.Duration // (S 5.4) 5 s for look-up and connection, and for the TLS handshake
	Request  time.Duration // (S 5.4) 30 s from the request to the end of the body, redirects included
	Redirect int           // (S 5.4) 5 redirects followed; negative: none
	Body     int64         // (S 5.4) 10 MiB of one response, decompressed
	Header   int64         // 256 KiB of response header
	Send     int64         // 10 MiB of one request body; the same as a response

	// Totals of one Call. They do not apply to requests through the Guard itself.
	Requests int   // (S 9) 50 requests, each hop of a redirect counted
	Bytes    int64 // (S 9) 50 MiB of responses, decompressed
}

// DefaultLimits returns the defaults.
func DefaultLimits() Limits {
	return Limits{
		Connect: 5 * time.Second, Request: 30 * time.Second, Redirect: 5,
		Body: 10 << 20, Header: 256 << 10, Send: 10 << 20,
		Requests: 50, Bytes: 50 << 20,
	}
}

// or returns l with its zero fields set from d.
func (l Limits) or(d Limits) Limits {
	pick(&l.Connect, d.Connect)
	pick(&l.Request, d.Request)
	pick(&l.Redirect, d.Redirect)
	pick(&l.Body, d.Body)
	pick(&l.Header, d.Header)
	pick(&l.Send, d.Send)
	pick(&l.Requests, d.Requests)
	pick(&l.Bytes, d.Bytes)
	return l
}

func pick[N int | int64 | time.Duration](field *N, def N) {
	if *field == 0 {
		*field = def
	}
}

// within returns outer, with those fields of l that are lower.
func (l Limits) within(outer Limits) Limits {
	l = l.or(outer)
	return Limits{
		Connect: outer.Connect, Header: outer.Header, // fixed per guard, for its connections
		Request: min(l.Request, outer.Request), Redirect: min(l.Redirect, outer.Redirect),
		Body: min(l.Body, outer.Body), Send: min(l.Send, outer.Send),
		Requests: min(l.Requests, outer.Requests), Bytes: min(l.Bytes, outer.Bytes),
	}
}
