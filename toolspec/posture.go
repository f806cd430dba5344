package toolspec

import "time"

// Posture is what a run may do: the author's overrides resolved against the
// host's baseline. It is resolved anew for each call.
type Posture struct {
	Network      NetworkPosture `json:"network"`
	FileRead     bool           `json:"fileRead"`
	FileWrite    bool           `json:"fileWrite"`
	FSBasePath   string         `json:"fsBasePath,omitempty"`
	Destructive  bool           `json:"destructive"`
	AllowClasses []string       `json:"allowClasses"`
	DenyClasses  []string       `json:"denyClasses"`
	Limits       Limits         `json:"limits"`
}

// NetworkPosture is the network part of a [Posture].
type NetworkPosture struct {
	Mode  NetworkMode `json:"mode"`
	Hosts []string    `json:"hosts"` // sorted; only for allowlist
}

// Limits bound one run.
type Limits struct {
	// Timeout is the wall-clock limit. A context that ends earlier wins.
	Timeout time.Duration `json:"timeout"`
	// Statements bounds how much the code may execute, counted by function
	// entries and loop turns. 0: not counted.
	Statements int64 `json:"statements,omitempty"`
}
