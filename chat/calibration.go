package chat

import (
	"math"
	"sync"
)

// calibration learns, for each model, by how much the estimate of a prompt is
// wrong: models count tokens in ways of their own.
type calibration struct {
	mu      sync.Mutex
	factors map[modelName]float64
}

type modelName struct{ provider, name string }

// How fast the factor follows what is seen, and how far it may go.
const (
	calibrationWeight = 0.3
	calibrationLeast  = 0.5
	calibrationMost   = 2.0
)

// factor is what the estimate for a model is multiplied by: 1 until something is
// learned.
func (c *calibration) factor(m modelName) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f, ok := c.factors[m]; ok {
		return f
	}
	return 1
}

// learn takes in what a prompt cost that was estimated. A count below half of the
// estimate is not one of the whole prompt: some servers leave out what they had in
// their cache.
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

// scale is an estimate, corrected.
func scale(tokens int, factor float64) int { return int(math.Ceil(float64(tokens) * factor)) }
