package platform

import (
	"math"
	"slices"
	"time"

	"github.com/dop251/goja"
	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/sandbox/internal/platform/intl"
)

// maxText is the maximum length of an option string, in UTF-16 units; the longest valid
// one is a time zone of about 32.
const maxText = 1 << 10

// text converts v as ToString does. A string longer than maxText is cut, since no option
// accepts it anyway.
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

// optionReader reads the options of one constructor call, each option once.
type optionReader struct {
	p  *host
	of string       // the name of the constructor, for messages
	o  *goja.Object // nil: no options
}

func (r optionReader) value(name string) (goja.Value, bool) {
	if r.o == nil {
		return nil, false
	}
	v := r.o.Get(name)
	return v, v != nil && !goja.IsUndefined(v)
}

// text reads a string that must be one of allowed; if allowed is empty, any string is
// valid.
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

func (r optionReader) style(name string, allowed []intl.Style) intl.Style {
	v, ok := r.value(name)
	if !ok {
		return intl.StyleNone
	}
	s := r.p.text(v)
	for _, st := range allowed {
		if intl.StyleNames[st] == s {
			return st
		}
	}
	if name == "timeZoneName" && (s == "shortGeneric" || s == "longGeneric") {
		r.unsupported(name + ": '" + s + "'")
	}
	r.outOfRange(name, s)
	return intl.StyleNone
}

func (r optionReader) outOfRange(name, value string) {
	panic(r.p.rangeError("Value " + clip.To(value, 100) + " out of range for " + r.of + " options property " + name))
}

// unsupported throws for a feature of Intl that this host lacks, which is better than a
// silently wrong result.
func (r optionReader) unsupported(what string) {
	panic(r.p.rangeError(r.of + " option " + what + " is not supported here"))
}

// settings reads the arguments of the constructor, with the options in the order that
// ECMA-402 requires.
func (p *host) settings(localesArg, optionsArg goja.Value, defaults intl.Defaults) intl.DateSettings {
	var s intl.DateSettings
	tag, locale, extension := intl.MatchLocale(p.locales(localesArg))
	s.Tag, s.Locale = tag, locale

	r := p.options(optionsArg, "Intl.DateTimeFormat")
	r.text("localeMatcher", "lookup", "best fit")
	if c := r.text("calendar"); c != "" && c != "gregory" {
		r.unsupported("calendar: '" + clip.To(c, 100) + "'")
	}
	if n := r.text("numberingSystem"); n != "" && n != "latn" {
		r.unsupported("numberingSystem: '" + clip.To(n, 100) + "'")
	}
	half, asked := r.value("hour12")
	cycle := intl.ParseHourCycle(r.text("hourCycle", intl.HourNames[1:]...))
	p.readZone(r, &s)
	explicit := r.readFields(&s)
	s.DateStyle = r.style("dateStyle", intl.WholeStyles)
	s.TimeStyle = r.style("timeStyle", intl.WholeStyles)

	if s.DateStyle != intl.StyleNone || s.TimeStyle != intl.StyleNone {
		if explicit != "" {
			which := "dateStyle"
			if s.DateStyle == intl.StyleNone {
				which = "timeStyle"
			}
			panic(p.typeError("Can't set option " + explicit + " when " + which + " is used"))
		}
		if s.DateStyle != intl.StyleNone && defaults == intl.TimeRequired || s.TimeStyle != intl.StyleNone && defaults == intl.DateRequired {
			panic(p.typeError("Invalid option : " + map[bool]string{true: "dateStyle", false: "timeStyle"}[defaults == intl.TimeRequired]))
		}
	} else {
		s.Complete(defaults)
	}
	if s.Hour != intl.StyleNone || s.TimeStyle != intl.StyleNone {
		switch {
		case asked && half.ToBoolean():
			s.Hours = intl.Hour12
		case asked:
			s.Hours = intl.Hour23
		case cycle != intl.HourNone:
			s.Hours = cycle
		case extension != intl.HourNone:
			s.Hours = extension
			s.Tag += "-u-hc-" + intl.HourNames[extension]
		case locale == intl.LocaleGB:
			s.Hours = intl.Hour23
		default:
			s.Hours = intl.Hour12
		}
	}
	return s
}

// readZone reads the time zone; the default is UTC.
func (p *host) readZone(r optionReader, s *intl.DateSettings) {
	name := intl.UTC
	if v, ok := r.value("timeZone"); ok {
		name = p.text(v)
	}
	bad := func() goja.Value { return p.rangeError("Invalid time zone specified: " + clip.To(name, 100)) }
	zone, ok := intl.FindZone(name)
	if !ok {
		panic(bad())
	}
	location, err := p.location(zone.ProperName())
	if err != nil || location == nil {
		panic(bad())
	}
	s.Zone, s.Location = zone, location
}

