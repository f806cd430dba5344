package toolspec

import "fmt"

// Level is an inherent risk level, L0 (pure computation) to L5 (can destroy or escape).
// The zero value is unknown and counts as the highest. Scoring a spec gives only L0, L3,
// L4 and L5; L1 and L2 occur only for tools of remote servers.
type Level uint8

// The levels.
const (
	LevelUnknown Level = iota
	L0
	L1
	L2
	L3
	L4
	L5
)

var levelNames = [...]string{"unknown", "L0", "L1", "L2", "L3", "L4", "L5"}

// String gives "L0" to "L5", or "unknown".
func (l Level) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return levelNames[LevelUnknown]
}

// levelWords are the words of the levels, in their order.
var levelWords = [...]string{"unknown", "Verified", "Safe", "Low", "Moderate", "High", "Critical"}

// Label returns the level with its name, such as "L3 Moderate", or "unknown".
func (l Level) Label() string {
	if l == LevelUnknown || int(l) >= len(levelWords) {
		return levelWords[LevelUnknown]
	}
	return l.String() + " " + levelWords[l]
}

// Exceeds reports whether l is riskier than limit. Unknown exceeds every known
// level.
func (l Level) Exceeds(limit Level) bool { return l.rank() > limit.rank() }

func (l Level) rank() int {
	if l == LevelUnknown || l > L5 {
		return int(L5) + 1
	}
	return int(l)
}

// MarshalText implements encoding.TextMarshaler.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *Level) UnmarshalText(text []byte) error {
	for i, name := range levelNames {
		if name == string(text) {
			*l = Level(i)
			return nil
		}
	}
	return fmt.Errorf("toolspec: %q is no risk level; use L0 to L5", text)
}
