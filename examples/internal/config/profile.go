// Package config reads the settings that the example programs share: which server
// of models they ask. A profile is whole: no URL, model or key of one is used with
// another.
package config

import (
	"fmt"
	"slices"
	"strings"
)

// The profiles. Openai and ollama are the servers that the environment names, or
// the usual ones; compatible is a server at a URL that is given with it; demo needs
// no server.
const (
	OpenAI     = "openai"
	Ollama     = "ollama"
	Compatible = "compatible"
	Demo       = "demo"
)

// Profiles are the names of all profiles.
func Profiles() []string { return []string{Ollama, OpenAI, Compatible, Demo} }

// Profile is a choice of a server of models.
type Profile struct {
	// Name is one of [Profiles]; empty: no profile was chosen, and Model is
	// PROVIDER/NAME or the name of a model at the provider that is there.
	Name string
	// Model is the name of a model; empty: the usual one.
	Model string
	// BaseURL is where the server is; empty: what the environment says, else the
	// usual place.
	BaseURL string
}

// Source is one place where a profile, or a part of one, is given.
type Source struct {
	// BaseURLName is how the place calls its base URL, for errors, and ProfileName
	// how it calls the profile.
	BaseURLName, ProfileName string
	Profile
}

// Choice is the profile to use, and which source each member is from: an index
// into the sources, -1 for a member that none gives.
type Choice struct {
	Profile
	FromName, FromModel, FromBaseURL int
}

// Choose returns the profile of several sources. The first source is the command
// line, and those that come first count more. The profile is that of the first
// source that names one. A source that names another profile, or none, adds nothing
// to it; the command line alone may change single members of a profile that it does
// not name. Sources below the one that gives the base URL add nothing either: their
// model belongs to another server.
//
// A base URL beside which no profile is named is an error, except on the command
// line, which may mean the profile of another source.
func Choose(sources []Source) (Choice, error) {
	c := Choice{FromName: -1, FromModel: -1, FromBaseURL: -1}
	for i, s := range sources {
		if i > 0 && s.Name == "" && s.BaseURL != "" {
			return c, fmt.Errorf("%s says where a server is, and nothing says which profile it is for: set %s too", s.BaseURLName, s.ProfileName)
		}
		if c.Name == "" && s.Name != "" {
			c.Name, c.FromName = s.Name, i
		}
	}
	model := func(i int, name string) {
		if c.Model == "" && name != "" {
			c.Model, c.FromModel = name, i
		}
	}
	for i, s := range sources {
		if s.Name != c.Name && (i > 0 || s.Name != "") {
			continue
		}
		model(i, s.Model)
		if s.BaseURL != "" {
			c.BaseURL, c.FromBaseURL = s.BaseURL, i
			break
		}
	}
	if c.Name == "" || c.BaseURL != "" {
		return c, nil
	}
	for i, s := range sources { // PROVIDER/NAME names the profile that it belongs to
		if provider, name := SplitModel(s.Model); s.Name == "" && provider == c.Name {
			model(i, name)
		}
	}
	return c, nil
}

// SplitModel splits PROVIDER/NAME. provider is empty where text does not begin with
// the name of a profile: name is the whole text then.
func SplitModel(text string) (provider, name string) {
	before, after, ok := strings.Cut(text, "/")
	if ok && slices.Contains(Profiles(), before) {
		return before, after
	}
	return "", text
}
