package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

const (
	// FileName is the name of the file in the home, SchemaName the name of its JSON
	// Schema in the same directory.
	FileName   = "localpass.json"
	SchemaName = "localpass.schema.json"

	// maxFile is the maximum size of the file in bytes, and so limits its nesting depth.
	maxFile = 256 << 10
	// maxErrors is the maximum number of errors reported for one file.
	maxErrors = 20
	// maxProfiles is the maximum number of profiles in the file.
	maxProfiles = 100
)

// Error is one problem in the file.
type Error struct {
	File         string
	Line, Column int // counted from 1; the column in bytes
	// Name is the path of the member, such as "chat.rounds"; empty: the error concerns
	// the whole file.
	Name string
	// What describes the problem and how to fix it. It contains no secret.
	What string
}

func (e *Error) Error() string {
	at := fmt.Sprintf("%s:%d:%d: ", e.File, e.Line, e.Column)
	if e.Name != "" {
		at += e.Name + ": "
	}
	return at + e.What
}

// parser reads one file into a configuration.
type parser struct {
	file   string
	raw    []byte
	into   *Config
	errs   []error
	more   int // the number of errors that are not reported
	knobs  map[string]*Knob
	groups map[string][]string // the members by path, for each path that has members
}

// read reads the file if it exists. A file that was named explicitly must exist.
func (c *Config) read(named bool) error {
	raw, err := readBounded(c.File)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return nil
	}
	if err != nil && !named {
		return fmt.Errorf("the settings in the home %s: %w", c.Home, err)
	}
	if err != nil {
		return fmt.Errorf("the settings: %w", err)
	}
	c.Read = true
	return parse(c.File, raw, c)
}

func readBounded(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", name)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has more than %d KiB", name, maxFile>>10)
	}
	return os.ReadFile(name)
}

// parse reads the content of a file into c and returns all errors together.
func parse(file string, raw []byte, c *Config) error {
	p := &parser{file: file, raw: append(bytes.Clone(raw), '\n'), into: c, knobs: map[string]*Knob{}, groups: map[string][]string{"": {"$schema", "profiles"}}}
	if len(raw) > maxFile {
		return &Error{File: file, Line: 1, Column: 1, What: fmt.Sprintf("the file has more than %d KiB", maxFile>>10)}
	}
	root, err := hujson.Parse(p.raw)
	if err != nil {
		return p.syntax(err)
	}
	p.index("", table())
	p.index("profiles", members())
	p.object("", root, func(name string, key, value hujson.Value) {
		switch name {
		case "$schema":
			if kind := value.Value.Kind(); kind != '"' {
				p.fail(value, name, "it must be a text, such as \"./"+SchemaName+"\"")
			}
		case "profiles":
			p.profiles(value)
		default:
			p.member("", name, key, value, nil)
		}
	})
	if len(p.errs) == 0 {
		return nil
	}
	if p.more > 0 {
		p.errs = append(p.errs, fmt.Errorf("and %d more", p.more))
	}
	return errors.Join(p.errs...)
}

// index builds the lookup tables of the knobs by path.
func (p *parser) index(under string, knobs []Knob) {
	for i := range knobs {
		path := knobs[i].Name
		if under != "" {
			path = under + "." + path
		}
		p.knobs[path] = &knobs[i]
		for path != under {
			dot := strings.LastIndexByte(path, '.')
			parent, name := "", path
			if dot >= 0 {
				parent, name = path[:dot], path[dot+1:]
			}
			if !slices.Contains(p.groups[parent], name) {
				p.groups[parent] = append(p.groups[parent], name)
			}
			path = parent
		}
	}
}

