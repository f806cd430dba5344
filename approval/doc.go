// Package approval decides whether a call of a tool may run, and asks a person
// where the rules say so. It fails closed: a call does not run when anything goes
// wrong on the way.
//
// # Words
//
// An approval request ([Request]) is a question about one call. A person gives a
// [Decision] on it: approve or decline. Its [Outcome] is what came of it, which can be
// that nobody decided in time; its [Status] says how far it is. [CallOutcome] is what
// [Gate.Check] returns for the call. A [Policy], and each row of the table below, has an
// effect: run, ask or deny.
//
// # From a call to a decision
//
// A [Gate] takes a call through three steps. The [Policies] say run, refuse or
// ask, in a fixed precedence; a live [Grant], given with the approval of an earlier
// request, counts there. To ask, a [Broker] writes a [Request] down, durably, and puts
// it before its [Approver] values: a terminal, a web page, the client that called,
// another service. The first valid [Decision] counts, once, and the other approvers are
// notified. An approval makes a [Clearance]: a permission for exactly this tool as it
// is now, these arguments, this principal and this conversation, valid for one call.
//
// The clearance travels in the context. An inner gate, such as the one of the tool
// itself, finds it and does not ask again; a call without one asks there. So each call
// of a gated tool is asked about exactly once.
//
// # Which rule applies
//
// The first row that matches a call applies; [Gate.Explain] shows them
// all.
//
//	 1  the tool is withheld                             deny
//	 2  the program or its policy file refuses it        deny
//	 3  ALWAYS_DENY on the tool, its server, everything  deny
//	 4  a rule about its arguments refuses it            deny
//	 5  a scan of its texts found something serious      ask, once only
//	 6  a grant covers it                                run
//	 7  the tool itself asks for approval                ask, unless its owner overrides that
//	 8  ASK_USER on the tool, or a rule asks             ask
//	 9  ALWAYS_ALLOW on the tool                         run
//	10  ASK_USER or ALWAYS_ALLOW on its server           ask or run
//	11  ASK_USER on everything                           ask
//	12  a tool of this program that does not ask         run
//	13  anything else                                    ask
//
// Policies and grants are of one [Side]: what a person allows in a chat says
// nothing about clients of the network.
//
// # What a person can say
//
// Approve once, for this conversation, for a time or a number of calls; approve with
// edited arguments, which then run instead; decline, with a reason for the model.
// A decision that is late, malformed, for another request, or the second
// one, changes nothing. A tool of level L5 requires its name to be typed, and with
// [Options.FourEyes] two people.
//
// # Waiting and coming back
//
// [Gate.Check] holds a batch of calls until all requests have an outcome. Decisions come
// from an approver, or through [Broker.Decide], here or in another program on the same
// store. Where people find the question themselves, such as in a web
// page, [Inbox] is the approver that waits for them. An approver that says
// [ErrPause] leaves the request open instead: its outcome is [Pending], and
// [Gate.Resume], or [Gate.Await], comes back for it, after a restart too.
//
// # What is written down
//
// Requests and decisions live in a [github.com/localpass/localpass.Persistence]:
// a request outlives a restart until its deadline, and several programs can share
// a home. Each request and each decision is an audit record; a decision that cannot be
// recorded does not permit the call. An approval is written down as used before its
// call runs: a program that is killed at any point has run it once at most.
//
// The records are as trustworthy as the store. Anyone who can write to its files can
// approve; a record that is malformed or contradicts itself approves nothing.
//
// # Cost
//
// On two cores of a virtual machine that other programs shared, over
// persistence/file with every write flushed and 1,000 questions open: 580 decisions
// a second, 160 calls a second from request to use, and 0.08 ms for a call that needs
// no approval request. To measure:
//
//	go test -run '^$' -bench . ./approval
package approval
