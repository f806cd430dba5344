package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Handler serves a request. The error it returns is answered as a problem, so
// it must come before the first byte of the answer.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Table is the API of one package.
type Table struct {
	// Tag groups the routes in the description; Description says what they are
	// about.
	Tag, Description string
	Routes           []Route
	// Schemas are the JSON Schemas of types whose JSON reflection cannot see:
	// raw JSON, and types that marshal themselves.
	Schemas map[reflect.Type]json.RawMessage
	// Names are what types are called in the description whose own name says too little
	// beside those of other packages, such as "ServerStatus" for servers.Status.
	Names map[reflect.Type]string
	// Problem turns the errors of the package into problems; nil, and a nil
	// answer, leave them to the server.
	Problem func(error) *Problem
}

// Route is one row of a table.
type Route struct {
	Method string
	// Path is a pattern of net/http: its segments may be wildcards, such as
	// /api/tools/{id}.
	Path string
	// ID names the operation in generated clients, such as "listTools".
	ID string
	// Summary is one line; Description says more. Optional.
	Summary, Description string
	// Params are the wildcards of the path, the members of the query and the
	// headers.
	Params []Param
	// Body is what goes in; the zero value means nothing.
	Body Content
	// Answers are what comes out, the usual one first. None means 204.
	Answers []Answer
	// Errors are the kinds of problem beside those that every route has.
	Errors []Kind
	// MaxBody bounds the body, in bytes. 0 means [MaxBody].
	MaxBody int64
	Handle  Handler
}

// Content is the type of a body.
type Content struct {
	// Type is the Go type that is read or written as JSON; nil for none.
	Type reflect.Type
	// Media is its media type. Empty: application/json.
	Media string
	// Optional says that a body may be left out.
	Optional bool
}

// Of is the content of the type T.
func Of[T any]() Content { return Content{Type: reflect.TypeFor[T]()} }

// Answer is one way in which a request can succeed.
type Answer struct {
	Status      int
	Description string
	Content
	// Headers are those that the answer carries.
	Headers []Param
}

// In is the location of a parameter.
type In string

// The places of a [Param].
const (
	InPath   In = "path"
	InQuery  In = "query"
	InHeader In = "header"
)

// Param is a parameter of a route.
type Param struct {
	In          In
	Name        string
	Description string
	Required    bool
	// Type is a type of JSON Schema; empty means string.
	Type string
	Enum []string
	// Many says that a query member may appear several times.
	Many bool
}

// pattern is what a ServeMux knows the route by.
func (r *Route) pattern() string { return r.Method + " " + r.Path }

var wildcard = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)(\.\.\.)?\}`)

// check finds what would make the table say something that is not so.
func (r *Route) check() error {
	switch {
	case !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, r.Method):
		return fmt.Errorf("the method %q is none of GET, POST, PUT, PATCH and DELETE", r.Method)
	case !strings.HasPrefix(r.Path, "/") || strings.ContainsAny(r.Path, " ?#"):
		return fmt.Errorf("the path %q does not begin with / or holds a blank, ? or #", r.Path)
	case r.Handle == nil:
		return fmt.Errorf("nothing serves it: set Handle")
	case r.ID == "" || r.Summary == "":
		return fmt.Errorf("ID and Summary must be there")
	case r.Method == http.MethodGet && r.Body.Type != nil:
		return fmt.Errorf("a GET has no body")
	}
	var named []string
	for _, p := range r.Params {
		if p.In == InPath {
			named = append(named, p.Name)
		}
	}
	var there []string
	for _, m := range wildcard.FindAllStringSubmatch(r.Path, -1) {
		there = append(there, m[1])
	}
	slices.Sort(named)
	slices.Sort(there)
	if !slices.Equal(named, there) {
		return fmt.Errorf("the path has the wildcards %q, the parameters name %q", there, named)
	}
	return nil
}

// limit is how many bytes the body may have.
func (r *Route) limit() int64 {
	switch {
	case r.MaxBody > 0:
		return r.MaxBody
	case r.Body.Type == nil:
		return 1 << 10 // {} and blanks
	}
	return MaxBody
}
