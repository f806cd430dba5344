package intl

import (
	"slices"
	"time"
)

// Style is the way in which a field of a date is written.
type Style uint8

const (
	StyleNone Style = iota
	StyleNumeric
	style2Digit
	styleShort
	styleLong
	styleNarrow
	styleFull
	styleMedium
	styleShortOffset
	styleLongOffset
)

var StyleNames = [...]string{"", "numeric", "2-digit", "short", "long", "narrow", "full", "medium", "shortOffset", "longOffset"}

// The allowed values of each option.
var (
	NumberStyles = []Style{style2Digit, StyleNumeric}
	NameStyles   = []Style{styleNarrow, styleShort, styleLong}
	MonthStyles  = []Style{style2Digit, StyleNumeric, styleNarrow, styleShort, styleLong}
	ZoneStyles   = []Style{styleShort, styleLong, styleShortOffset, styleLongOffset}
	WholeStyles  = []Style{styleFull, styleLong, styleMedium, styleShort}
)

// HourCycle is how hours are counted.
type HourCycle uint8

const (
	HourNone HourCycle = iota
	hour11             // 0 to 11
	Hour12             // 12, 1 to 11
	Hour23             // 0 to 23
	hour24             // 24, 1 to 23
)

var HourNames = [...]string{"", "h11", "h12", "h23", "h24"}

// ParseHourCycle reads h11, h12, h23 or h24; HourNone for anything else.
func ParseHourCycle(s string) HourCycle {
	if i := slices.Index(HourNames[:], s); i > 0 {
		return HourCycle(i)
	}
	return HourNone
}

func (h HourCycle) halfDays() bool { return h == hour11 || h == Hour12 }

// DateSettings holds the settings requested from a DateTimeFormat.
type DateSettings struct {
	Tag    string // the name of the locale, for resolvedOptions
	Locale Locale

	Zone     *Zone
	Location *time.Location

	Weekday, Year, Month, Day      Style
	Hour, Minute, Second, ZoneName Style
	Fraction                       int // number of digits of fractional seconds
	Hours                          HourCycle
	DateStyle, TimeStyle           Style
}

// Defaults says which fields are added if none is requested, and which fields count as
// requested (ECMA-402, CreateDateTimeFormat).
type Defaults uint8

const (
	DateDefaults Defaults = iota // any field counts; the default is the date
	AllDefaults                  // any field counts; the default is date and time
	DateRequired                 // a field of the date is required
	TimeRequired                 // a field of the time is required
)

// Complete adds the default fields that are missing.
func (s *DateSettings) Complete(defaults Defaults) {
	date := s.Weekday|s.Year|s.Month|s.Day != 0
	clock := s.Hour|s.Minute|s.Second != 0 || s.Fraction > 0
	switch defaults {
	case DateRequired:
		clock = false
	case TimeRequired:
		date = false
	}
	if date || clock {
		return
	}
	if defaults != TimeRequired {
		s.Year, s.Month, s.Day = StyleNumeric, StyleNumeric, StyleNumeric
	}
	if defaults == AllDefaults || defaults == TimeRequired {
		s.Hour, s.Minute, s.Second = StyleNumeric, StyleNumeric, StyleNumeric
	}
}
