package intl

import (
	"strings"

	"github.com/localpass/localpass/sandbox/internal/platform/ascii"
)

// Locale is one of the supported locales for dates.
type Locale uint8

const (
	localeUS Locale = iota // also "en"
	LocaleGB
	localeCA
)

// supported maps the supported language tags to locales.
var supported = [...]struct {
	tag    string
	locale Locale
}{{"en-US", localeUS}, {"en-GB", LocaleGB}, {"en-CA", localeCA}, {"en", localeUS}}

// defaultTag is used if none of the requested locales is supported.
const defaultTag = "en-US"

const maxTag = 1 << 10 // bytes

// CanonicalTag checks the syntax of a language tag (BCP 47: a language and subtags of 1
// to 8 letters or digits) and returns it in canonical case.
func CanonicalTag(s string) (string, bool) {
	if len(s) > maxTag {
		return "", false
	}
	subtags := strings.Split(s, "-")
	extension := false
	for i, t := range subtags {
		if len(t) < 1 || len(t) > 8 || !alphanumeric(t) {
			return "", false
		}
		t = strings.ToLower(t)
		switch {
		case i == 0:
			if len(t) < 2 || len(t) == 4 || strings.ContainsAny(t, "0123456789") {
				return "", false
			}
		case len(t) == 1:
			if i == len(subtags)-1 { // an extension without a value
				return "", false
			}
			extension = true
		case len(t) == 2 && !extension:
			t = strings.ToUpper(t) // a region
		case len(t) == 4 && !extension && t[0] > '9':
			t = strings.ToUpper(t[:1]) + t[1:] // a script
		}
		subtags[i] = t
	}
	return strings.Join(subtags, "-"), true
}

func alphanumeric(s string) bool {
	for i := range len(s) {
		if c := ascii.Lower(s[i]); (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// MatchLocale returns the first supported tag, after removing subtags from the end as
// needed (RFC 4647, lookup). hour is the hour cycle that its Unicode extension requests
// ("-u-hc-h23"), or HourNone.
func MatchLocale(tags []string) (tag string, l Locale, hour HourCycle) {
	for _, t := range tags {
		base, extension, _ := strings.Cut(t, "-u-")
		for {
			for _, s := range supported {
				if s.tag == base {
					return s.tag, s.locale, extensionHour(extension)
				}
			}
			cut := strings.LastIndexByte(base, '-')
			if cut < 0 {
				break
			}
			base = base[:cut]
		}
	}
	return defaultTag, localeUS, HourNone
}

func extensionHour(extension string) HourCycle {
	subtags := strings.Split(extension, "-")
	for i := 0; i+1 < len(subtags); i++ {
		if subtags[i] == "hc" {
			return ParseHourCycle(subtags[i+1])
		}
	}
	return HourNone
}

// LanguageOf returns the language of a language tag, which is its first part.
func LanguageOf(tag string) string {
	language, _, _ := strings.Cut(tag, "-")
	return language
}
