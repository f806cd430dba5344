package directory

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec/secret"
)

// ErrValue reports a value that cannot be used.
var ErrValue = errors.New("directory: the value cannot be used")

// MissingError names the variables without a value.
type MissingError struct {
	Entry     string // its id
	Variables []Variable
}

// Error names the variables and says what they are.
func (e *MissingError) Error() string {
	names := make([]string, len(e.Variables))
	for i, v := range e.Variables {
		names[i] = fmt.Sprintf("%s (%s)", v.Name, strings.TrimSuffix(v.Description, "."))
	}
	return fmt.Sprintf("directory: %s needs values for %s", e.Entry, strings.Join(names, ", "))
}

// Values are what [Entry.Instantiate] fills in. The zero value is for an entry without required
// variables.
type Values struct {
	// ID is the id of the record. Default: the id of the entry.
	ID string
	// Set are the values by the name of their variable. A secret is given as a placeholder,
	// ${NAME}, which says where its value is found when the server is connected to. A plain
	// value is one line without placeholders.
	Set map[string]string
	// Lookup finds the values of placeholders. A variable that is not in Set and that it finds
	// becomes a placeholder of its own name. nil: required secrets become placeholders, and do
	// not count as missing.
	Lookup secret.Lookup
	// System is the operating system on which a program is started, as in runtime.GOOS, which
	// is the default.
	System string
}

// Instantiate returns the record of a server with these values. What belongs to an optional
// variable without a value is left out. Nothing is connected to or started.
//
// If values are missing, the error is a [*MissingError], and the record, for a preview, has
// placeholders in their place. Any other error comes without a record; it matches [ErrValue]
// for a value that cannot be used.
func (e *Entry) Instantiate(v *Values) (servers.Record, error) {
	if v == nil {
		v = &Values{}
	}
	if err := e.check(); err != nil {
		return servers.Record{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(v.Set)) {
		if wrong := e.wrongValue(name, v.Set[name]); wrong != "" {
			return servers.Record{}, fmt.Errorf("%w: %s: %s", ErrValue, clip.To(name, 80), wrong)
		}
	}
	f := filler{entry: e, values: v}
	connection, err := json.Marshal(f.connection())
	if err != nil {
		return servers.Record{}, fmt.Errorf("directory: entry %q: %w", e.ID, err)
	}
	r := servers.Record{ID: cmp.Or(v.ID, e.ID), Name: e.Name, Description: e.Description, Category: e.Category, Tags: slices.Clone(e.Tags), Kind: e.Transport, Connection: connection}
	if err := r.Validate(); err != nil {
		return servers.Record{}, err
	}
	if _, err := client.NewRegistry(nil).Transport(r.Kind, r.Connection); err != nil {
		return servers.Record{}, fmt.Errorf("directory: entry %q: %w", e.ID, err)
	}
	if f.missing != nil {
		return r, &MissingError{Entry: e.ID, Variables: f.missing}
	}
	return r, nil
}

// wrongValue returns why a value cannot be used; empty if it can. It does not quote the value,
// which may be a secret.
func (e *Entry) wrongValue(name, value string) string {
	v := e.Variable(name)
	switch names := secret.Names(value); {
	case v == nil:
		var known []string
		for _, v := range e.Variables {
			known = append(known, v.Name)
		}
		return fmt.Sprintf("%s has no such variable: it has %s", e.ID, cmp.Or(strings.Join(known, ", "), "none"))
	case v.Kind == Secret && (len(names) != 1 || value != "${"+names[0]+"}"):
		return "it is a secret, which does not go into the record: store it, and give ${NAME} with its name"
	case v.Kind == Secret:
	case strings.Contains(value, "${") || strings.ContainsAny(value, "\r\n\x00") || len(value) > maxText || strings.TrimSpace(value) == "":
		return fmt.Sprintf("it must be one line of 1 to %d bytes without ${", maxText)
	case v.Choices != nil && !slices.Contains(v.Choices, value):
		return fmt.Sprintf("it must be one of %q", v.Choices)
	case strings.Contains(e.URL, "${"+name+"}") && !strings.HasPrefix(e.URL, "${") && strings.ContainsAny(value, "/\\?#@%: \t"):
		return `in an address it must not contain / \ ? # @ % : or spaces` // which part of an address is which stays
	}
	return ""
}

// filler fills values into the texts of an entry.
type filler struct {
	entry   *Entry
	values  *Values
	missing []Variable
}

// connection returns the definition of the connection.
func (f *filler) connection() map[string]any {
	e, c := f.entry, map[string]any{}
	if e.Transport == client.TransportStdio {
		c["command"], c["args"] = e.Command, f.args()
		if e.Command == "npx" && cmp.Or(f.values.System, runtime.GOOS) == "windows" {
			c["command"] = "npx.cmd"
		}
		if env := f.all(e.Env); len(env) > 0 {
			c["env"] = env
		}
		return c
	}
	c["url"], _ = f.text(e.URL)
	headers := f.all(e.Headers)
	if len(headers) > 0 {
		c["headers"] = headers
	}
	if o := e.OAuth; o != nil && headers["Authorization"] == "" {
		own := OAuth{Scopes: o.Scopes}
		own.ClientID, _ = f.text(o.ClientID)
		own.ClientSecret, _ = f.text(o.ClientSecret)
		own.Issuer, _ = f.text(o.Issuer)
		c["oauth"] = own
	}
	return c
}

// all fills in the values of a map.
func (f *filler) all(values map[string]string) map[string]string {
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if text, ok := f.text(values[name]); ok {
			out[name] = text
		}
	}
	return out
}

// args returns the arguments. Without the value of an option, its name goes too.
func (f *filler) args() []string {
	out := []string{}
	for i, arg := range f.entry.Args {
		if text, ok := f.text(arg); ok {
			out = append(out, text)
		} else if i > 0 && strings.HasPrefix(f.entry.Args[i-1], "-") && !strings.HasPrefix(f.entry.Args[i-1], "--") {
			out = out[:len(out)-1]
		}
	}
	return out
}

// text fills in one text. It returns false if the text needs an optional value that is not
// given.
func (f *filler) text(text string) (string, bool) {
	var filled []string
	for _, name := range secret.Names(text) {
		v, found := f.entry.Variable(name), false // check has found the variable
		if f.values.Lookup != nil {
			value, ok := f.values.Lookup(name)
			found = ok && strings.TrimSpace(value) != ""
		}
		value, set := f.values.Set[name]
		switch {
		case set:
			filled = append(filled, "${"+name+"}", value)
		case found, v.Kind == Secret && v.Required && f.values.Lookup == nil:
		case v.Default != "":
			filled = append(filled, "${"+name+"}", v.Default)
		case !v.Required:
			return "", false
		case !slices.ContainsFunc(f.missing, func(m Variable) bool { return m.Name == name }):
			f.missing = append(f.missing, *v)
		}
	}
	return strings.NewReplacer(filled...).Replace(text), true // a value is never filled in again
}
