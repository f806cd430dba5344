package studio

// Serving says whether clients are offered a tool, and if not, what keeps it
// from them. A hub works it out for what is published; every face of a program
// shows that answer.
type Serving string

// The answers. Only an offered tool is listed to clients and can be called.
const (
	// ServingOffered: it is published, and clients are offered it.
	ServingOffered Serving = "offered"
	// ServingNoPass: it holds no valid pass.
	ServingNoPass Serving = "no_pass"
	// ServingNotPublished: it holds a pass and is not published.
	ServingNotPublished Serving = "not_published"
	// ServingNotExposed: it is published and the exposure does not name it, which
	// tools that came with the program need.
	ServingNotExposed Serving = "not_exposed"
	// ServingExcluded: it is published and the exposure excludes it.
	ServingExcluded Serving = "excluded"
	// ServingNameTaken: it is published and another tool is offered by its name.
	ServingNameTaken Serving = "name_taken"
	// ServingClosed: the server of the tools is closed.
	ServingClosed Serving = "closed"
)

// Published reports whether the tool is published, offered or not.
func (s Serving) Published() bool {
	return s == ServingOffered || s == ServingNotExposed || s == ServingExcluded || s == ServingNameTaken
}

// Explain says in one sentence why clients are not offered the tool, and what to
// do about it. It is empty for a tool that is offered.
func (s Serving) Explain() string {
	switch s {
	case ServingNoPass:
		return "It holds no valid pass: test it."
	case ServingNotPublished:
		return "It is not published: publish it."
	case ServingNotExposed:
		return "It is published, and clients are not offered it: the exposure does not name it. Expose it."
	case ServingExcluded:
		return "It is published, and clients are not offered it: the exposure excludes it. Expose it."
	case ServingNameTaken:
		return "It is published, and clients are offered another tool of the same name: rename one of the two."
	case ServingClosed:
		return "The server of the tools is closed: start it again."
	}
	return ""
}
