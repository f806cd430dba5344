package toolspec

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
)

// MaxDocumentSize bounds the text that [Parse] reads, in bytes.
const MaxDocumentSize = 16 << 20

// ParseOptions are the options of [Parse]. The zero value is for documents from
// elsewhere.
type ParseOptions struct {
	// Strict refuses to load a document that has any problem of severity error, where it
	// would otherwise be loaded as a draft; closed blocks must then not contain members
	// unknown to the specification.
	Strict bool
	// Source names the origin of the text in errors, such as a path.
	Source string
	// KeepDraft keeps the member "draft" of each document as written. Otherwise each
	// document becomes a draft, since "draft": false in a document from elsewhere does
	// not prove a pass here.
	KeepDraft bool
	// KeepClashes leaves names and ids that several documents have as they are: for a
	// text that is one of several, see [MarkClashes].
	KeepClashes bool
}

// Document is one entry of a parsed text: a spec, or the reasons why the entry is none.
type Document struct {
	// Spec is nil if the document was not loaded; Problems then says why.
	Spec     *Spec
	Problems Problems
	// Source is the file, if known.
	Source string
	// Pointer is the place within the text, such as "toolSpecs[2]"; empty for
	// a text that is one spec.
	Pointer string
}

// Parse reads specs from JSON text: one spec, a list of specs, or an object that contains
// one or several, such as {"toolSpecs": […]}, {"spec": {…}} or the {"data": {…}} that
// persistence/file writes. An object with the members "name" and "code" is a spec.
//
// An entry that cannot be loaded gives a Document without a Spec; the other entries are
// loaded. An entry that breaks a rule is loaded as a draft with its problems, see
// [Spec.Validate]. If two specs have the same name, both are loaded, and the second has
// the problem "name-taken"; if two specs have the same toolId but different names, only
// the first is loaded.
//
// Parse returns an error if the whole text is unusable: empty, larger than
// [MaxDocumentSize], with more than 10,000 entries, not JSON (its [Problems] name the
// line and the column), or without any spec. nil options mean the zero value.
func Parse(data []byte, opts *ParseOptions) ([]Document, error) {
	if opts == nil {
		opts = &ParseOptions{}
	}
	data, at, err := readText(data)
	if err == nil {
		l := locator{text: data, places: newPlaces(data)}
		problem := l.locate(at, "", 0)
		if len(l.found) > maxDocuments {
			problem = l.refuse(at, "", "the text holds %d entries, at most %d are read", len(l.found), maxDocuments)
			problem.Reason, problem.Remedy = "too-many", "split it into several files"
		}
		if problem == nil {
			docs := l.load(opts)
			if !opts.KeepClashes {
				MarkClashes(docs)
			}
			return docs, nil
		}
		err = Problems{*problem}
	}
	if opts.Source != "" {
		return nil, fmt.Errorf("toolspec: %s: %w", opts.Source, err)
	}
	return nil, fmt.Errorf("toolspec: %w", err)
}

// ParseSpec reads a text that contains exactly one spec, like [Parse] without options.
// The error is a [Problems] with all problems of severity error.
func ParseSpec(data []byte) (*Spec, error) {
	docs, err := Parse(data, nil)
	if err != nil {
		return nil, err
	}
	if len(docs) != 1 {
		return nil, fmt.Errorf("toolspec: %w", Problems{{Code: CodeParse, Severity: SeverityError, Reason: "not-one-spec",
			Message: fmt.Sprintf("the text holds %d specs, want exactly one", len(docs)), Remedy: "use Parse for a list"}})
	}
	if err := docs[0].Problems.Err(); err != nil {
		return nil, fmt.Errorf("toolspec: %w", err)
	}
	return docs[0].Spec, nil
}