// member reads one member of the file, or of a profile.
func (p *parser) member(under, name string, key, value hujson.Value, profile *Profile) {
	path, shown := join(under, name), join(under, name)
	if profile != nil {
		path = join("profiles", path)
		shown = join("profiles."+profile.Name, shown)
	}
	if k, ok := p.knobs[path]; ok {
		p.value(shown, k, value, profile)
		return
	}
	if _, ok := p.groups[path]; ok {
		p.object(shown, value, func(inner string, key, value hujson.Value) {
			p.member(join(under, name), inner, key, value, profile)
		})
		return
	}
	known := p.groups[strings.TrimSuffix(strings.TrimSuffix(path, name), ".")]
	p.fail(key, shown, p.unknown(under, name, known, profile))
}

// unknown reports an unknown member and suggests what may have been meant.
func (p *parser) unknown(under, name string, known []string, profile *Profile) string {
	what := "there is no such member"
	if under == "" && profile == nil {
		if slices.Contains(p.groups["profiles"], name) {
			return what + fmt.Sprintf("; it is one of a profile: profiles.NAME.%s", name)
		}
		for _, k := range table() { // addr is page.addr
			if _, last, ok := strings.Cut(k.Name, "."); ok && strings.EqualFold(last, name) {
				return what + "; did you mean " + k.Name + "?"
			}
		}
	}
	if hint := meant(name, known); hint != "" {
		return what + hint
	}
	return what + "; there are " + strings.Join(known, ", ")
}

func join(under, name string) string {
	if under == "" {
		return name
	}
	return under + "." + name
}

// object reads the members of an object, and rejects repeated members.
func (p *parser) object(name string, v hujson.Value, each func(name string, key, value hujson.Value)) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		p.fail(v, name, "it must be an object: { … }")
		return
	}
	first := map[string]int{}
	for _, m := range o.Members {
		key, ok := p.literal(m.Name)
		if !ok {
			continue
		}
		if line, double := first[key]; double {
			p.fail(m.Name, join(name, key), fmt.Sprintf("it is there twice, first in line %d", line))
			continue
		}
		first[key], _ = p.position(m.Name.StartOffset)
		each(key, m.Name, m.Value)
	}
}

// profiles reads the profiles in the order of the file.
func (p *parser) profiles(v hujson.Value) {
	p.object("profiles", v, func(name string, key, value hujson.Value) {
		at := "profiles." + name
		line, _ := p.position(key.StartOffset)
		profile := Profile{Name: name, line: line}
		switch {
		case slices.Contains(reserved(), name):
			p.fail(key, at, "this profile is always there: choose another name, such as my-"+name)
			return
		case !profileName(name):
			p.fail(key, "profiles", "the name of a profile has 1 to 40 letters, digits, - and _")
			return
		case len(p.into.profiles) >= maxProfiles:
			p.fail(key, at, fmt.Sprintf("there are more than %d profiles", maxProfiles))
			return
		}
		before := len(p.errs) + p.more
		p.object(at, value, func(member string, key, value hujson.Value) { p.member("", member, key, value, &profile) })
		if len(p.errs)+p.more == before {
			p.whole(&profile, key)
			profile.complete()
		}
		p.into.profiles = append(p.into.profiles, profile)
	})
}

