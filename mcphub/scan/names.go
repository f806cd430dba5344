package scan

import (
	"encoding/json"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/localpass/localpass/internal/poison"
)

// names are the tools of all servers of a scan.
type names struct {
	servers   []map[string]bool // by server, the folded names
	words     [][]string        // by server, the names as they are
	skeletons [][]string        // and as they look
}

// nameOf returns the name in a definition; empty for one that cannot be read.
func nameOf(raw json.RawMessage) string {
	var d struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(raw, &d)
	return d.Name
}

func namesOf(servers []Server) *names {
	n := &names{}
	for i := range servers {
		of := map[string]bool{}
		var words, skeletons []string
		for _, raw := range servers[i].Tools {
			if name := nameOf(raw); name != "" {
				of[folded(name)] = true
				words, skeletons = append(words, name), append(skeletons, Skeleton(name))
			}
		}
		n.servers = append(n.servers, of)
		n.words, n.skeletons = append(n.words, words), append(n.skeletons, skeletons)
	}
	return n
}

func (n *names) of(i int) map[string]bool { return n.servers[i] }

func (n *names) besides(i int) map[string]bool {
	if len(n.servers) == 1 {
		return nil
	}
	out := map[string]bool{}
	for j, of := range n.servers {
		if j == i {
			continue
		}
		for name := range of {
			if !n.servers[i][name] {
				out[name] = true
			}
		}
	}
	return out
}

// lookAlike compares a name with those of the servers before its own: it is found if it is
// written with other characters and reads the same, or differs in one character.
func (n *names) lookAlike(i int, name string) []Finding {
	skeleton := Skeleton(name)
	if len(skeleton) < 6 {
		return nil
	}
	for j, words := range n.words[:i] {
		for k, other := range words {
			if other == name {
				continue
			}
			if o := n.skeletons[j][k]; LookAlike(skeleton, o) && folded(other) != folded(name) {
				return []Finding{newFinding(ruleLookAlike, High, "name", excerpt(name))}
			}
		}
	}
	return nil
}

// alike are plain characters that are taken for others.
var alike = strings.NewReplacer("1", "l", "i", "l", "0", "o", "rn", "m", "vv", "w", "α", "a")

// Skeleton returns how a name looks: names with the same skeleton are taken for each other.
// Case, separators, compatibility forms, letters of other scripts that pass for Latin ones
// and digits that pass for letters make no difference.
func Skeleton(name string) string {
	return alike.Replace(folded(strings.Map(poison.Twin, norm.NFKC.String(name))))
}

// LookAlike reports whether names with two skeletons can be taken for each other: the skeletons
// are the same, or long and differ in one character. A character more at the end is an
// ordinary difference, such as a plural.
func LookAlike(a, b string) bool { return a == b || len(b) > 8 && oneApart(a, b) }

// oneApart reports that two names differ by one character that is put in, left out, or another.
func oneApart(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return a != b && a[i+1:] == b[i+1:]
	}
	// A plural or a number at the end is an ordinary difference.
	return i < len(a) && a[i:] == b[i+1:]
}

// mutating are the verbs with which the name of a tool begins that changes something.
var mutating = map[string]bool{"delete": true, "remove": true, "drop": true, "erase": true, "wipe": true, "purge": true, "destroy": true, "kill": true, "terminate": true, "write": true,
	"send": true, "create": true, "update": true, "insert": true, "overwrite": true, "revoke": true, "pay": true, "transfer": true}

// contradictions are hints of a definition that its own name denies.
func contradictions(d *definition) []Finding {
	verb, _, _ := strings.Cut(spaced(d.name), " ")
	if d.readOnly && mutating[strings.ToLower(verb)] {
		return []Finding{newFinding(ruleContradict, High, "annotations.readOnlyHint", excerpt(d.name))}
	}
	return nil
}

// avoid returns the names of tools of the other servers that a text of server i has no reason
// to name. Names that are plain words are left out, since any text can have them.
func (n *names) avoid(i int) []string {
	var out []string
	for j, words := range n.words {
		for _, name := range words {
			if j != i && len(name) > 8 && !n.servers[i][folded(name)] && folded(name) != strings.ToLower(name) {
				out = append(out, name)
			}
		}
	}
	return out
}
