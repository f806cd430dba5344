package platform

import (
	"math"
	"slices"
	"time"

	"github.com/localpass/localpass/internal/clip"

	"github.com/dop251/goja"
)

// style is how a part of a date is written.
type style uint8

const (
	styleNone style = iota
	styleNumeric
	style2Digit
	styleShort
	styleLong
	styleNarrow
	styleFull
	styleMedium
	styleShortOffset
	styleLongOffset
)

var styleNames = [...]string{"", "numeric", "2-digit", "short", "long", "narrow", "full", "medium", "shortOffset", "longOffset"}

// What each option may say.
var (
	numberStyles = []style{style2Digit, styleNumeric}
	nameStyles   = []style{styleNarrow, styleShort, styleLong}
	monthStyles  = []style{style2Digit, styleNumeric, styleNarrow, styleShort, styleLong}
	zoneStyles   = []style{styleShort, styleLong, styleShortOffset, styleLongOffset}
	wholeStyles  = []style{styleFull, styleLong, styleMedium, styleShort}
)

// hourCycle is how hours are counted.
type hourCycle uint8

const (
	hourNone hourCycle = iota
	hour11             // 0 to 11
	hour12             // 12, 1 to 11
	hour23             // 0 to 23
	hour24             // 24, 1 to 23
)

var hourNames = [...]string{"", "h11", "h12", "h23", "h24"}

func parseHourCycle(s string) hourCycle {
	if i := slices.Index(hourNames[:], s); i > 0 {
		return hourCycle(i)
	}
	return hourNone
}

func (h hourCycle) halfDays() bool { return h == hour11 || h == hour12 }

// settings is what a DateTimeFormat was asked for.
type settings struct {
	tag    string // the locale's name for resolvedOptions
	locale locale

	zone     *zoneEntry
	location *time.Location

	weekday, year, month, day      style
	hour, minute, second, zoneName style
	fraction                       int // digits of a second
	hours                          hourCycle
	dateStyle, timeStyle           style
}

// maxText bounds the options' texts, in UTF-16 units; the longest that means
// anything is a time zone of some 32.
const maxText = 1 << 10

// text converts v as ToString does. A text over maxText is cut: it fits no
// option anyway.
func (p *host) text(v goja.Value) string {
	s := v.ToString()
	if _, symbol := s.(*goja.Symbol); symbol {
		panic(p.typeError("Cannot convert a Symbol value to a string"))
	}
	if s, ok := s.(goja.String); ok && s.Length() > maxText {
		return s.Substring(0, maxText).String() + "…"
	}
	return s.String()
}

// optionReader reads the options of one constructor call, each once.
type optionReader struct {
	p  *host
	of string       // the constructor, for messages
	o  *goja.Object // nil: no options
}

func (r optionReader) value(name string) (goja.Value, bool) {
	if r.o == nil {
		return nil, false
	}
	v := r.o.Get(name)
	return v, v != nil && !goja.IsUndefined(v)
}

// text reads a text that must be one of allowed; any will do when there are none.
func (r optionReader) text(name string, allowed ...string) string {
	v, ok := r.value(name)
	if !ok {
		return ""
	}
	s := r.p.text(v)
	if len(allowed) > 0 && !slices.Contains(allowed, s) {
		r.outOfRange(name, s)
	}
	return s
}

func (r optionReader) style(name string, allowed []style) style {
	v, ok := r.value(name)
	if !ok {
		return styleNone
	}
	s := r.p.text(v)
	for _, st := range allowed {
		if styleNames[st] == s {
			return st
		}
	}
	if name == "timeZoneName" && (s == "shortGeneric" || s == "longGeneric") {
		r.unsupported(name + ": '" + s + "'")
	}
	r.outOfRange(name, s)
	return styleNone
}

func (r optionReader) outOfRange(name, value string) {
	panic(r.p.rangeError("Value " + clip.To(value, 100) + " out of range for " + r.of + " options property " + name))
}

// unsupported refuses what Intl has and this host has not: a wrong answer in
// silence would be worse.
func (r optionReader) unsupported(what string) {
	panic(r.p.rangeError(r.of + " option " + what + " is not supported here"))
}

