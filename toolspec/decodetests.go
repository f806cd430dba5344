package toolspec

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/localpass/localpass/internal/canon/scan"
)

const listOfCases = `write a list of objects: [{"name": …, "args": {…}, "want": …}]`

// cases reads "x-tests". Faults in its shape become notes and never prevent loading the
// document, because it is a vendor member.
func (d *decoder) cases(list field) []Case {
	switch d.kind(list.value) {
	case scan.Array:
	case scan.Null:
		return nil
	default:
		d.badCase(list, listOfCases, "must be %v, is %v", scan.Array, d.kind(list.value))
		return nil
	}
	var out []Case
	d.elements(list, maxEntries, "", func(e field) {
		if d.kind(e.value) != scan.Object {
			d.badCase(e, listOfCases, "must be an object, is %v", d.kind(e.value))
			out = append(out, Case{}) // so that positions match those in the document
			return
		}
		out = append(out, d.testCase(e))
	})
	return out
}

func (d *decoder) badCase(f field, remedy, format string, args ...any) {
	d.note(memberTests, f.pointer, SeverityError, "test-case", remedy, format, args...)
}

func (d *decoder) testCase(e field) Case {
	var c Case
	for _, f := range d.fields(e.value, e.pointer) {
		kind := d.kind(f.value)
		switch f.name {
		case "name":
			c.Name = d.caseText(f)
		case "args":
			switch kind {
			case scan.Object:
				c.Args = d.raw(f.value)
			case scan.Null:
			default:
				d.badCase(f, `write an object: {"name": value}`, "must be an object, is %v", kind)
			}
		case "want":
			c.Want = d.raw(f.value)
		case "wantError":
			switch kind {
			case scan.Object:
				c.WantError = d.wantError(f)
			case scan.Null:
			default:
				d.badCase(f, `write an object, such as {"kind": "JS_ERROR"}`, "must be an object, is %v", kind)
			}
		case "wantFiles":
			if kind != scan.Null {
				c.WantFiles = d.wantFiles(f)
			}
		case "fixtures":
			if kind != scan.Null {
				own := d.fixtures(f, memberTests)
				c.Fixtures = &own
			}
		default:
			if !strings.HasPrefix(f.name, "x-") {
				remedy := "use name, args, want, wantError, wantFiles and fixtures; a note of your own begins with x-"
				if meant := nearest(f.name, []string{"name", "args", "want", "wantError", "wantFiles", "fixtures"}); meant != "" {
					remedy = fmt.Sprintf("write %q; a note of your own begins with x-", meant)
				}
				d.badCase(f, remedy, "is no member of a test case")
			}
			if c.Extra == nil {
				c.Extra = make(map[string]json.RawMessage)
			}
			c.Extra[f.name] = d.raw(f.value)
		}
	}
	return c
}

func (d *decoder) wantError(at field) *WantError {
	w := &WantError{}
	for _, f := range d.fields(at.value, at.pointer) {
		switch f.name {
		case "kind":
			w.Kind = Kind(d.caseText(f))
		case "reason":
			w.Reason = d.caseText(f)
		case "message":
			w.Message = d.caseText(f)
		default:
			d.badCase(f, "use kind, reason and message", "is no member of an expected failure")
		}
	}
	return w
}

// caseText reads a string of a test case.
func (d *decoder) caseText(f field) string {
	switch kind := d.kind(f.value); kind {
	case scan.String:
		return scan.Unquote(f.value.Of(d.text))
	case scan.Null:
	default:
		d.badCase(f, "write it in double quotes", "must be a string, is %v", kind)
	}
	return ""
}
