// Package audit is the record of calls: who called what, under which rules, and how
// it ended.
//
// A [Log] keeps it in a store, [Memory] without one, and a custom [Sink] anywhere
// else. A hub makes a log by itself; a program that shares one with a gate makes it
// first:
//
//	log := audit.New(store, nil, nil)
//	defer log.Close()
//	gate, err := approval.NewGate(&approval.Options{Store: store, Audit: log, ...})
//	...
//	hub, err := mcphub.New(&mcphub.Options{Store: store, Audit: log, Approval: gate})
//
// # What a record says
//
// A record says who called which tool under which pass and posture, a digest of
// the arguments, how the call ended, what the run was allowed and what it cost,
// and what it reached: requests by method and host, files by function and path.
// Arguments, results, console and whatever is behind a host are not in it, and
// secrets that the runner knows are masked like everywhere else.
//
// Records form chains, one per hub and run: each has a number and the SHA-256 of
// the one before. A hub writes to segments of its own; each opens with a begin
// record and is sealed with one that counts it, at the end of the day (UTC), when
// it is large enough, and when the hub closes, and the next one links to the
// seal. A begin record also holds the state of the last segments of other hubs,
// so that a file that disappears, or is cut off, is missed by those that came
// after. What a killed program leaves is closed that way by the next one; a
// record that was half written belonged to a call whose result was never sent,
// and is reported. [Options] removes old segments and leaves a record of the cut.
//
// [Verify] verifies a store, [Log.Verify] also compares it with what its own
// program has written, and [VerifyFiles] verifies copied files, with no home and
// no key: edited, removed, inserted, repeated and reordered records are named
// with file and line. "mcpserver audit verify" is the command for it.
//
// # What a chain proves
//
// The chain of digests holds no secret. It finds a change, a removal or an insertion
// by a person who does not rebuild everything that follows. A person who can write to
// all files can rebuild every chain, or cut off the newest records together with every
// record that has seen them, and the result verifies. To find that, note the
// [Report].Anchor of a verification in a place that this person cannot write to, and
// hand it to a later one as [VerifyOptions].Anchors. An anchor covers its own chain up
// to that record, and what the begin records up to there have seen of others.
//
// A chain that is open at its end may still be written to, or its end may be missing:
// verification reports it, and accepts it only on request. Nothing proves that a record
// was true when it was written. A copy that was taken file by file while hubs started
// may lack what a later file has seen: take it again.
package audit
