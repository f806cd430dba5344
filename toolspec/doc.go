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
// A spec earns its Local Pass in a [studio.Studio]: [studio.Studio.Test] runs it with its test
// values and its cases in a [Runner], the sandbox, under the posture in which it would be
// served. If all runs succeed, it writes a [studio.Receipt] that is bound to the content of the
// spec, the posture, and the runtime with its isolation tier. [studio.Studio.Publish] makes a
// [studio.Passed] from a spec with a valid receipt, and refuses any other spec. If a member of
// the document changes, the receipt is no longer valid. [studio.Studio.TestAndPublish] does
// both steps. If a later test fails, it voids the receipt and withdraws the tool;
// [studio.Studio.FollowStore] also withdraws it in every other program that shares the store.
//
// Receipts live in a [github.com/localpass/localpass.Persistence], authenticated with a key of
// the home. A spec from elsewhere has no pass here, whatever it claims.
//
// An author works on drafts ([studio.Studio.SaveDraft]), tries what the code does
// ([studio.Studio.Try]), changes a bundled tool by way of a fork ([studio.Studio.Fork]), and
// exchanges specs with others ([specfile.Export], [studio.Studio.Import]). Package studioapi
// serves all of that over HTTP.
//
// A Go function needs a pass too: [Func] makes a [Tool] from it, and [studio.Certify] runs the
// test cases by which it earns its pass.
//
// # A call
//
// [studio.Passed.Call] checks that the pass is still valid, binds the arguments by their
// declared types, asks a [studio.Gate] if the spec requires approval, resolves the secrets that
// the author wrote as ${NAME}, runs the code, and masks those secrets in the output.
// Placeholders in arguments are not resolved: a caller's "${NAME}" is text. A failure within
// the call is a [Result] with a [CallError].
//
// # For authors
//
// [Starter] makes a first spec. [Spec.Lint] warns about what is allowed but rarely intended.
// Package specdiff lists the differences between two versions, for the operator who has to
// approve the new one. Package dts describes a tool as a TypeScript function.
//
// # Errors
//
// A [Problem] describes a fault in a document: a code, the member, what is wrong and what to
// do. A [CallError] describes the failure of a call: a kind and a stable reason. Sentinels:
// [studio.ErrNoPass], [studio.ErrWithdrawn], [ErrNameTaken].
//
// The package does not link a JavaScript engine, an MCP library, or code for networks and
// processes.
package toolspec
