// Package studio is where tools earn their Local Pass and are published: no pass,
// no run.
//
// A [Studio] keeps drafts of specs, tests them and publishes those that passed.
// [Studio.Test] runs a spec's own test values and cases; a success writes a
// [Receipt], which is bound to everything that the spec can do: its content, its
// resolved posture, the runtime and the isolation tier. An edit of any of these
// voids it. [Studio.Publish] refuses a spec without a valid receipt. What is
// published is a [Passed]: a snapshot of the spec with its receipt.
//
// A Go function or any other toolspec.Tool earns its pass by [Certify], with cases
// that it must hold.
//
// Only Studio and Certify make a Passed. Its fields are unexported, and whether it
// was withdrawn is checked at every call, through every copy of the value. A hub
// serves nothing else of its own host.
//
// # What is stored
//
// Drafts, receipts and what is published live in a localpass.Persistence.
// Receipts are authenticated with a key of the home, so that a file copied into the
// store brings no pass. Several programs can share the store: [Studio.FollowStore]
// keeps one in step with the others. [Studio.Follow] watches spec files and publishes
// what passes.
package studio