// whole rejects a profile with members that contradict each other.
func (p *parser) whole(profile *Profile, at hujson.Value) {
	name := "profiles." + profile.Name
	c, e := profile.Capabilities, profile.Embedding
	asOpenAI := profile.Provider == OpenAI || profile.Provider == Compatible
	for _, one := range []struct {
		wrong  bool
		member string
		what   string
	}{
		{profile.Provider == "", "provider", "it is missing: one of openai, compatible, ollama and demo"},
		{profile.API != "" && !asOpenAI, "api", "it is for openai and compatible alone"},
		{(profile.Organization != "" || profile.Project != "") && !asOpenAI, "organization", "organization and project are for openai and compatible alone"},
		{profile.KeepAlive != "" && profile.Provider != Ollama, "keepAlive", "it is for ollama alone"},
		{profile.NumCtx != 0 && profile.Provider != Ollama, "numCtx", "it is for ollama alone"},
		{(c.Tools != nil || c.Pictures != nil || c.Thinking != nil || len(c.Efforts) > 0 || c.ContextTokens != 0) && !asOpenAI, "capabilities", "they are for openai and compatible alone: " + profile.Provider + " says itself what its models can do"},
		{profile.Provider == Demo && (profile.BaseURL != "" || profile.Key != "" || len(profile.Headers) > 0 || len(profile.Fallbacks) > 0), "provider", "demo has no server: leave baseURL, key, headers and fallbacks out"},
		{e.Provider != "" && e.Provider != Words && e.Model == "", "embedding", "name the model: embedding.model"},
		{e.Provider == Words && e.Model != "", "embedding", "words needs no model: leave embedding.model out"},
		{(e.Provider == OpenAI || e.Provider == Compatible) && e.Provider != profile.Provider, "embedding", "the key of one server is for no other: choose a profile with the provider " + e.Provider},
		{e.Provider == "" && e.Model != "" && profile.Provider == Demo, "embedding", "demo embeds nothing: name embedding.provider"},
		{len(profile.Fallbacks) > 0 && profile.Model == "", "fallbacks", "name the model that comes before them: model"},
	} {
		if one.wrong && (profile.Provider != "" || one.member == "provider") {
			p.fail(at, join(name, one.member), one.what)
		}
	}
}

func profileName(name string) bool {
	return name != "" && len(name) <= 40 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

// value reads the value of a knob.
func (p *parser) value(name string, k *Knob, v hujson.Value, profile *Profile) {
	target := k.target(p.into, profile)
	before := len(p.errs) + p.more
	switch t := target.(type) {
	case *[]string:
		p.list(name, k, v, t)
	case *map[string]string:
		p.headers(name, v, t)
	default:
		p.scalar(name, k, v, target)
	}
	if profile == nil && len(p.errs)+p.more == before {
		line, _ := p.position(v.StartOffset)
		p.into.origins[k.Name] = Origin{Kind: FromFile, Place: fmt.Sprintf("%s:%d", filepath.Base(p.file), line)}
	}
}

// scalar reads a string, number or boolean.
func (p *parser) scalar(name string, k *Knob, v hujson.Value, target any) {
	want := byte('"')
	switch target.(type) {
	case *int, *float64, **float64:
		want = '0'
	case *bool, **bool:
		want = 't'
	}
	got := byte(v.Value.Kind())
	if got == 'f' {
		got = 't'
	}
	if got != want {
		p.fail(v, name, "it must be "+map[byte]string{'"': "a text in quotes", '0': "a number", 't': "true or false"}[want]+p.instead(v))
		return
	}
	text, ok := string(v.Value.(hujson.Literal)), true
	if want == '"' {
		text, ok = p.literal(v)
	}
	if !ok {
		return
	}
	if k.Secret && !isPlaceholder(text) {
		p.fail(v, name, `a secret does not belong into a file: write "${NAME}", and have it in the variable NAME of the environment`)
		return
	}
	if want == '"' && text == "" && k.Name != "chat.systemPrompt" {
		p.fail(v, name, "it is empty: leave it out")
		return
	}
	if err := k.setText(target, text); err != nil {
		p.fail(v, name, err.Error())
	}
}

// instead returns the part of a type error that says what kind of value was found
// instead.
func (p *parser) instead(v hujson.Value) string {
	switch v.Value.Kind() {
	case 'n':
		return "; null says nothing: leave it out"
	case '{':
		return ", not an object"
	case '[':
		return ", not a list"
	}
	return ""
}

func (p *parser) list(name string, k *Knob, v hujson.Value, into *[]string) {
	a, ok := v.Value.(*hujson.Array)
	if !ok {
		p.fail(v, name, `it must be a list: ["…", "…"]`+p.instead(v))
		return
	}
	*into = []string{}
	for i, e := range a.Elements {
		at := fmt.Sprintf("%s[%d]", name, i)
		if e.Value.Kind() != '"' {
			p.fail(e, at, "it must be a text in quotes")
			continue
		}
		text, ok := p.literal(e)
		if !ok {
			continue
		}
		err := k.checkText(text)
		switch {
		case text == "":
			p.fail(e, at, "it is empty: leave it out")
		case slices.Contains(*into, text):
			p.fail(e, at, "it is there twice")
		case err != nil:
			p.fail(e, at, err.Error())
		default:
			*into = append(*into, text)
		}
	}
}

// carriers are the headers whose values are always secrets.
var carriers = []string{"authorization", "proxy-authorization", "cookie", "x-api-key", "api-key", "x-goog-api-key"}

func (p *parser) headers(name string, v hujson.Value, into *map[string]string) {
	*into = map[string]string{}
	seen := map[string]bool{}
	p.object(name, v, func(header string, key, value hujson.Value) {
		at := join(name, header)
		low := strings.ToLower(header)
		if value.Value.Kind() != '"' {
			p.fail(value, at, "it must be a text in quotes"+p.instead(value))
			return
		}
		text, ok := p.literal(value)
		switch {
		case !ok:
		case header == "" || strings.ContainsFunc(header, func(r rune) bool { return r <= ' ' || r >= 127 || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r) }):
			p.fail(key, name, "that is no name of a header")
		case seen[low]:
			p.fail(key, at, "it is there twice")
		case low == "host" || low == "content-length" || low == "transfer-encoding" || low == "connection":
			p.fail(key, at, "this header belongs to the connection")
		case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 127 }):
			p.fail(value, at, "it has a line end or another control character in it")
		case slices.Contains(carriers, low) && !strings.Contains(text, "${"):
			p.fail(value, at, `a secret does not belong into a file: write ${NAME}, such as "Bearer ${NAME}"`)
		default:
			seen[low], (*into)[header] = true, text
		}
	})
}