// readText checks the whole text and finds the one value in it.
func readText(data []byte) ([]byte, scan.Span, error) {
	refuse := func(reason, remedy, format string, args ...any) ([]byte, scan.Span, error) {
		return nil, scan.Span{}, Problems{{Code: CodeParse, Severity: SeverityError, Reason: reason,
			Message: fmt.Sprintf(format, args...), Remedy: remedy}}
	}
	if len(data) > MaxDocumentSize {
		return refuse("too-large", "split it into several files", "the text is %d MiB, the limit is %d MiB", (len(data)+1<<20-1)>>20, MaxDocumentSize>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return refuse("not-utf8", "save it as UTF-8", "the text is UTF-16")
	}
	if scan.Blank(data, 0) == len(data) {
		return refuse("empty", "write a spec: a JSON object with name, code and codeType", "the text is empty")
	}
	at, bad := scan.Text(data, canon.MaxDepth)
	if bad == nil {
		return data, at, nil
	}
	line, column := scan.Position(data, bad.Offset)
	p := Problem{Code: CodeParse, Severity: SeverityError, Reason: "not-json", Line: line, Column: column,
		Message: "not JSON: " + bad.Error(), Remedy: bad.Hint}
	switch {
	case bad.TooDeep:
		p.Reason, p.Message = "too-deep", fmt.Sprintf("objects and lists nest deeper than %d", canon.MaxDepth)
	case !utf8.Valid(data[:min(len(data), bad.Offset+utf8.UTFMax)]) && strings.HasSuffix(bad.Found, "not UTF-8"):
		p.Reason, p.Remedy = "not-utf8", "save it as UTF-8"
	}
	return nil, scan.Span{}, Problems{p}
}

// locator finds the specs in a text that is valid JSON.
type locator struct {
	text   []byte
	places *places
	found  []candidate
}

type candidate struct {
	at      scan.Span
	pointer string
}

// envelopes are the members that contain specs by convention; their content is treated as
// specs even if it does not look like it.
var envelopes = [...]string{"toolSpecs", "specs", "tools", "spec", "tool", "data"}

// maxDocuments is how many entries one text may hold.
const maxDocuments = 10_000

// maxEnvelopes is how deeply envelopes may be nested.
const maxEnvelopes = 4

func (l *locator) locate(at scan.Span, pointer string, depth int) *Problem {
	switch kind := scan.KindOf(l.text[at.Start:]); kind {
	case scan.Array:
		n := 0
		_, _ = scan.Elements(l.text, at.Start, canon.MaxDepth, func(value scan.Span) *scan.Error {
			here := scan.Index(pointer, n)
			n++
			// Entries that are no specs are candidates too: each is reported separately,
			// and the others are loaded.
			if l.text[value.Start] != '{' || l.locate(value, here, depth+1) != nil {
				l.found = append(l.found, candidate{value, here})
			}
			return nil
		})
		return nil
	case scan.Object:
		return l.object(at, pointer, depth)
	default:
		return l.refuse(at, pointer, "found %v where a spec, a list of specs or an object that holds them should be", kind)
	}
}

func (l *locator) object(at scan.Span, pointer string, depth int) *Problem {
	members := l.members(at)
	if l.isSpec(members) {
		l.found = append(l.found, candidate{at, pointer})
		return nil
	}
	before := len(l.found)
	var inside *Problem // what was wrong with the first envelope
	if depth < maxEnvelopes {
		for _, m := range members {
			if !l.holdsSpecs(m) {
				continue
			}
			if problem := l.locate(m.value, scan.Join(pointer, m.name), depth+1); inside == nil {
				inside = problem
			}
		}
	}
	if len(l.found) > before || l.isEnvelope(members) {
		return nil
	}
	for _, m := range members {
		if m.name == "name" || m.name == "code" || m.name == "codeType" || m.name == "params" {
			l.found = append(l.found, candidate{at, pointer}) // an incomplete spec: say what is missing
			return nil
		}
	}
	if inside != nil {
		return inside
	}
	names := make([]string, 0, 5)
	for _, m := range members[:min(len(members), 5)] {
		names = append(names, fmt.Sprintf("%q", m.name))
	}
	if len(names) == 0 {
		return l.refuse(at, pointer, "the object is empty")
	}
	return l.refuse(at, pointer, "no spec found among the members %s", strings.Join(names, ", "))
}

func (l *locator) refuse(at scan.Span, pointer, format string, args ...any) *Problem {
	line, column := l.places.of(at.Start)
	return &Problem{Code: CodeParse, Severity: SeverityError, Reason: "not-a-spec", Pointer: pointer, Line: line, Column: column,
		Message: fmt.Sprintf(format, args...), Remedy: `write an object with "name", "code" and "codeType", or a list of them`}
}

func (l *locator) members(at scan.Span) []field {
	return (&decoder{text: l.text}).fields(at, "")
}

func (l *locator) isSpec(members []field) bool {
	name, code := false, false
	for _, m := range members {
		name = name || m.name == "name"
		code = code || m.name == "code"
	}
	return name && code
}

// isEnvelope recognises a bundle that holds no spec at all, such as an empty
// catalogue.
func (l *locator) isEnvelope(members []field) bool {
	return slices.ContainsFunc(members, func(m field) bool {
		return slices.Contains(envelopes[:3], m.name) && l.text[m.value.Start] == '['
	})
}

// holdsSpecs reports whether a member is an envelope: by its name, or because it contains
// specs.
func (l *locator) holdsSpecs(m field) bool {
	switch l.text[m.value.Start] {
	case '{':
		return slices.Contains(envelopes[:], m.name) || l.isSpec(l.members(m.value))
	case '[':
		if slices.Contains(envelopes[:3], m.name) {
			return true
		}
		found := false
		_, _ = scan.Elements(l.text, m.value.Start, canon.MaxDepth, func(value scan.Span) *scan.Error {
			found = found || l.text[value.Start] == '{' && l.isSpec(l.members(value))
			return nil
		})
		return found
	}
	return false
}

// load decodes and validates the candidates.
func (l *locator) load(opts *ParseOptions) []Document {
	docs := make([]Document, len(l.found))
	for i, c := range l.found {
		docs[i] = Document{Source: opts.Source, Pointer: c.pointer}
		if l.text[c.at.Start] != '{' {
			docs[i].Problems = Problems{*l.refuse(c.at, "", "found %v where a spec should be", scan.KindOf(l.text[c.at.Start:]))}
			continue
		}
		docs[i].decode(c.at, l.places, opts)
	}
	return docs
}

func (doc *Document) decode(at scan.Span, places *places, opts *ParseOptions) {
	spec, problems := decode(at, places)
	if spec != nil {
		problems = append(problems, spec.Validate(opts.Strict)...)
		broken := problems.Err() != nil
		if broken && opts.Strict {
			spec = nil
		} else if broken || !opts.KeepDraft {
			spec.Draft = true
		}
	}
	doc.Spec, doc.Problems = spec, problems
}

// UnmarshalJSON reads one spec without validating it, and keeps its "draft" as written.
// It returns a [Problems] error if the document cannot be loaded: a member has the wrong
// JSON kind, a required member is missing, or a member occurs twice.
func (s *Spec) UnmarshalJSON(data []byte) error {
	text, at, err := readText(data)
	if err != nil {
		return fmt.Errorf("toolspec: %w", err)
	}
	if text[at.Start] != '{' {
		if bytes.Equal(at.Of(text), []byte("null")) {
			return nil // like encoding/json
		}
		return fmt.Errorf("toolspec: %w", Problems{*(&locator{text: text, places: newPlaces(text)}).refuse(at, "", "found %v where a spec should be", scan.KindOf(text[at.Start:]))})
	}
	spec, problems := decode(at, newPlaces(text))
	if spec == nil {
		return fmt.Errorf("toolspec: %w", problems)
	}
	*s = *spec
	return nil
}

// MarkClashes reports names and tool ids that occur in more than one document.
func MarkClashes(docs []Document) {
	names, ids := make(map[string]int), make(map[string]int)
	for i := range docs {
		doc := &docs[i]
		if doc.Spec == nil {
			continue
		}
		name, id := doc.Spec.Name, doc.Spec.ToolID
		if first, taken := names[name]; taken && name != "" {
			doc.Problems = append(doc.Problems, Problem{Code: CodeResolver, Severity: SeverityError, Reason: "name-taken", Pointer: "name",
				Message: fmt.Sprintf("%q is also the name of %s", name, docs[first].Place()), Remedy: "give one of them another name"})
			continue
		}
		names[name] = i
		if first, taken := ids[id]; taken && id != "" {
			doc.Problems = append(doc.Problems, Problem{Code: CodeResolver, Severity: SeverityWarning, Reason: "tool-id-taken", Pointer: "toolId",
				Message: fmt.Sprintf("%q is also the toolId of %q in %s; this document is not loaded", id, docs[first].Spec.Name, docs[first].Place()),
				Remedy:  "give it another toolId, or leave it out"})
			doc.Spec = nil
			delete(names, name)
			continue
		}
		ids[id] = i
	}
}

// Place names the document in messages: its file and its place in the file.
func (doc *Document) Place() string {
	switch {
	case doc.Source != "" && doc.Pointer != "":
		return doc.Source + " (" + doc.Pointer + ")"
	case doc.Source != "":
		return doc.Source
	}
	return "the entry " + doc.Pointer
}
