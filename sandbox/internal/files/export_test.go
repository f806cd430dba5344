package files

import "time"

// What the tests look at from inside.
var (
	WindowsProblem = windowsProblem
	Segment        = segment
)

// Glob compiles a glob as find does.
func Glob(text string) (func(name string) bool, error) {
	s := &Service{limits: Limits{}.withDefaults()}
	g, err := s.compileGlob(text, "invalid-glob")
	if err != nil {
		return nil, err
	}
	return g.matches, nil
}

// Renaming sets what is called just before a new file takes its name.
func (s *Service) Renaming(f func()) { s.renaming = f }

// LeftOver is the age from which a temporary file is removed.
const LeftOver = leftOver * time.Nanosecond
