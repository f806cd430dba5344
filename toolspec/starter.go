package toolspec

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Starter returns a spec to start from: it passes unchanged, has no lint warnings, and
// shows the parts of a spec. The explanations are in its code, since JSON has no
// comments. Change one part at a time and let it pass each time.
//
// The name must begin with a letter and hold letters, digits, '_' and '-' only, at most
// 64: such names are accepted by every client and are valid file names. The error for any
// other name suggests a valid one.
func Starter(name string) (*Spec, error) {
	if !isStarterName(name) {
		return nil, fmt.Errorf("toolspec: %s is no name for a new tool: begin with a letter, and use letters, digits, '_' and '-', at most %d; such as %q",
			excerpt(name), maxStarterName, suggestName(name))
	}
	s := New(name)
	s.ToolID = s.ID()
	s.Description = "Shortens a text to a number of characters without cutting a word in two, and says whether something was left out. " +
		"Use it for titles, previews and subject lines. It is not for summaries: it keeps the beginning and drops the rest."
	s.Category, s.Tags = "TEXT", []string{"util"}
	text, limit := "A tool earns its pass with its own tests.", "24"
	s.Params = []Param{
		{Name: "text", Description: "The text to shorten, such as the first lines of a mail.", Type: TypeString, Required: true, TestValue: &text},
		{Name: "limit", Description: "The most characters of the result, such as 60. Default 80.", Type: TypeInteger, TestValue: &limit},
	}
	s.Code = starterCode
	no := false
	s.Overrides = Overrides{NetworkMode: NetworkBlocked, FileRead: &no, FileWrite: &no}
	s.OutputSchema = json.RawMessage(`{"type": "object", "properties": {"text": {"type": "string", "description": "The text, with … at its end when it was cut."}, "shortened": {"type": "boolean"}}, "required": ["text", "shortened"]}`)
	s.Tests = []Case{
		{Name: "cuts between two words", Args: json.RawMessage(`{"text": "one two three four", "limit": 12}`),
			Want: json.RawMessage(`{"text": "one two…", "shortened": true}`)},
		{Name: "refuses a limit that leaves no room", Args: json.RawMessage(`{"text": "one two", "limit": 0}`),
			WantError: &WantError{Kind: KindJSError, Message: "pass a number from 1 on"}},
	}
	return s, nil
}

const starterCode = `// This is the body of an async function. Parameters are there by their names,
// and what is returned is the result. One that was not given is undefined.
const most = limit === undefined ? 80 : limit;

// Models pass wrong things. Say what is wrong and what to pass instead.
if (most < 1) throw new Error('limit is ' + most + '; pass a number from 1 on');

// Whole characters: an emoji is two of the units in which text.length counts.
const letters = [...text.trim()];
if (letters.length <= most) return { text: letters.join(''), shortened: false };

// One character is for the sign at the end. Cut at a blank where there is one.
const head = letters.slice(0, most - 1);
const blank = letters[head.length] === ' ' ? head.length : head.lastIndexOf(' ');
const kept = blank > 0 ? head.slice(0, blank) : head;
return { text: kept.join('').trimEnd() + '…', shortened: true };

// What the code may touch is declared in "sandboxOverrides"; nothing else works.
// A web service:
//   "sandboxOverrides": {"networkMode": "allowlist", "hostsAllow": ["api.example.com"]}
//   const answer = await fetch('https://api.example.com/v1/items');
//   return answer.json();
// Its key comes from the environment and is masked in whatever comes out:
//   "staticVariables": [{"apiKey": "${EXAMPLE_API_KEY}"}]
// Files of its workspace:
//   "sandboxOverrides": {"fileRead": true}
//   return safety.fs.readText('notes.txt');
`

const maxStarterName = 64

func isStarterName(name string) bool {
	if len(name) > maxStarterName || name == "" || !lower(name[0]|0x20) {
		return false
	}
	for i := range len(name) {
		if c := name[i]; !lower(c|0x20) && !decimal(c) && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// suggestName makes a name from the words in a text.
func suggestName(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return r > 'z' || !isNameByte(byte(r)) || r == '$' || r == '_' })
	var b strings.Builder
	for _, word := range words {
		if b.Len()+len(word) > maxStarterName {
			break
		}
		if b.Len() == 0 {
			b.WriteString(strings.ToLower(word[:1]) + word[1:])
		} else {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	switch name := b.String(); {
	case name == "":
		return "myTool"
	case decimal(name[0]):
		return "tool" + name
	default:
		return name
	}
}
