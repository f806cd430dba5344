package platform

import "strings"

// plural is a plural category of a language.
type plural uint8

const (
	pluralOther plural = iota
	pluralZero
	pluralOne
	pluralTwo
	pluralFew
	pluralMany
)

var pluralNames = [...]string{"other", "zero", "one", "two", "few", "many"}

// form picks the text of a category from a list of the tables.
func (c plural) form(forms []string) string {
	switch {
	case len(forms) == 1:
		return forms[0]
	case c == pluralOne:
		return forms[0]
	case c == pluralMany:
		return forms[1]
	}
	return forms[2]
}

// cardinal is the category of a number by the way it is written, in a language
// of numberLanguages (CLDR plural rules). power is that of a compact form.
func cardinal(language, whole, fraction string, power int) plural {
	i := strings.TrimLeft(whole, "0")
	switch language {
	case "en", "de":
		if i == "1" && fraction == "" {
			return pluralOne
		}
	case "fr":
		switch {
		case i == "" || i == "1":
			return pluralOne
		case power == 0 && fraction == "" && len(i) > 6 && strings.HasSuffix(i, "000000"), power > 5:
			return pluralMany
		}
	}
	return pluralOther
}

// ordinal is the category of 1st, 2nd and so on.
func ordinal(language, whole, fraction string) plural {
	i := strings.TrimLeft(whole, "0")
	switch language {
	case "en":
		if fraction != "" || strings.HasSuffix(i, "11") || strings.HasSuffix(i, "12") || strings.HasSuffix(i, "13") {
			return pluralOther
		}
		switch {
		case strings.HasSuffix(i, "1"):
			return pluralOne
		case strings.HasSuffix(i, "2"):
			return pluralTwo
		case strings.HasSuffix(i, "3"):
			return pluralFew
		}
	case "fr":
		if i == "1" && fraction == "" {
			return pluralOne
		}
	}
	return pluralOther
}

// pluralsOf lists the categories that a language has, as resolvedOptions does.
func pluralsOf(language string, ordinal bool) []string {
	switch {
	case language == "en" && ordinal:
		return []string{"few", "one", "two", "other"}
	case language == "fr" && ordinal, language == "en", language == "de" && !ordinal:
		return []string{"one", "other"}
	case language == "fr":
		return []string{"many", "one", "other"}
	}
	return []string{"other"}
}
