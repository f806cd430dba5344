package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tailscale/hujson"
)

// ErrChanged reports that another program or a user has changed the choice in the file
// since it was read.
var ErrChanged = errors.New("another model was chosen meanwhile")

// ErrNoProfile reports that a choice cannot be saved, because the next start would look
// for the model on another server.
var ErrNoProfile = errors.New("its URL is of this start alone: write a profile with it into the file")

// SaveModel saves the profile and the model for the next start: it sets the members
// profile and model of the file and keeps the comments. An empty model means the model of
// the profile. The file is replaced atomically. Other changes made to the file in the
// meantime are kept, but if the choice itself was changed, nothing is saved and the error
// is ErrChanged.
//
// If the URL of the profile comes from -base-url or LOCALPASS_BASE_URL, the error is
// ErrNoProfile.
//
// counts reports whether the next start without flags will use the saved choice: the
// environment takes precedence over the file.
func (c *Config) SaveModel(profile, model string) (counts bool, err error) {
	c.saving.Lock()
	defer c.saving.Unlock()
	if c.Choice.BaseURL != "" && profile == c.Choice.Profile {
		return false, ErrNoProfile
	}
	target := c.File
	if real, err := filepath.EvalSymlinks(target); err == nil {
		target = real // replace the target of a symbolic link, not the link
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return false, err
	}
	for {
		now, err := c.unchanged(target)
		if err != nil {
			return false, err
		}
		next, err := withModel(now, profile, model)
		if err != nil {
			return false, err
		}
		if err := parse(c.File, next, newConfig(c.Program)); err != nil {
			return false, err
		}
		switch err := replaceIf(target, now, next); {
		case errors.Is(err, errMeanwhile):
			continue
		case err != nil:
			return false, err
		}
		c.Choice.file.Profile, c.Choice.file.Model = profile, model
		return c.Choice.ProfileFrom.Kind != FromEnvironment && c.Choice.ModelFrom.Kind != FromEnvironment, nil
	}
}

// unchanged reads the file, and rejects it if its choice differs from the one that was
// last read or saved. It returns nil if there is no file.
func (c *Config) unchanged(target string) ([]byte, error) {
	raw, err := readBounded(target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	now := newConfig(c.Program)
	if err := parse(c.File, raw, now); err != nil {
		return nil, err
	}
	if was, is := c.Choice.file, now.Choice.file; was.Profile != is.Profile || was.Model != is.Model {
		return nil, fmt.Errorf("%w: %s", ErrChanged, c.File)
	}
	return raw, nil
}

// withModel changes two members of a file and nothing else.
func withModel(raw []byte, profile, model string) ([]byte, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = []byte("{\n  \"$schema\": \"./" + SchemaName + "\"\n}\n")
	}
	root, err := hujson.Parse(append(bytes.Clone(raw), '\n'))
	if err != nil {
		return nil, err
	}
	o, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("the file of settings is no object")
	}
	set := func(name, value string) {
		for i := range o.Members {
			if key, _ := o.Members[i].Name.Value.(hujson.Literal); key.String() != name {
				continue
			}
			if value == "" {
				o.Members = append(o.Members[:i], o.Members[i+1:]...)
			} else {
				o.Members[i].Value.Value = hujson.String(value)
			}
			return
		}
		if value == "" {
			return
		}
		member := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: hujson.Value{Value: hujson.String(value)}}
		member.Name.BeforeExtra, member.Value.BeforeExtra = hujson.Extra("\n  "), hujson.Extra(" ")
		at := 0 // after $schema, else first
		if len(o.Members) > 0 {
			if key, _ := o.Members[0].Name.Value.(hujson.Literal); key.String() == "$schema" {
				at = 1
			}
		}
		if name == "model" {
			for i := range o.Members {
				if key, _ := o.Members[i].Name.Value.(hujson.Literal); key.String() == "profile" {
					at = i + 1
				}
			}
		}
		if len(o.Members) == 0 {
			o.AfterExtra = hujson.Extra("\n")
		}
		o.Members = append(o.Members[:at], append([]hujson.ObjectMember{member}, o.Members[at:]...)...)
	}
	set("profile", profile)
	set("model", model)
	return bytes.TrimSuffix(root.Pack(), []byte("\n")), nil
}

// errMeanwhile reports that a file changed after it was read.
var errMeanwhile = errors.New("the file was changed in this moment")

// replaceIf replaces a file if its content is still was; nil: if it still does not exist.
func replaceIf(name string, was, next []byte) error {
	return replaced(name, next, func() error {
		now, err := os.ReadFile(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && was == nil:
			return nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		case err != nil || was == nil || !bytes.Equal(now, was):
			return errMeanwhile
		}
		return nil
	})
}

// replaced replaces a file atomically and flushes it to disk. It calls still just before
// the new file takes the place of the old one.
func replaced(name string, data []byte, still func() error) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(dir, ".localpass-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = still()
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if d, err := os.Open(dir); err == nil { // not every system can flush a directory
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}

// quoted returns a text as a JSON string.
func quoted(text string) string {
	raw, _ := json.Marshal(text) // cannot fail for a string
	return string(raw)
}
