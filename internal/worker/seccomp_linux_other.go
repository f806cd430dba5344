//go:build linux && !amd64 && !arm64

package worker

const (
	auditArch    = 0
	foreignCalls = 0
)

// allowedCalls is empty: there is no list for this processor, so the layer is left out.
var allowedCalls = [...]uint32{}
