package config

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// membersOf edits an object of the file and keeps the comments and the layout of what it
// does not change.
type membersOf struct {
	*hujson.Object
	// step is the indentation of one level of the file, and depth the level of the
	// members: 1 for those of the file itself.
	step  string
	depth int
}

// at returns the index of a member; -1 if there is none.
func (o membersOf) at(name string) int {
	for i := range o.Members {
		if key, _ := o.Members[i].Name.Value.(hujson.Literal); key.String() == name {
			return i
		}
	}
	return -1
}

// set sets a member to a text. A new member becomes the last; an empty text removes it.
func (o membersOf) set(name, text string) {
	i := o.at(name)
	switch {
	case text == "":
		o.remove(name)
	case i < 0:
		o.add(name, hujson.String(text))
	default:
		if now, ok := o.Members[i].Value.Value.(hujson.Literal); !ok || now.Kind() != '"' || now.String() != text {
			o.Members[i].Value.Value = hujson.String(text)
		}
	}
}

// object returns the object of a member. If there is none, it adds an empty one.
func (o membersOf) object(name string) (membersOf, bool) {
	i := o.at(name)
	if i < 0 {
		inner := &hujson.Object{}
		o.add(name, inner)
		return membersOf{inner, o.step, o.depth + 1}, true
	}
	inner, ok := o.Members[i].Value.Value.(*hujson.Object)
	return membersOf{inner, o.step, o.depth + 1}, ok
}

// add adds a member as the last one, laid out as the others.
func (o membersOf) add(name string, value hujson.ValueTrimmed) {
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value}}
	rest := o.AfterExtra // up to the closing brace, with the comments after the last member
	own, inline := o.indentation()
	outer := strings.Repeat(o.step, o.depth-1)
	switch {
	case inline:
		m.Name.BeforeExtra, o.AfterExtra = hujson.Extra(" "), rest
		if bytes.Contains(rest, []byte("//")) || bytes.Contains(rest, []byte("/*")) {
			m.Name.BeforeExtra, o.AfterExtra = append(bytes.Clone(rest), ' '), nil
		}
	default:
		m.Name.BeforeExtra = append(bytes.TrimRight(bytes.Clone(rest), " \t\r\n"), "\n"+own...)
		if at := bytes.LastIndexByte(rest, '\n'); at >= 0 {
			outer = string(rest[at+1:])
		}
		o.AfterExtra = hujson.Extra("\n" + outer)
	}
	if n := len(o.Members); n > 0 && o.Members[n-1].Value.AfterExtra != nil {
		m.Value.AfterExtra = hujson.Extra{} // the person writes a comma after the last member
	}
	o.Members = append(o.Members, m)
}

// indentation returns what stands before each member on its line. inline reports that the
// members share one line.
func (o membersOf) indentation() (own string, inline bool) {
	if len(o.Members) == 0 {
		return strings.Repeat(o.step, o.depth), false
	}
	before := o.Members[0].Name.BeforeExtra
	at := bytes.LastIndexByte(before, '\n')
	if at < 0 {
		return "", true
	}
	return string(before[at+1:]), false
}

// remove removes a member with the comments above it. A comment behind the member before
// it stays.
func (o membersOf) remove(name string) {
	i := o.at(name)
	if i < 0 {
		return
	}
	gone, last := o.Members[i], i == len(o.Members)-1
	var stays hujson.Extra // the rest of the line of the member before it
	if at := bytes.IndexByte(gone.Name.BeforeExtra, '\n'); at >= 0 && i > 0 {
		stays = bytes.TrimRight(gone.Name.BeforeExtra[:at], " \t\r")
	}
	o.Members = append(o.Members[:i], o.Members[i+1:]...)
	if !last {
		next := &o.Members[i].Name
		next.BeforeExtra = append(bytes.Clone(stays), next.BeforeExtra...)
		return
	}
	o.AfterExtra = append(bytes.Clone(stays), o.AfterExtra...)
	if i == 0 {
		return
	}
	end := &o.Members[i-1].Value
	switch comma := gone.Value.AfterExtra != nil; {
	case comma && end.AfterExtra == nil:
		end.AfterExtra = hujson.Extra{}
	case !comma && end.AfterExtra != nil:
		o.AfterExtra = append(bytes.Clone(end.AfterExtra), o.AfterExtra...)
		end.AfterExtra = nil
	}
}
