// Package approval decides whether a call of a tool may run, and asks a person
// where the rules say so. It fails closed: whatever goes wrong on the way means
// no.
//
// # From a call to a yes
//
// A [Gate] takes a call through three steps. The [Policies] say run, refuse or
// ask, in a fixed precedence; a live [Grant], the wider yes of an earlier
// question, counts there. To ask, a [Broker] writes a [Request] down, durably,
// and puts it before its [Approver] values: a terminal, a web page, the client
// that called, another service. The first valid [Decision] counts, once, and the
// others are told. An approval makes a [Clearance]: a yes for just this tool as
// it is now, these arguments, this principal and this conversation, good for one
// call.
//
// The clearance travels in the context. A gate further in, such as the one of
// the tool itself, finds it and does not ask again; a call without one asks
// there. So a gated tool is asked about once, and never not at all.
//
// # What a person can say
//
// Allow once, for this conversation, for a time or a number of calls; allow with
// edited arguments, which are then what runs; deny, with a reason that the model
// is told. An answer that is late, malformed, for another request, or the second
// one, changes nothing.
//
// # What is written down
//
// Requests and decisions live in a [github.com/localpass/localpass.Persistence]:
// a request outlives a restart until its deadline, and several programs can share
// a home. Each question and each answer is an audit record; a decision that
// cannot be recorded is a no.
package approval
