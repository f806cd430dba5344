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

// Handler serves a request. An error that it returns is sent as a problem, so it must be
// returned before the first byte of the answer is written.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Table is the API of one package.
type Table struct {
	// Tag groups the routes in the description; Description explains them.
	Tag, Description string
	Routes           []Route
	// Schemas are the JSON Schemas of types whose JSON cannot be derived by reflection:
	// raw JSON, and types with their own encoding.
	Schemas map[reflect.Type]json.RawMessage
	// Names are the names in the description for types whose own name would be ambiguous
	// next to types of other packages, such as "ServerStatus" for servers.Status.
	Names map[reflect.Type]string
	// Problem converts the errors of the package to problems. If it is nil or returns
	// nil, the server converts the error.
	Problem func(error) *Problem
}

// Route is one row of a table.
type Route struct {
	Method string
	// Path is a pattern of net/http; it may contain wildcards, such as /api/tools/{id}.
	Path string
	// ID names the operation in generated clients, such as "listTools".
	ID string
	// Summary is one line; Description says more. Optional.
	Summary, Description string
	// Params are the wildcards of the path, the query members and the headers.
	Params []Param
	// Body is the input; the zero value means none.
	Body Content
	// Answers are the possible successful answers, the usual one first. None means 204.
	Answers []Answer
	// Errors are the problem kinds of the route, in addition to those of every route.
	Errors []Kind
	// MaxBody is the maximum size of the body in bytes. 0 means [MaxBody].
	MaxBody int64
	Handle  Handler
}

// Content is the type of a body.
type Content struct {
	// Type is the Go type that is encoded as JSON; nil for none.
	Type reflect.Type
	// Media is its media type; "" means application/json.
	Media string
	// Optional says that the body may be omitted.
	Optional bool
}

// Of returns the content with the type T.
func Of[T any]() Content { return Content{Type: reflect.TypeFor[T]()} }

// Answer is one possible successful answer to a request.
type Answer struct {
	Status      int
	Description string
	Content
	// Headers are the headers of the answer.
	Headers []Param
}

// In is the location of a parameter.
type In string

// The locations of a [Param].
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
	// Type is a JSON Schema type; "" means string.
	Type string
	Enum []string
	// Many says that a query member may occur several times.
	Many bool
}

// pattern returns the ServeMux pattern of the route.
func (r *Route) pattern() string { return r.Method + " " + r.Path }

var wildcard = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)(\.\.\.)?\}`)

// check reports mistakes that would make the table's description wrong.
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

// limit returns the maximum size of the body in bytes.
func (r *Route) limit() int64 {
	switch {
	case r.MaxBody > 0:
		return r.MaxBody
	case r.Body.Type == nil:
		return 1 << 10 // {} and white space
	}
	return MaxBody
}
