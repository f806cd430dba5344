package intl

import "strings"

//go:generate node testdata/numbers.mjs
//go:generate gofmt -w numbertable.go

// numberLanguage holds the number format of one kind of English. In its patterns {0}
// stands for the digits and ¤ for the currency.
type numberLanguage struct {
	tag, decimal, group  string
	percent              string
	currency, accounting string // accounting is the pattern of a negative amount
	currencyName         string
	names                []currencyName
}

// currencyName holds the name of a currency after exactly 1, and after any other number.
type currencyName struct{ code, one, other string }

// NumberLocale is a locale and its index in numberLanguages.
type NumberLocale struct {
	tag             string
	way             int
	symbols, narrow string // "USD $;EUR €"
}

// defaultNumbers is the locale if none of the requested ones is supported: en-US.
const defaultNumbers = 1

// MatchNumbers returns the locale of the first supported tag (RFC 4647, lookup).
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

// symbol returns the symbol of a currency, or its code if it has no symbol.
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

// name returns the name of a currency after a number; one says that the number is exactly
// 1.
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

// CurrencyDigits returns the number of fraction digits of a currency.
func CurrencyDigits(code string) int {
	for _, c := range fractionDigits {
		if c.code == code {
			return c.digits
		}
	}
	return 2
}
