package platform

import "strings"

//go:generate node testdata/numbers.mjs
//go:generate gofmt -w numbertable.go

// numberLanguage is how a language, or a kind of it, writes numbers. In its patterns {0} stands
// for the digits and ¤ for the currency.
type numberLanguage struct {
	tag, decimal, group  string
	percent              string
	currency, accounting string // accounting: of a negative amount
	currencyName         string
	// What a compact number of the magnitude 3, 4 and so on looks like.
	short, long, money [12]compactForm
	names              []namedForms // of currencies
	units              []unitForms
}

// compactForm is how many digits of the whole remain, and what follows them. A
// fourth form stands for exactly one, without a number.
type compactForm struct {
	digits int
	forms  []string
}

type namedForms struct {
	name  string
	forms []string
}

// unitForms are the patterns of a unit: short, narrow and long.
type unitForms struct {
	name  string
	forms [3][]string
}

// numberTag is a locale, and which of numberLanguages it writes.
type numberTag struct {
	tag             string
	way             int
	symbols, narrow string // "USD $;EUR €"
}

// defaultNumbers is the locale for whoever asks for none that is known: en-US.
const defaultNumbers = 1

// matchNumbers picks the first of the tags that is known (RFC 4647, lookup).
func matchNumbers(tags []string) *numberTag {
	for _, t := range tags {
		base, _, _ := strings.Cut(t, "-u-")
		for {
			for i := range numberTags {
				if numberTags[i].tag == base {
					return &numberTags[i]
				}
			}
			cut := strings.LastIndexByte(base, '-')
			if cut < 0 {
				break
			}
			base = base[:cut]
		}
	}
	return &numberTags[defaultNumbers]
}

// knownNumbers reports whether the language of a tag is known.
func knownNumbers(tag string) bool {
	return matchNumbers([]string{tag}).language() == languageOf(tag)
}

func (t *numberTag) data() *numberLanguage { return &numberLanguages[t.way] }

// language is the language itself, for the rules of its plurals.
func (t *numberTag) language() string { return languageOf(t.tag) }

// symbol is what a currency is shown as: its code where there is nothing else.
func (t *numberTag) symbol(code string, narrow bool) string {
	list := t.symbols
	if narrow {
		list = t.narrow
	}
	for list != "" {
		var entry string
		entry, list, _ = strings.Cut(list, ";")
		if len(entry) > 4 && entry[:3] == code {
			return entry[4:]
		}
	}
	return code
}

// name is what a currency is called with a number of that category.
func (t *numberTag) name(code string, category plural) string {
	for _, n := range t.data().names {
		if n.name == code {
			return category.form(n.forms)
		}
	}
	return code
}

// unit gives the pattern of a unit, "" when it is not known. display is 0 for
// short, 1 for narrow, 2 for long.
func (t *numberTag) unit(name string, display int, category plural) string {
	for i := range t.data().units {
		if u := &t.data().units[i]; u.name == name {
			return category.form(u.forms[display])
		}
	}
	return ""
}

// currencyDigits is how many fraction digits amounts of a currency have.
func currencyDigits(code string) int {
	for _, c := range fractionDigits {
		if c.code == code {
			return c.digits
		}
	}
	return 2
}
