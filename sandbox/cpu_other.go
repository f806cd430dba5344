//go:build !unix

package sandbox

import "time"

// cpuTime is not measured here.
func cpuTime() time.Duration { return 0 }
