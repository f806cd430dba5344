// Package studio lets tools earn their Local Pass and publishes them: no pass, no run.
//
// A [Studio] stores drafts of specs, tests them and publishes those that passed.
// [Studio.Test] runs a spec with its own test values and cases; if this succeeds, it
// writes a [Receipt], which is bound to everything that determines what the spec can do:
// its content, its resolved posture, the runtime and the isolation tier. A change of any
// of these makes it invalid. [Studio.Publish] refuses a spec without a valid receipt. A
// published tool is a [Passed]: a snapshot of the spec with its receipt.
//
// A Go function or any other toolspec.Tool earns its pass with [Certify], by cases that
// must succeed.
//
// Only Studio and Certify make a Passed. Its fields are unexported, and every call checks
// whether it was withdrawn, through every copy of the value. Of the tools of its own
// host, a hub serves only Passed values.
//
// # What is stored
//
// A localpass.Persistence stores the drafts, the receipts and which tools are published.
// Receipts are authenticated with a key of the home, so copying a file into the store
// does not give a tool a pass. Several programs can share the store: [Studio.FollowStore]
// keeps a studio in sync with the other programs. [Studio.Follow] watches spec files and
// publishes those that pass.
package studio