// settings reads the arguments of the constructor, the options in the order in
// which ECMA-402 does.
func (p *host) settings(localesArg, optionsArg goja.Value, defaults fieldDefaults) settings {
	var s settings
	tag, locale, extension := matchLocale(p.locales(localesArg))
	s.tag, s.locale = tag, locale

	r := p.options(optionsArg, "Intl.DateTimeFormat")
	r.text("localeMatcher", "lookup", "best fit")
	if c := r.text("calendar"); c != "" && c != "gregory" {
		r.unsupported("calendar: '" + clip.To(c, 100) + "'")
	}
	if n := r.text("numberingSystem"); n != "" && n != "latn" {
		r.unsupported("numberingSystem: '" + clip.To(n, 100) + "'")
	}
	half, asked := r.value("hour12")
	cycle := parseHourCycle(r.text("hourCycle", hourNames[1:]...))
	p.readZone(r, &s)
	explicit := r.readFields(&s)
	s.dateStyle = r.style("dateStyle", wholeStyles)
	s.timeStyle = r.style("timeStyle", wholeStyles)

	if s.dateStyle != styleNone || s.timeStyle != styleNone {
		if explicit != "" {
			which := "dateStyle"
			if s.dateStyle == styleNone {
				which = "timeStyle"
			}
			panic(p.typeError("Can't set option " + explicit + " when " + which + " is used"))
		}
		if s.dateStyle != styleNone && defaults == timeRequired || s.timeStyle != styleNone && defaults == dateRequired {
			panic(p.typeError("Invalid option : " + map[bool]string{true: "dateStyle", false: "timeStyle"}[defaults == timeRequired]))
		}
	} else {
		s.complete(defaults)
	}
	if s.hour != styleNone || s.timeStyle != styleNone {
		switch {
		case asked && half.ToBoolean():
			s.hours = hour12
		case asked:
			s.hours = hour23
		case cycle != hourNone:
			s.hours = cycle
		case extension != hourNone:
			s.hours = extension
			s.tag += "-u-hc-" + hourNames[extension]
		case locale == localeGB:
			s.hours = hour23
		default:
			s.hours = hour12
		}
	}
	return s
}

// fieldDefaults says which fields come in when none is asked for, and which
// ones count as asked for (ECMA-402, CreateDateTimeFormat).
type fieldDefaults uint8

const (
	dateDefaults fieldDefaults = iota // any field counts; the date comes in
	allDefaults                       // any field counts; date and time come in
	dateRequired                      // a field of the date must be there
	timeRequired                      // a field of the time must be there
)

// complete adds the fields that are missing.
func (s *settings) complete(defaults fieldDefaults) {
	date := s.weekday|s.year|s.month|s.day != 0
	clock := s.hour|s.minute|s.second != 0 || s.fraction > 0
	switch defaults {
	case dateRequired:
		clock = false
	case timeRequired:
		date = false
	}
	if date || clock {
		return
	}
	if defaults != timeRequired {
		s.year, s.month, s.day = styleNumeric, styleNumeric, styleNumeric
	}
	if defaults == allDefaults || defaults == timeRequired {
		s.hour, s.minute, s.second = styleNumeric, styleNumeric, styleNumeric
	}
}

// readZone reads the time zone; without one it is UTC.
func (p *host) readZone(r optionReader, s *settings) {
	name := utcName
	if v, ok := r.value("timeZone"); ok {
		name = p.text(v)
	}
	bad := func() goja.Value { return p.rangeError("Invalid time zone specified: " + clip.To(name, 100)) }
	zone, ok := findZone(name)
	if !ok {
		panic(bad())
	}
	location, err := p.location(zone.properName())
	if err != nil || location == nil {
		panic(bad())
	}
	s.zone, s.location = zone, location
}

// readFields reads the parts that are asked for and returns the name of the
// first, or "".
func (r optionReader) readFields(s *settings) (first string) {
	note := func(name string, given bool) {
		if given && first == "" {
			first = name
		}
	}
	read := func(name string, allowed []style) style {
		st := r.style(name, allowed)
		note(name, st != styleNone)
		return st
	}
	s.weekday = read("weekday", nameStyles)
	if r.text("era") != "" {
		r.unsupported("era")
	}
	s.year = read("year", numberStyles)
	s.month = read("month", monthStyles)
	s.day = read("day", numberStyles)
	if r.text("dayPeriod") != "" {
		r.unsupported("dayPeriod")
	}
	s.hour = read("hour", numberStyles)
	s.minute = read("minute", numberStyles)
	s.second = read("second", numberStyles)
	if v, ok := r.value("fractionalSecondDigits"); ok {
		f := v.ToFloat()
		if math.IsNaN(f) || f < 1 || f > 3 {
			panic(r.p.rangeError("fractionalSecondDigits value is out of range."))
		}
		s.fraction = int(f)
		note("fractionalSecondDigits", true)
	}
	s.zoneName = read("timeZoneName", zoneStyles)
	r.text("formatMatcher", "basic", "best fit")
	return first
}
