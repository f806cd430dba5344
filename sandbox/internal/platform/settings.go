package platform

import (
	"slices"
	"time"
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