// literal returns the text of a quoted value. An unpaired surrogate is an error, as in
// every other document of Localpass.
func (p *parser) literal(v hujson.Value) (string, bool) {
	raw := v.Value.(hujson.Literal)
	var s string
	if err := json.Unmarshal(raw, &s); err != nil || strings.ContainsRune(s, '\ufffd') && !strings.Contains(string(raw), "\ufffd") {
		p.fail(v, "", "the text is not Unicode")
		return "", false
	}
	if strings.ContainsRune(s, 0) {
		p.fail(v, "", "the text has a zero character in it")
		return "", false
	}
	return s, true
}

func (p *parser) position(offset int) (line, column int) {
	before := p.raw[:min(offset, len(p.raw))]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}

func (p *parser) fail(v hujson.Value, name, what string) {
	if len(p.errs) >= maxErrors {
		p.more++
		return
	}
	line, column := p.position(v.StartOffset)
	p.errs = append(p.errs, &Error{File: p.file, Line: line, Column: column, Name: clip(name), What: what})
}

// clip shortens a name that comes from the user.
func clip(name string) string {
	if len(name) > 120 {
		return strings.ToValidUTF8(name[:120], "") + "…"
	}
	return name
}

// syntax converts an error of the syntax tree, "hujson: line 1, column 2: what", to an
// Error.
func (p *parser) syntax(err error) error {
	out := &Error{File: p.file, Line: 1, Column: 1}
	text := strings.TrimPrefix(err.Error(), "hujson: ")
	if n, _ := fmt.Sscanf(text, "line %d, column %d:", &out.Line, &out.Column); n == 2 {
		_, text, _ = strings.Cut(text, ": ")
	}
	if end := len(p.raw) - 1; out.Line > 1+bytes.Count(p.raw[:end], []byte("\n")) { // after the line end that was added
		out.Line, out.Column = p.position(end)
	}
	if strings.HasPrefix(text, "invalid literal") { // the text quotes the value, which may be a secret
		text = "that is neither a text in quotes, nor a number, true or false"
	}
	out.What = strings.ReplaceAll(text, "unexpected EOF", "the file ends too early")
	return out
}
