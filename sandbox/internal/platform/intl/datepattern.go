package intl

// field is a kind of part of a formatted date; its names are those of formatToParts.
type field uint8

const (
	fieldLiteral field = iota
	fieldWeekday
	fieldYear
	fieldMonth
	fieldDay
	fieldDayPeriod
	fieldHour
	fieldMinute
	fieldSecond
	fieldFraction
	fieldZoneName
)

var fieldNames = [...]string{
	"literal", "weekday", "year", "month", "day", "dayPeriod",
	"hour", "minute", "second", "fractionalSecond", "timeZoneName",
}

// token is one element of a pattern: a literal, or a field with its style.
type token struct {
	field   field
	style   Style
	literal string
}

// pattern is the layout of a date.
type pattern []token

func (p *pattern) add(f field, st Style) { *p = append(*p, token{field: f, style: st}) }
func (p *pattern) lit(s string)          { *p = append(*p, token{literal: s}) }

// narrowSpace is the narrow no-break space before AM and PM. Like V8, format replaces it
// with a plain space, and formatToParts keeps it.
const narrowSpace = "\u202f"

// layout builds the pattern for the requested fields. The order and punctuation are those
// of the English locales of CLDR.
func layout(s *DateSettings) pattern {
	full := *s
	expandStyles(&full)
	p := make(pattern, 0, 16)
	dateLayout(&p, &full)
	dated := len(p) > 0
	times := full.Hour|full.Minute|full.Second != 0 || full.Fraction > 0
	if times {
		switch {
		case !dated:
		case full.Month == styleLong && s.DateStyle|s.TimeStyle == 0,
			s.DateStyle == styleFull, s.DateStyle == styleLong:
			p.lit(" at ")
		case onlyWeekday(&full) && full.ZoneName == 0 && (full.Minute != 0 || full.Hours.halfDays()):
			p.lit(" ")
		default:
			p.lit(", ")
		}
		timeLayout(&p, &full)
	}
	if full.ZoneName != StyleNone {
		switch {
		case full.Hour != 0 && !full.Hours.halfDays() && len(p) > 0 && p[len(p)-1].field == fieldHour:
			p.lit("h ") // as in "17h UTC"
		case times:
			p.lit(" ")
		case dated && full.Month == styleLong:
			p.lit(" at ")
		case dated:
			p.lit(", ")
		}
		p.add(fieldZoneName, full.ZoneName)
	}
	return p
}

// expandStyles replaces dateStyle and timeStyle with the fields that they stand for.
func expandStyles(s *DateSettings) {
	switch s.DateStyle {
	case styleFull:
		s.Weekday, s.Year, s.Month, s.Day = styleLong, StyleNumeric, styleLong, StyleNumeric
	case styleLong:
		s.Year, s.Month, s.Day = StyleNumeric, styleLong, StyleNumeric
	case styleMedium:
		s.Year, s.Month, s.Day = StyleNumeric, styleShort, StyleNumeric
	case styleShort:
		s.Year, s.Month, s.Day = StyleNumeric, StyleNumeric, StyleNumeric
		if s.Locale == localeUS {
			s.Year = style2Digit
		}
	}
	if s.TimeStyle == StyleNone {
		return
	}
	s.Hour, s.Minute, s.Second = StyleNumeric, style2Digit, style2Digit
	if s.Locale == LocaleGB {
		s.Hour = style2Digit
	}
	switch s.TimeStyle {
	case styleFull:
		s.ZoneName = styleLong
	case styleLong:
		s.ZoneName = styleShort
	case styleShort:
		s.Second = StyleNone
	}
}

// dateLayout lays out the date. A weekday comes first if there is a day ("Tue, Jan 9")
// and last otherwise ("Jan 2024 Tue").
func dateLayout(p *pattern, s *DateSettings) {
	leads := s.Weekday != 0 && s.Day != 0
	if leads && s.Month == 0 && s.Locale == localeUS {
		leads = false // "9 Tue": see looseLayout
	}
	if leads {
		p.add(fieldWeekday, s.Weekday)
		if s.Month == 0 || s.Locale == LocaleGB && s.Year == 0 {
			p.lit(" ")
		} else {
			p.lit(", ")
		}
	}
	switch s.Month {
	case StyleNone:
		looseLayout(p, s)
	case StyleNumeric, style2Digit:
		numericLayout(p, s)
	default:
		textLayout(p, s)
	}
	if s.Weekday != 0 && s.Day == 0 {
		if len(*p) > 0 {
			p.lit(" ")
		}
		p.add(fieldWeekday, s.Weekday)
	}
}

