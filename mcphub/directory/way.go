package directory

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/client"
)

// way is one way to reach a server of the registry format.
type way struct {
	entry  Entry
	place  string // in the file
	prefix string // of the names of variables
}

// secretName matches the names of values that are secrets, whatever the file says.
var secretName = regexp.MustCompile(`(?i)key|token|secret|passw|pwd|credential|auth|cookie`)

var (
	headerName   = regexp.MustCompile(`^[A-Za-z0-9-]{1,100}$`)
	envName      = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,100}$`)
	optionName   = regexp.MustCompile(`^--?[A-Za-z0-9][A-Za-z0-9._-]{0,100}$`)
	exactVersion = regexp.MustCompile(`^v?[0-9][0-9A-Za-z.+_-]{0,100}$`)
)

// runners are the programs that fetch a package of a registry and run it.
var runners = map[string]struct {
	command string
	name    *regexp.Regexp // of a package
	before  []string       // arguments before the package, which a file may repeat
	join    string         // between the package and its version
	after   []string
}{
	"npm":   {"npx", regexp.MustCompile(`^(?:@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$`), []string{"-y"}, "@", nil},
	"pypi":  {"uvx", regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`), nil, "@", nil},
	"nuget": {"dnx", regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`), nil, "@", []string{"--yes", "--"}},
	"oci":   {"docker", regexp.MustCompile(`^[a-z0-9][a-z0-9._/-]*$`), []string{"run", "-i", "--rm"}, ":", nil},
}

// fill makes the entry of a server over HTTP.
func (r *registryRemote) fill(w *way) (err error) {
	e := &w.entry
	switch r.Type {
	case "streamable-http":
		e.Transport = client.TransportHTTP
	case "sse":
		e.Transport = client.TransportSSE
	default:
		return unusable("there is no transport %q here", clip.To(r.Type, 40))
	}
	for name, v := range r.Variables { // without all of them there is no address
		v.Required = true
		r.Variables[name] = v
	}
	if e.URL, err = w.filled(r.URL, r.Variables); err != nil {
		return err
	}
	if u, err := url.Parse(strings.NewReplacer("${", "x", "}", "x").Replace(e.URL)); err != nil || !protected(u) {
		return unusable("its url is not an https address without a user")
	}
	e.Headers, e.Auth = map[string]string{}, client.AuthAPIKey
	for i := range r.Headers {
		h := &r.Headers[i]
		if !headerName.MatchString(h.Name) {
			return unusable("%q cannot be the name of a header", clip.To(h.Name, 80))
		}
		if e.Headers[h.Name], err = w.input(h, h.Name); err != nil {
			return err
		}
	}
	if len(e.Headers) == 0 { // it may ask for a sign-in
		e.OAuth, e.Auth = &OAuth{}, client.AuthOAuth
	}
	return nil
}

// fill makes the entry of a package that is run on this machine.
func (r *registryPackage) fill(w *way) (err error) {
	e, runs := &w.entry, runners[r.Type]
	version := r.Version
	if _, tag, ok := strings.Cut(r.Identifier[strings.LastIndexByte(r.Identifier, '/')+1:], ":"); ok && r.Type == "oci" {
		r.Identifier, version = strings.TrimSuffix(r.Identifier, ":"+tag), tag
	}
	switch {
	case runs.command == "":
		return unusable("packages of the type %q are not run here", clip.To(r.Type, 40))
	case r.Transport.Type != "stdio":
		return unusable("the program does not serve over stdio: start it, and add its address")
	case r.Runner != "" && r.Runner != runs.command:
		return unusable("it wants the runner %q, and packages of the type %s are run with %s", clip.To(r.Runner, 40), r.Type, runs.command)
	case !runs.name.MatchString(r.Identifier) || len(r.Identifier) > 300:
		return unusable("%q is not the name of a package of the type %s", clip.To(r.Identifier, 80), r.Type)
	case !exactVersion.MatchString(version):
		return unusable("it names no exact version of the package, but %q", clip.To(version, 40))
	}
	for _, a := range r.RunnerArgs {
		if option := a.Name + a.Value; !slices.Contains(runs.before, option) {
			return unusable("it wants the option %q of %s, which is not given here", clip.To(option, 40), runs.command)
		}
	}
	if r.BaseURL != "" {
		e.Notes = []string{"The file names a package registry; " + runs.command + " takes the package from the one that is set on this machine."}
	}
	e.Transport, e.Auth, e.Command, e.Env = client.TransportStdio, client.AuthProcess, runs.command, map[string]string{}
	e.Package = &Package{Registry: r.Type, Name: r.Identifier, Version: version}
	e.Args = slices.Clone(runs.before)
	for i := range r.Env {
		v := &r.Env[i]
		if !envName.MatchString(v.Name) {
			return unusable("%q cannot be the name of an environment variable", clip.To(v.Name, 80))
		}
		if e.Env[v.Name], err = w.input(v, v.Name); err != nil {
			return err
		}
		if r.Type == "oci" {
			e.Args = append(e.Args, "--env="+v.Name)
		}
	}
	e.Args = append(append(e.Args, r.Identifier+runs.join+version), runs.after...)
	for i := range r.Args {
		if err := w.argument(&r.Args[i]); err != nil {
			return err
		}
	}
	return nil
}

// argument adds an argument of the program. A long option and its value are one argument.
func (w *way) argument(a *registryInput) error {
	name := a.Name
	switch {
	case a.Type == "positional":
		if name = a.Hint; name == "" {
			name = "ARGUMENT"
		}
	case a.Type != "named" || !optionName.MatchString(a.Name):
		return unusable("%q of the type %q cannot be an argument", clip.To(a.Name, 80), clip.To(a.Type, 40))
	}
	text, err := w.input(a, name)
	switch {
	case err != nil:
		return err
	case a.Type == "positional":
	case strings.HasPrefix(a.Name, "--"):
		text = a.Name + "=" + text
	default:
		w.entry.Args = append(w.entry.Args, a.Name)
	}
	w.entry.Args = append(w.entry.Args, text)
	return nil
}

// input returns the text of an input: its fixed value, or the placeholder of a variable.
func (w *way) input(in *registryInput, name string) (string, error) {
	if in.Value != "" {
		return w.filled(in.Value, in.Variables)
	}
	return w.variable(in, name)
}

// filled replaces the variables in a text, {name}, by placeholders. Any other placeholder would
// ask for a value that is not for this server.
func (w *way) filled(text string, variables map[string]registryInput) (string, error) {
	if !plainText(text) {
		return "", unusable("a text contains ${ or a line break, or is too long")
	}
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		in := variables[name]
		if !strings.Contains(text, "{"+name+"}") {
			continue
		}
		value := in.Value
		switch {
		case strings.ContainsAny(value, "${}") || !plainText(value):
			return "", unusable("the value of %q contains $, { or }", clip.To(name, 40))
		case value == "":
			var err error
			if value, err = w.variable(&in, name); err != nil {
				return "", err
			}
		}
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(text), nil
}

func plainText(text string) bool {
	return len(text) <= maxText && !strings.Contains(text, "${") && !strings.ContainsAny(text, "\r\n\x00")
}

// variable adds a variable and returns its placeholder.
func (w *way) variable(in *registryInput, name string) (string, error) {
	v := Variable{Name: w.prefix + placeholderName(strings.TrimLeft(name, "-")), Kind: Plain, Required: in.Required, Description: clip.To(in.Description, 1000)}
	switch {
	case name == "" || len(name) > 100 || len(w.entry.Variables) >= maxVariables:
		return "", unusable("it needs too many values, or one without a name or with a long one")
	case !plainText(in.Default):
		return "", unusable("the default of %q contains ${ or a line break, or is too long", clip.To(name, 40))
	case in.Secret || secretName.MatchString(name):
		v.Kind = Secret
	default:
		v.Default, v.Choices = in.Default, in.Choices
	}
	if known := w.entry.Variable(v.Name); known == nil {
		w.entry.Variables = append(w.entry.Variables, v)
	} else if known.Kind != v.Kind {
		return "", unusable("it has two values of the name %q", clip.To(name, 40))
	} else {
		known.Required = known.Required || v.Required
	}
	return "${" + v.Name + "}", nil
}
