// Package toolspec is the Safe Tool Specification 1.0 in Go, and the vocabulary
// of tools that the rest of localpass shares.
//
// # A spec
//
// A [Spec] is one JSON document: a name and a description for the model, typed
// parameters, JavaScript code, what the code may touch ("sandboxOverrides"), and
// the values it is tested with. [Parse] and [specfile.Load] read documents, [Spec.Validate]
// names everything that is wrong with one at once, [Spec.Resolve] works out its
// [Posture] on this host, and [Spec.Risk] its [Level].
//
// # The pass
//
// A [studio.Studio] lets a spec earn its Local Pass: [studio.Studio.Test] runs it with its
// test values and its cases in a [Runner], the sandbox, under the posture in
// which it would be served. A passing run writes a [studio.Receipt], bound to the
// content of the spec, the posture, and the runtime with its isolation tier.
// [studio.Studio.Publish] makes a [studio.Passed] of a spec with a valid receipt, and refuses
// any other. Change one member of the document and the receipt no longer holds.
// [studio.Studio.TestAndPublish] does both steps. A later test that fails voids the receipt and
// withdraws the tool; [studio.Studio.FollowStore] does so in every program that shares
// the store.
//
// Receipts live in a [github.com/localpass/localpass.Persistence], authenticated
// with a key of the home. A spec that arrives from elsewhere brings no pass,
// whatever it says of itself.
//
// An author works on drafts ([studio.Studio.SaveDraft]), tries what the code does
// ([studio.Studio.Try]), changes a bundled tool by way of a fork ([studio.Studio.Fork]), and
// exchanges specs with others ([specfile.Export], [studio.Studio.Import]). Package studioapi
// serves all of that over HTTP.
//
// A Go function takes the same way: [Func] makes a [Tool] of it and [studio.Certify]
// lets it earn its pass from test cases.
//
// # A call
//
// [studio.Passed.Call] checks that the pass still holds, binds the arguments by their
// declared types, asks a [studio.Gate] where the spec wants approval, resolves the
// secrets that the author wrote as ${NAME}, runs the code, and masks those
// secrets in whatever comes out. Arguments are never resolved: a caller's
// "${NAME}" is text. A failure within the call is a [Result] with a [CallError].
//
// # For authors
//
// [Starter] makes a spec to begin with. [Spec.Lint] warns of what is allowed and
// rarely meant. Package specdiff lists the differences between two versions, for the
// person who has to approve the new one. Package dts describes a tool as a function in
// TypeScript.
//
// # Errors
//
// What is wrong with a document is a [Problem]: a code, the member, what is
// wrong and what to do. What is wrong with a call is a [CallError]: a kind and
// a stable reason. Sentinels: [ErrNoPass], [ErrWithdrawn], [ErrNameTaken].
//
// The package links no JavaScript engine, no MCP library, no network and no
// process code.
package toolspec