// looseLayout lays out dates without a month.
func looseLayout(p *pattern, s *DateSettings) {
	if s.Day != 0 {
		p.add(fieldDay, s.Day)
		if s.Weekday != 0 && s.Locale == localeUS {
			p.lit(" ")
			p.add(fieldWeekday, s.Weekday)
		}
		if s.Year != 0 {
			p.lit(" ")
		}
	}
	if s.Year != 0 {
		p.add(fieldYear, s.Year)
	}
}

// numericLayout lays out dates like 1/9/2024, 09/01/2024 and 2024-01-09.
func numericLayout(p *pattern, s *DateSettings) {
	month, day := s.Month, s.Day
	// Britain and Canada write day and month with two digits, unless exactly one of them
	// was requested with two digits.
	if s.Locale != localeUS && (s.Weekday != 0 || month == day || day == 0) {
		if day != 0 || s.Year != 0 {
			month = style2Digit
		}
		if day != 0 {
			day = style2Digit
		}
	}
	order, separator := [3]field{fieldMonth, fieldDay, fieldYear}, "/"
	switch s.Locale {
	case LocaleGB:
		order = [3]field{fieldDay, fieldMonth, fieldYear}
	case localeCA:
		order, separator = [3]field{fieldYear, fieldMonth, fieldDay}, "-"
	}
	first := true
	for _, f := range order {
		st := month
		switch f {
		case fieldDay:
			st = day
		case fieldYear:
			st = s.Year
		}
		if st == StyleNone {
			continue
		}
		if !first {
			p.lit(separator)
		}
		first = false
		p.add(f, st)
	}
}

// textLayout lays out dates like January 9, 2024 and 9 January 2024.
func textLayout(p *pattern, s *DateSettings) {
	if s.Day != 0 && s.Locale == LocaleGB {
		p.add(fieldDay, s.Day)
		p.lit(" ")
	}
	p.add(fieldMonth, s.Month)
	if s.Day != 0 && s.Locale != LocaleGB {
		p.lit(" ")
		p.add(fieldDay, s.Day)
		if s.Year != 0 {
			p.lit(", ")
			p.add(fieldYear, s.Year)
		}
		return
	}
	if s.Year != 0 {
		p.lit(" ")
		p.add(fieldYear, s.Year)
	}
}

func timeLayout(p *pattern, s *DateSettings) {
	hasSecond := s.Second != 0 || s.Fraction > 0 && s.Minute != 0
	if s.Hour != 0 {
		p.add(fieldHour, hourStyle(s))
	}
	if s.Minute != 0 {
		st := style2Digit
		if s.Hour != 0 {
			p.lit(":")
		} else if !hasSecond {
			st = StyleNumeric
		}
		p.add(fieldMinute, st)
	}
	if hasSecond {
		st := StyleNumeric
		switch {
		case s.Minute != 0:
			st = style2Digit
			p.lit(":")
		case s.Hour != 0:
			p.lit(" ")
		}
		p.add(fieldSecond, st)
	}
	if s.Fraction > 0 {
		switch {
		case hasSecond:
			p.lit(".")
		case s.Hour != 0:
			p.lit(" ")
		}
		p.add(fieldFraction, Style(s.Fraction))
	}
	if s.Hour != 0 && s.Hours.halfDays() {
		p.lit(narrowSpace)
		p.add(fieldDayPeriod, StyleNone)
	}
}

// hourStyle returns the style of the hour. A 24-hour clock shows two digits. In Britain
// it shows the requested style if the pattern of CLDR does not fit the other fields: if
// all others have two digits, or if there are seconds and a time zone name.
func hourStyle(s *DateSettings) Style {
	if s.Hour == style2Digit || s.Hours.halfDays() {
		return s.Hour
	}
	asAsked := false
	switch {
	case s.Locale != LocaleGB:
	case s.ZoneName != StyleNone:
		asAsked = s.Second != StyleNone || s.Fraction > 0
	case !onlyWeekday(s) && s.Minute == style2Digit:
		asAsked = s.Second == style2Digit || s.Second == StyleNone && s.Fraction == 0
	}
	if asAsked {
		return s.Hour
	}
	return style2Digit
}

// onlyWeekday reports whether the date consists only of a weekday.
func onlyWeekday(s *DateSettings) bool {
	return s.Weekday != 0 && s.Year|s.Month|s.Day == 0
}
