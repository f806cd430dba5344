package web_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// luminance is the relative luminance of #rrggbb.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	require.Len(t, colour, 7, colour)
	n, err := strconv.ParseUint(colour[1:], 16, 32)
	require.NoError(t, err)
	part := func(shift uint) float64 {
		c := float64(n>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}
