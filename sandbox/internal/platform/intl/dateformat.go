package intl

import (
	"strconv"
	"time"
)

var (
	monthNames = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	dayNames   = [...]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
	dayPeriods = [...][2]string{localeUS: {"AM", "PM"}, LocaleGB: {"am", "pm"}, localeCA: {"a.m.", "p.m."}}
)

// DateFormatter formats dates with one pattern.
type DateFormatter struct {
	DateSettings
	pattern pattern
}

// NewDateFormatter creates a formatter; s must be complete, see [DateSettings.Complete].
func NewDateFormatter(s DateSettings) *DateFormatter {
	f := &DateFormatter{DateSettings: s}
	f.pattern = layout(&f.DateSettings)
	return f
}

// Text formats a date.
func (f *DateFormatter) Text(at time.Time) string {
	var buf [64]byte
	text := buf[:0]
	for _, t := range f.pattern {
		if t.literal == narrowSpace {
			text = append(text, ' ')
			continue
		}
		text = f.append(text, t, at)
	}
	return string(text)
}

// Parts formats a date as a list of parts.
func (f *DateFormatter) Parts(at time.Time) []Part {
	var buf [64]byte
	out := make([]Part, len(f.pattern))
	for i, t := range f.pattern {
		out[i] = Part{fieldNames[t.field], string(f.append(buf[:0], t, at))}
	}
	return out
}

// Resolved passes to set what resolvedOptions shows: dateStyle and timeStyle if one of
// them was requested, otherwise the fields as the pattern writes them.
func (f *DateFormatter) Resolved(set func(name string, value any)) {
	set("locale", f.Tag)
	set("calendar", "gregory")
	set("numberingSystem", "latn")
	set("timeZone", f.Zone.ProperName())
	if f.Hours != HourNone {
		set("hourCycle", HourNames[f.Hours])
		set("hour12", f.Hours.halfDays())
	}
	if f.DateStyle|f.TimeStyle == 0 {
		f.resolvedFields(set)
		return
	}
	if f.DateStyle != StyleNone {
		set("dateStyle", StyleNames[f.DateStyle])
	}
	if f.TimeStyle != StyleNone {
		set("timeStyle", StyleNames[f.TimeStyle])
	}
}

func (f *DateFormatter) resolvedFields(set func(name string, value any)) {
	for field := fieldWeekday; field <= fieldZoneName; field++ {
		for _, t := range f.pattern {
			switch {
			case t.field != field || field == fieldDayPeriod:
			case field == fieldFraction:
				set("fractionalSecondDigits", int(t.style))
			default:
				set(fieldNames[field], StyleNames[t.style])
			}
		}
	}
}

// append appends the text of token t for the date at.
func (f *DateFormatter) append(dst []byte, t token, at time.Time) []byte {
	switch t.field {
	case fieldLiteral:
		return append(dst, t.literal...)
	case fieldWeekday:
		name := dayNames[at.Weekday()]
		switch t.style {
		case styleShort:
			name = name[:3]
		case styleNarrow:
			name = name[:1]
		}
		return append(dst, name...)
	case fieldYear:
		year := at.Year()
		if year <= 0 {
			year = 1 - year // years BC: there is no year 0
		}
		if t.style == style2Digit {
			return appendNumber(dst, year%100, style2Digit)
		}
		return strconv.AppendInt(dst, int64(year), 10)
	case fieldMonth:
		return f.appendMonth(dst, t.style, int(at.Month()))
	case fieldDay:
		return appendNumber(dst, at.Day(), t.style)
	case fieldDayPeriod:
		return append(dst, dayPeriods[f.Locale][at.Hour()/12]...)
	case fieldHour:
		return appendNumber(dst, f.Hours.count(at.Hour()), t.style)
	case fieldMinute:
		return appendNumber(dst, at.Minute(), t.style)
	case fieldSecond:
		return appendNumber(dst, at.Second(), t.style)
	case fieldFraction:
		ms := at.Nanosecond() / 1e6
		digits := [3]byte{byte('0' + ms/100), byte('0' + ms/10%10), byte('0' + ms%10)}
		return append(dst, digits[:t.style]...) // the style is the number of digits
	case fieldZoneName:
		return f.appendZone(dst, t.style, at)
	}
	return dst
}

func (f *DateFormatter) appendMonth(dst []byte, st Style, month int) []byte {
	switch st {
	case StyleNumeric, style2Digit:
		return appendNumber(dst, month, st)
	case styleShort:
		name := monthNames[month-1][:3]
		if f.Locale == LocaleGB && month == int(time.September) {
			name = "Sept"
		}
		return append(dst, name...)
	case styleNarrow:
		return append(dst, monthNames[month-1][0])
	}
	return append(dst, monthNames[month-1]...)
}

// appendZone appends the name of the time zone at a time, or its offset from UTC if it
// has no name.
func (f *DateFormatter) appendZone(dst []byte, st Style, at time.Time) []byte {
	class := f.Zone.class
	daylight := 0
	if f.Zone.daylight(at) {
		daylight = 1
	}
	name := ""
	switch st {
	case styleShort:
		name = class.short[f.Locale][daylight]
	case styleLong:
		name = class.long[daylight]
	}
	if name != "" {
		return append(dst, name...)
	}
	_, offset := at.Zone()
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	dst = append(append(dst, "GMT"...), sign)
	long := st == styleLong || st == styleLongOffset
	if long {
		dst = appendNumber(dst, offset/3600, style2Digit)
	} else {
		dst = strconv.AppendInt(dst, int64(offset/3600), 10)
	}
	minutes, seconds := offset/60%60, offset%60
	if long || minutes != 0 || seconds != 0 {
		dst = appendNumber(append(dst, ':'), minutes, style2Digit)
	}
	if seconds != 0 {
		dst = appendNumber(append(dst, ':'), seconds, style2Digit)
	}
	return dst
}

// count converts an hour from 0 to 23 to the number that the cycle shows.
func (h HourCycle) count(hour int) int {
	switch h {
	case hour11:
		return hour % 12
	case Hour12:
		if hour %= 12; hour == 0 {
			return 12
		}
	case hour24:
		if hour == 0 {
			return 24
		}
	}
	return hour
}

func appendNumber(dst []byte, n int, st Style) []byte {
	if st == style2Digit && n < 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(n), 10)
}
