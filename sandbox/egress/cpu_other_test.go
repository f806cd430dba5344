//go:build !unix

package egress_test

import "time"

// cpu is not measured here.
func cpu() time.Duration { return 0 }
