// Package risk says how dangerous a server and its tools are, from L1 to L5, and why.
//
// [AssessServer] scores a server along four axes: where it runs, how it knows who calls, what
// vouches for it, and its documentation. [Assess] scores a tool: what it does, and what is not
// known about it. [Compose] adds both. Floors raise the level whatever the score is: a server
// that lets everyone write, a tool whose name says "delete". All are pure functions of facts.
// More danger never lowers a level. What a server says about its own tools is not trusted: an
// annotation of an untrusted server may raise the level and never lower it.
//
// Each result has an [Explanation]: the rule that decides, the reasons, and the cheapest
// change that lowers the level, found by trying changes.
//
// [Levels] keeps what people confirmed. A server that a person added by hand is at L5, since
// nothing vouches for it. The level of its tools is unknown until a person has reviewed the
// tool and the server, and has confirmed the level for this definition over this connection.
// Until then the tool has a [Proposal], the level after the review:
//
//	levels, err := risk.NewLevels(ctx, store, nil)
//	...
//	u := risk.UpstreamOf(server)
//	r := levels.Of(u, tool)                 // r.Level is unknown, r.Proposal.Level is L3
//	err = levels.Confirm(ctx, u, tool, toolspec.L3, who)
//	r = levels.Of(u, tool)                  // r.Level is L3, until the definition changes
//
// A confirmation expires after 180 days. A scan of the tools by package scan raises the
// proposal: to L4 if a person should look, to L5 if the text works against the user.
package risk
