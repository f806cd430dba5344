package activity

import (
	"time"
)

// Attempt describes one network request or one file operation of a run. It is for people
// who examine a run; [Access] summarizes the attempts that were not refused.
type Attempt struct {
	Component string // "fetch" or "fs"
	// Op and Target are as in [Access]; Target is empty if the code gave a URL without a
	// host.
	Op     string
	Target string
	// Start is when the attempt began, measured from the start of the run. Duration is
	// how long the code waited for it: for a request, this includes the DNS lookup,
	// redirects and the requested part of the body.
	Start    time.Duration
	Duration time.Duration
	// Status is the status of the response, 0 if there was none. Bytes is the number of
	// bytes read or written; a body is counted after decompression.
	Status int
	Bytes  int64
	// Refused reports whether the attempt was not permitted. By is the layer that refused
	// or ended it, otherwise the last layer that allowed it.
	Refused bool
	By      Layer
	// Reason is a stable slug that says why the attempt failed, such as
	// "host-not-in-allowlist" or "timeout"; empty if it succeeded. Detail explains it in
	// a sentence, for the author and not for a model.
	Reason string
	Detail string
}

// Layer is a layer that decides about an [Attempt].
type Layer string

// The layers, in the order in which they decide.
const (
	LayerPosture   Layer = "posture"   // the permissions granted to the spec, as far as this host provides them
	LayerArguments Layer = "arguments" // the arguments are invalid
	LayerRules     Layer = "rules"     // scheme, host, method and path, for the spec and for the operator
	LayerAddress   Layer = "address"   // the address of the host must not be internal
	LayerRedirect  Layer = "redirect"  // the target of a redirect
	LayerSecrets   Layer = "secrets"   // the hosts that may receive a secret
	LayerLimits    Layer = "limits"    // the limits of a run
	LayerRecorded  Layer = "recorded"  // the recorded exchanges that replace the network
	LayerWorkspace Layer = "workspace" // the directories that may contain the files
)
