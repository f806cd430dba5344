package main

import (
	"os"

	profiles "github.com/localpass/localpass/examples/internal/config"
)

// chooseProfile takes the profile of the command line, the environment or the file,
// and no member of another one.
func (c *config) chooseProfile(in fileConfig) error {
	file := func(v *string) string {
		if v == nil {
			return ""
		}
		return *v
	}
	origins := []string{"flag", "environment", "file"}
	choice, err := profiles.Choose([]profiles.Source{
		{BaseURLName: "-base-url", ProfileName: "-profile", Profile: profiles.Profile{Name: c.profile, Model: c.model, BaseURL: c.baseURL}},
		{BaseURLName: "LOCALPASS_BASE_URL", ProfileName: "LOCALPASS_PROFILE", Profile: profiles.Profile{Name: os.Getenv("LOCALPASS_PROFILE"), Model: os.Getenv("LOCALPASS_MODEL"), BaseURL: os.Getenv("LOCALPASS_BASE_URL")}},
		{BaseURLName: configName + `: "baseURL"`, ProfileName: `"profile"`, Profile: profiles.Profile{Name: file(in.Profile), Model: file(in.Model), BaseURL: file(in.BaseURL)}},
	})
	if err != nil {
		return err
	}
	c.profile, c.model, c.baseURL = choice.Name, choice.Model, choice.BaseURL
	for name, from := range map[string]int{"profile": choice.FromName, "model": choice.FromModel, "base-url": choice.FromBaseURL} {
		delete(c.origins, name)
		if from >= 0 {
			c.origins[name] = origins[from]
		}
	}
	return nil
}
