package chat

import (
	"math"
	"sync"
)

// calibration learns for each model how wrong the token estimates of prompts are, because
// models count tokens differently.
type calibration struct {
	mu      sync.Mutex
	factors map[modelName]float64
}

type modelName struct{ provider, name string }

// How fast the factor follows the observed counts, and its bounds.
const (
	calibrationWeight = 0.3
	calibrationLeast  = 0.5
	calibrationMost   = 2.0
)

// factor returns the correction factor for estimates of a model: 1 until a count has been
// observed.
func (c *calibration) factor(m modelName) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f, ok := c.factors[m]; ok {
		return f
	}
	return 1
}

// learn updates the factor with the actual tokens of an estimated prompt. It ignores a
// count below half of the estimate, which does not cover the whole prompt: some servers
// leave out cached tokens.
func (c *calibration) learn(m modelName, estimate, actual int) {
	if estimate <= 0 || actual <= 0 || 2*actual < estimate {
		return
	}
	ratio := min(max(float64(actual)/float64(estimate), calibrationLeast), calibrationMost)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.factors == nil {
		c.factors = map[modelName]float64{}
	}
	f, ok := c.factors[m]
	if !ok {
		f = 1
	}
	c.factors[m] = f + calibrationWeight*(ratio-f)
}

// scale returns a corrected estimate.
func scale(tokens int, factor float64) int { return int(math.Ceil(float64(tokens) * factor)) }
