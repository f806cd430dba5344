package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/tailscale/hujson"
)

// ErrProfileChanged reports that another program or a user has changed the profile in the
// file since it was read.
var ErrProfileChanged = errors.New("the profile was changed in the file meanwhile")

// ProfileEdit is what [Config.SaveProfile] sets of a profile. An empty value removes the
// member. Key is written as ${NAME}. Headers and all other members stay as they are.
type ProfileEdit struct{ Provider, BaseURL, Key, Model string }

// SaveProfile writes a profile into the file, or changes the one that is there. Comments
// and the layout of the file are kept, and the file is replaced atomically. The error is
// an [Error] if the profile would be wrong, and ErrProfileChanged if the profile in the
// file is not the one that was last read or saved; then nothing changes.
func (c *Config) SaveProfile(name string, edit ProfileEdit) (Profile, error) {
	var saved Profile
	err := c.edit(func(raw []byte, now *Config) ([]byte, error) {
		if err := c.sameProfile(name, now); err != nil {
			return nil, err
		}
		return withProfile(raw, name, edit)
	}, func(next *Config) {
		saved, _ = next.fileProfile(name)
		c.keepProfile(name, &saved)
	})
	return saved, err
}

// RemoveProfile removes a profile from the file. The error is ErrProfileChanged if the
// profile in the file is not the one that was last read or saved.
func (c *Config) RemoveProfile(name string) error {
	return c.edit(func(raw []byte, now *Config) ([]byte, error) {
		if err := c.sameProfile(name, now); err != nil {
			return nil, err
		}
		return withoutProfile(raw, name)
	}, func(*Config) { c.keepProfile(name, nil) })
}

// InFile reports whether a profile stands in the file.
func (c *Config) InFile(name string) bool {
	_, ok := c.fileProfile(name)
	return ok
}

func (c *Config) fileProfile(name string) (Profile, bool) {
	c.reading.RLock()
	defer c.reading.RUnlock()
	at := slices.IndexFunc(c.profiles, func(p Profile) bool { return p.Name == name })
	if at < 0 {
		return Profile{}, false
	}
	return c.profiles[at], true
}

// keepProfile replaces a profile in memory; nil removes it.
func (c *Config) keepProfile(name string, p *Profile) {
	c.reading.Lock()
	defer c.reading.Unlock()
	next := slices.Clone(c.profiles)
	at := slices.IndexFunc(next, func(p Profile) bool { return p.Name == name })
	switch {
	case p == nil && at >= 0:
		next = slices.Delete(next, at, at+1)
	case p != nil && at >= 0:
		next[at] = *p
	case p != nil:
		next = append(next, *p)
	}
	c.profiles = next
}

// sameProfile rejects a file whose profile differs from the known one.
func (c *Config) sameProfile(name string, now *Config) error {
	was, had := c.fileProfile(name)
	is, has := now.fileProfile(name)
	was.line, is.line = 0, 0
	if had != has || !reflect.DeepEqual(was, is) {
		return fmt.Errorf("%w: %s", ErrProfileChanged, name)
	}
	return nil
}

// edit replaces the file by what change makes of it, and calls done with the new settings
// of the file. change is called again if the file is changed in the same moment.
func (c *Config) edit(change func(raw []byte, now *Config) ([]byte, error), done func(next *Config)) error {
	c.saving.Lock()
	defer c.saving.Unlock()
	target := c.File
	if real, err := filepath.EvalSymlinks(target); err == nil {
		target = real // replace the target of a symbolic link, not the link
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	for {
		raw, now, err := c.current(target)
		if err != nil {
			return err
		}
		text, err := change(raw, now)
		if err != nil {
			return err
		}
		next := newConfig(c.Program)
		if err := parse(c.File, text, next); err != nil {
			return err
		}
		switch err := replaceIf(target, raw, text); {
		case errors.Is(err, errMeanwhile):
			continue
		case err != nil:
			return err
		}
		done(next)
		return nil
	}
}

// root parses a file; a missing one is an object with the schema alone.
func root(raw []byte) (hujson.Value, membersOf, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = []byte("{\n  \"$schema\": \"./" + SchemaName + "\"\n}\n")
	}
	v, err := hujson.Parse(append(bytes.Clone(raw), '\n'))
	if err != nil {
		return v, membersOf{}, err
	}
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return v, membersOf{}, errNoObject
	}
	file := membersOf{o, "  ", 1}
	if step, inline := file.indentation(); !inline && step != "" {
		file.step = step
	}
	return v, file, nil
}

var errNoObject = errors.New("the file of settings is no object")

func packed(v hujson.Value) []byte { return bytes.TrimSuffix(v.Pack(), []byte("\n")) }

// withProfile changes the members of a profile in a file and nothing else.
func withProfile(raw []byte, name string, edit ProfileEdit) ([]byte, error) {
	v, file, err := root(raw)
	if err != nil {
		return nil, err
	}
	profiles, ok := file.object("profiles")
	if !ok {
		return nil, errNoObject
	}
	profile, ok := profiles.object(name)
	if !ok {
		return nil, errNoObject
	}
	for _, m := range []struct{ name, text string }{{"provider", edit.Provider}, {"baseURL", edit.BaseURL}, {"key", edit.Key}, {"model", edit.Model}} {
		profile.set(m.name, m.text)
	}
	return packed(v), nil
}

// withoutProfile removes a profile from a file and nothing else.
func withoutProfile(raw []byte, name string) ([]byte, error) {
	v, file, err := root(raw)
	if err != nil {
		return nil, err
	}
	if file.at("profiles") >= 0 {
		if profiles, ok := file.object("profiles"); ok {
			profiles.remove(name)
		}
	}
	return packed(v), nil
}
