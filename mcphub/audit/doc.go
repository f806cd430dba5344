// Package audit keeps the audit log of tool calls: which principal called which tool,
// under which rules, and how the call ended.
//
// A [Log] keeps the records in a store, [Memory] keeps them in memory, and a custom
// [Sink] anywhere else. A hub makes its own log; a program that shares a log between a
// hub and a gate makes it first:
//
//	log := audit.New(store, nil, nil)
//	defer log.Close()
//	gate, err := approval.NewGate(&approval.Options{Store: store, Audit: log, ...})
//	...
//	hub, err := mcphub.New(&mcphub.Options{Store: store, Audit: log, Approval: gate})
//
// # What a record says
//
// A record holds the principal, the tool with its pass and posture, a digest of the
// arguments, the outcome of the call, what the run was allowed to do, what it cost, and
// what it accessed: requests by method and host, files by function and path. It does not
// hold arguments, results, console output, or paths and queries of requests, and secrets
// that the runner knows are masked.
//
// Records form chains, one for each run of a hub: each record has a number and the
// SHA-256 of the previous record. A hub writes its own segments. Each segment opens with
// a begin record and ends with a seal, a record that counts it; it is sealed at the end
// of the day (UTC), when it is large enough, and when the hub closes. The next segment
// links to the seal. A begin record also holds the state of the last segments of other
// hubs, so that later segments prove if a file has disappeared or was cut off. The next
// program closes the segments of a killed program in the same way; a half-written record,
// which belonged to a call whose result was never sent, is reported. [Options] can remove
// old segments, which leaves a record of the cut.
//
// [Verify] verifies a store, [Log.Verify] also compares it with what the current program
// has written, and [VerifyFiles] verifies copied files, without a home or a key. They
// report edited, removed, inserted, repeated and reordered records with file and line.
// The command for this is "mcpserver audit verify".
//
// # What a chain proves
//
// The digests involve no secret. They reveal a change, a removal or an insertion unless
// the attacker rebuilds everything that follows. An attacker who can write to all files
// can rebuild every chain, or cut off the newest records together with every record that
// refers to them, and the result verifies. To detect that, save the [Report].Anchor of a
// verification where the attacker cannot write, and pass it to a later verification in
// [VerifyOptions].Anchors. An anchor covers its own chain up to its record, and the parts
// of other chains that the begin records up to there refer to.
//
// A chain without a seal at its end may still be in use, or its end may be missing:
// verification reports it, and accepts it only on request. Nothing proves that a record
// was true when it was written. If files were copied one by one while hubs started, the
// copy may lack records that a later file refers to: make a new copy.
package audit
