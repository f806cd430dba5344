package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The built-in profiles. openai and ollama are the servers that the environment names, or
// their default addresses; env is whichever of them the environment names; compatible is
// a server on this machine that needs no key; demo needs no server.
const (
	OpenAI      = "openai"
	Ollama      = "ollama"
	Compatible  = "compatible"
	Demo        = "demo"
	Environment = "env"
)

// reserved are their names: no profile of the file has one.
func reserved() []string { return []string{Environment, OpenAI, Ollama, Compatible, Demo} }

// Choice says which profile, and which model of it, was chosen.
type Choice struct {
	// Profile is the name of a profile; empty: none was chosen, and the first server
	// that is there answers.
	Profile string
	// Model is its model; empty: that of the profile.
	Model string
	// BaseURL is where its server is instead, and Key the key of that, as ${NAME};
	// empty: as the profile says.
	BaseURL, Key string
	// ProfileFrom, ModelFrom and BaseURLFrom say where they come from.
	ProfileFrom, ModelFrom, BaseURLFrom Origin

	file selection
}

// selection is what one source says about the choice.
type selection struct {
	Profile, Model, BaseURL, Key string
	profileAt, modelAt, urlAt    Origin
}

// choose makes the choice of what the flags, the environment and the file say, the
// strongest first. file tells whether the file has a profile of a name.
//
// The profile is that of the strongest source that names one, be it as the profile of
// a model. A source that is as strong, or stronger, may change the model alone. A model
// of a weaker source counts only where it is written PROFILE/NAME for the same profile:
// otherwise it belongs to another server. So do all weaker models once the URL is
// another one.
func choose(sources []selection, file func(name string) bool) (Choice, error) {
	var c Choice
	at := len(sources)
	pick := func(i int, name string, from Origin) { c.Profile, c.ProfileFrom, at = name, from, i }
	for i, s := range sources {
		owner, _ := splitModel(s.Model, file)
		switch {
		case s.Profile != "":
			pick(i, s.Profile, s.profileAt)
		case file(owner):
			pick(i, owner, s.modelAt)
		default:
			continue
		}
		break
	}
	// openai/NAME and the like are of the environment, unless a server was chosen for
	// whose own models such a name may stand.
	if c.Profile == "" || c.Profile != Compatible && slices.Contains(reserved(), c.Profile) {
		for i, s := range sources[:at] {
			if owner, _ := splitModel(s.Model, file); slices.Contains(reserved(), owner) {
				pick(i, owner, s.modelAt)
			}
			if s.Model != "" {
				break
			}
		}
	}
	if err := c.chooseURL(sources, at); err != nil {
		return c, err
	}
	for i, s := range sources {
		if c.BaseURL != "" && s.urlAt == c.BaseURLFrom {
			sources = sources[:i+1]
		}
	}
	for i, s := range sources {
		if c.Model != "" || s.Model == "" {
			continue
		}
		owner, name := splitModel(s.Model, file)
		switch {
		case i == at && s.Profile == Environment && (owner == OpenAI || owner == Ollama):
			c.Profile, c.Model = owner, name
		case owner != "" && owner == c.Profile && (i != at || s.Profile == ""):
			c.Model = name
		case i <= at:
			c.Model = s.Model
		}
		if c.Model != "" {
			c.ModelFrom = s.modelAt
		}
	}
	return c, nil
}

// chooseURL takes the URL of -base-url, or that of the environment for the profile of
// the environment.
func (c *Choice) chooseURL(sources []selection, at int) error {
	for i, s := range sources {
		switch {
		case s.BaseURL == "":
			if s.Key != "" {
				return errors.New("-key is the key of the server of -base-url: give that too, or name the key in a profile of the file")
			}
			continue
		case c.Profile == "":
			return fmt.Errorf("%s says where a server is, and nothing says which profile it is for: give -profile too", s.urlAt.Place)
		case i > 0 && s.Profile == "":
			return fmt.Errorf("%s says where a server is, and nothing says which profile it is for: set LOCALPASS_PROFILE too", s.urlAt.Place)
		case i > 0 && s.Profile != c.Profile:
			continue
		case c.Profile == Demo:
			return fmt.Errorf("%s: demo has no server: leave it out, or choose another profile", s.urlAt.Place)
		case s.Key != "" && !isPlaceholder(s.Key):
			return errors.New("-key: write ${NAME}, and have the key in the variable NAME: other programs see the command line")
		}
		if err := serverURL(s.BaseURL); err != nil {
			return fmt.Errorf("%s: %w", s.urlAt.Place, err)
		}
		if c.BaseURL == "" {
			c.BaseURL, c.Key, c.BaseURLFrom = s.BaseURL, s.Key, s.urlAt
		}
	}
	return nil
}

// splitModel splits PROFILE/NAME. A profile alone is one without a model; a text that
// begins with no profile is a model's name.
func splitModel(text string, file func(string) bool) (profile, name string) {
	before, after, _ := strings.Cut(text, "/")
	if before != "" && (file(before) || slices.Contains(reserved(), before)) {
		return before, after
	}
	return "", text
}
