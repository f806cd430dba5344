package activity

import (
	"time"
)

// Attempt is one request over the network or one operation on a file, as it
// went. It is for the people who look at a run; [Access] is the sum of what was
// not refused.
type Attempt struct {
	Component string // "fetch" or "fs"
	// Op and Target are those of an [Access]; Target is empty when what the code
	// gave names no host.
	Op     string
	Target string
	// Start is when it began, from the start of the run. Duration is how long
	// the code waited for it: of a request that is all of it, look-up, redirects
	// and the part of the body that was asked for included.
	Start    time.Duration
	Duration time.Duration
	// Status is that of the response, 0: none came. Bytes counts what was read
	// or written, a body after it was unpacked.
	Status int
	Bytes  int64
	// Refused says that it was not permitted. By is the layer that decided: the
	// one that refused or ended it, otherwise the last that let it through.
	Refused bool
	By      Layer
	// Reason is a stable slug of why it did not succeed, such as
	// "host-not-in-allowlist" or "timeout"; empty: it did. Detail says so in a
	// sentence, for the author and not for a model.
	Reason string
	Detail string
}

// Layer is what decides about an [Attempt].
type Layer string

// The layers, in the order in which they are asked.
const (
	LayerPosture   Layer = "posture"   // what the spec was granted, as far as it is to be had here
	LayerArguments Layer = "arguments" // what was asked for makes no sense
	LayerRules     Layer = "rules"     // scheme, host, method and path, for the spec and for the operator
	LayerAddress   Layer = "address"   // the address behind the host: no internal one
	LayerRedirect  Layer = "redirect"  // where a response leads
	LayerSecrets   Layer = "secrets"   // where a secret may go
	LayerLimits    Layer = "limits"    // the budget of a run
	LayerRecorded  Layer = "recorded"  // the recorded exchanges that answer in place of the network
	LayerWorkspace Layer = "workspace" // the directories that files may be in
)
