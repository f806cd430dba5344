package intl

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:generate node testdata/numbers.mjs

// NumberLocale is a locale for numbers. Those that are supported write digits in the same
// way and differ in the symbols of currencies.
type NumberLocale struct {
	tag  string
	kind int // of English, index of currency.symbols
}

var numberLocales = [...]NumberLocale{{"en", 0}, {"en-US", 0}, {"en-GB", 1}, {"en-CA", 2}, {"en-AU", 3}}

// defaultNumbers is the locale if none of the requested ones is supported: en-US.
const defaultNumbers = 1

// MatchNumbers returns the locale of the first supported tag (RFC 4647, lookup).
func MatchNumbers(tags []string) *NumberLocale {
	for _, t := range tags {
		base, _, _ := strings.Cut(t, "-u-")
		for {
			for i := range numberLocales {
				if numberLocales[i].tag == base {
					return &numberLocales[i]
				}
			}
			cut := strings.LastIndexByte(base, '-')
			if cut < 0 {
				break
			}
			base = base[:cut]
		}
	}
	return &numberLocales[defaultNumbers]
}

// currencyText has a line for each currency, separated by tabs: its code and the fields of
// currency. Missing currencies are written by their code, with two fraction digits.
//
//go:embed currencies.txt
var currencyText string

type currency struct {
	digits          int       // of a fraction
	one, other      string    // its name after exactly 1, and after any other number; may be empty
	symbols, narrow [4]string // by kind of English; empty: its code
}

var currencies = sync.OnceValue(func() map[string]*currency {
	table := make(map[string]*currency, 200)
	for line := range strings.Lines(currencyText) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		digits, _ := strconv.Atoi(f[1])
		table[f[0]] = &currency{digits, f[2], f[3], [4]string(f[4:8]), [4]string(f[8:12])}
	}
	return table
})

func findCurrency(code string) *currency {
	if c, ok := currencies()[code]; ok {
		return c
	}
	return &currency{digits: 2}
}

// symbol returns the symbol of a currency, or its code if it has no symbol.
func (l *NumberLocale) symbol(code string, narrow bool) string {
	c := findCurrency(code)
	symbol := c.symbols[l.kind]
	if narrow {
		symbol = c.narrow[l.kind]
	}
	if symbol == "" {
		return code
	}
	return symbol
}

// currencyName returns the name of a currency after a number; one says that the number is
// exactly 1.
func currencyName(code string, one bool) string {
	c := findCurrency(code)
	switch {
	case c.one == "":
		return code
	case one:
		return c.one
	}
	return c.other
}

// CurrencyDigits returns the number of fraction digits of a currency.
func CurrencyDigits(code string) int { return findCurrency(code).digits }
