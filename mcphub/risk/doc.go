// Package risk assesses the tools of other servers: which risk level a tool has, judged by
// what its server says about it, and which level a person has confirmed.
//
// [Assess] scores one tool. It is a pure function of [Facts]: the name, the description, the
// schema, the annotations and the findings of a scan. What a server says about its own
// tools is not trusted: annotations of an untrusted server may raise the level and never
// lower it.
//
// [Levels] keeps what people confirmed. The level of a tool is unknown until a person has
// confirmed it once, for the definition that the person has seen and for the connection
// over which it came. Until then the tool has a [Proposal]:
//
//	levels, err := risk.NewLevels(ctx, store, nil)
//	...
//	r := levels.Of(record, tool)            // r.Level is unknown, r.Proposal.Level is L2
//	err = levels.Confirm(ctx, record, tool, toolspec.L2, who)
//	r = levels.Of(record, tool)             // r.Level is L2, until the definition changes
package risk
