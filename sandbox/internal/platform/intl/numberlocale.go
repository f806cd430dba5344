package intl

import "strings"

//go:generate node testdata/numbers.mjs
//go:generate gofmt -w numbertable.go

// numberLanguage is how a kind of English writes numbers. In its patterns {0} is
// the digits and ¤ the currency.
type numberLanguage struct {
	tag, decimal, group  string
	percent              string
	currency, accounting string // accounting: of a negative amount
	currencyName         string
	names                []currencyName
}

// currencyName is what a currency is called after exactly 1, and after any other
// number.
type currencyName struct{ code, one, other string }

// NumberLocale is a locale, and which of numberLanguages it writes.
type NumberLocale struct {
	tag             string
	way             int
	symbols, narrow string // "USD $;EUR €"
}

// defaultNumbers is the locale when none of those asked for is known: en-US.
const defaultNumbers = 1

// MatchNumbers picks the first of the tags that is known (RFC 4647, lookup).
func MatchNumbers(tags []string) *NumberLocale {
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

func (t *NumberLocale) data() *numberLanguage { return &numberLanguages[t.way] }

// symbol is what a currency is shown as: its code where there is nothing else.
func (t *NumberLocale) symbol(code string, narrow bool) string {
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

// name is what a currency is called after a number; one says that it is exactly 1.
func (t *NumberLocale) name(code string, one bool) string {
	for _, n := range t.data().names {
		switch {
		case n.code != code:
		case one:
			return n.one
		default:
			return n.other
		}
	}
	return code
}

// CurrencyDigits is how many fraction digits amounts of a currency have.
func CurrencyDigits(code string) int {
	for _, c := range fractionDigits {
		if c.code == code {
			return c.digits
		}
	}
	return 2
}
