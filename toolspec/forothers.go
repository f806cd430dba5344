package toolspec

import (
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/canon/scan"
)

// ForOthers returns a copy without what is this home's own. A static variable whose
// value is no placeholder and looks like a credential becomes one, ${NAME} after its own
// name; the problems name each place that was changed, and those where the code, a
// description or a test value contains what looks like a credential, which are left as
// they are.
func (s *Spec) ForOthers() (*Spec, Problems) {
	own := s.Clone()
	delete(own.Extra, memberLocalPass)
	var v validator
	for i := range own.StaticVariables {
		variable := &own.StaticVariables[i]
		if !variable.holdsSecret() {
			continue
		}
		name := placeholderName(variable.Name)
		variable.Value = "${" + name + "}"
		v.warn(scan.Index("staticVariables", i), "secret-not-exported", "set "+name+" in the environment where the spec is imported",
			"the value of %q looks like a credential and was exported as ${%s}", variable.Name, name)
	}
	for _, p := range own.Lint() {
		if p.Reason == "hard-coded-secret" {
			v.problems = append(v.problems, p)
		}
	}
	return own, v.problems
}

// holdsSecret reports a value that looks like a credential: by a shape that an
// issuer gives its own, or because the variable's name says so and the value is
// no word.
func (v *Variable) holdsSecret() bool {
	if what, _ := findSecret(v.Value); what != "" {
		return true
	}
	const least = 12
	if len(v.Value) < least || strings.ContainsAny(v.Value, " \t\r\n${}") ||
		!strings.ContainsFunc(v.Value, isLetter) || !strings.ContainsAny(v.Value, "0123456789") {
		return false
	}
	name := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(v.Name))
	return slices.ContainsFunc([]string{"key", "token", "secret", "password", "passwd", "pwd", "credential", "credentials", "auth", "webhook"},
		func(end string) bool { return strings.HasSuffix(name, end) })
}

func isLetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

// placeholderName writes a variable's name as the environment has names: apiKey
// is API_KEY.
func placeholderName(name string) string {
	var b strings.Builder
	small := false
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'A' && c <= 'Z':
			if small {
				b.WriteByte('_')
			}
			b.WriteByte(c)
		case lower(c):
			b.WriteByte(c - 'a' + 'A')
		case decimal(c) && b.Len() > 0:
			b.WriteByte(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
		small = lower(c) || decimal(c)
	}
	if out := strings.TrimRight(b.String(), "_"); out != "" {
		return out
	}
	return "SECRET"
}