// readFields reads the requested fields of the date and returns the name of the first, or
// "".
func (r optionReader) readFields(s *intl.DateSettings) (first string) {
	note := func(name string, given bool) {
		if given && first == "" {
			first = name
		}
	}
	read := func(name string, allowed []intl.Style) intl.Style {
		st := r.style(name, allowed)
		note(name, st != intl.StyleNone)
		return st
	}
	s.Weekday = read("weekday", intl.NameStyles)
	if r.text("era") != "" {
		r.unsupported("era")
	}
	s.Year = read("year", intl.NumberStyles)
	s.Month = read("month", intl.MonthStyles)
	s.Day = read("day", intl.NumberStyles)
	if r.text("dayPeriod") != "" {
		r.unsupported("dayPeriod")
	}
	s.Hour = read("hour", intl.NumberStyles)
	s.Minute = read("minute", intl.NumberStyles)
	s.Second = read("second", intl.NumberStyles)
	if v, ok := r.value("fractionalSecondDigits"); ok {
		f := v.ToFloat()
		if math.IsNaN(f) || f < 1 || f > 3 {
			panic(r.p.rangeError("fractionalSecondDigits value is out of range."))
		}
		s.Fraction = int(f)
		note("fractionalSecondDigits", true)
	}
	s.ZoneName = read("timeZoneName", intl.ZoneStyles)
	r.text("formatMatcher", "basic", "best fit")
	return first
}

const badLocale = "Incorrect locale information provided"

// maxLocales is the maximum length of a list of locales, since an array-like object can
// claim any length.
const maxLocales = 1000

// locales reads the first argument of a constructor: undefined, one tag or a
// list of tags.
func (p *host) locales(v goja.Value) []string {
	if v == nil || goja.IsUndefined(v) {
		return nil
	}
	if goja.IsNull(v) {
		panic(p.typeError("Cannot convert undefined or null to object"))
	}
	if goja.IsString(v) {
		return []string{p.localeTag(v)}
	}
	o, ok := v.(*goja.Object)
	if !ok {
		return nil // a number or boolean has no elements
	}
	n := int64(0)
	if length := o.Get("length"); length != nil {
		n = length.ToInteger()
	}
	if n > maxLocales {
		panic(p.rangeError("a list of locales has at most 1000"))
	}
	var tags []string
	for i := int64(0); i < n; i++ {
		item := o.Get(p.vm.ToValue(i).String())
		if item == nil {
			continue
		}
		if _, ok := item.(*goja.Object); !ok && !goja.IsString(item) {
			panic(p.typeError("Language ID should be string or object."))
		}
		tags = append(tags, p.localeTag(item))
	}
	return tags
}

func (p *host) localeTag(v goja.Value) string {
	tag, ok := intl.CanonicalTag(p.text(v))
	if !ok {
		panic(p.rangeError(badLocale))
	}
	return tag
}

// location loads a time zone, once per runtime.
func (p *host) location(name string) (*time.Location, error) {
	if name == intl.UTC {
		return time.UTC, nil
	}
	if loc, ok := p.zones[name]; ok {
		return loc, nil
	}
	loc, err := p.Zones(name)
	if err != nil {
		return nil, err
	}
	if p.zones == nil {
		p.zones = make(map[string]*time.Location, 1)
	}
	p.zones[name] = loc
	return loc, nil
}

// options returns a reader for the second argument of a constructor.
func (p *host) options(v goja.Value, constructor string) optionReader {
	r := optionReader{p: p, of: constructor}
	if v == nil || goja.IsUndefined(v) {
		return r
	}
	if goja.IsNull(v) {
		panic(p.typeError("Cannot convert undefined or null to object"))
	}
	r.o = v.ToObject(p.vm)
	return r
}

// number reads an integer from lo to hi; ok is false if the option is absent.
func (r optionReader) number(name string, lo, hi int) (n int, ok bool) {
	v, ok := r.value(name)
	if !ok {
		return 0, false
	}
	return r.p.boundedNumber(name, v, lo, hi), true
}

// choice reads a string that must be one of allowed; the default is the first.
func (r optionReader) choice(name string, allowed ...string) string {
	if s := r.text(name, allowed...); s != "" {
		return s
	}
	return allowed[0]
}

func (p *host) boundedNumber(name string, v goja.Value, lo, hi int) int {
	if _, symbol := v.(*goja.Symbol); symbol || goja.IsBigInt(v) {
		panic(p.typeError("Cannot convert the value of " + name + " to a number"))
	}
	f := v.ToFloat()
	if math.IsNaN(f) || f < float64(lo) || f > float64(hi) {
		panic(p.rangeError(name + " value is out of range."))
	}
	return int(f)
}
