package platform

// field is a part of a formatted date; its names are those of formatToParts.
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

// token is one step of a pattern: a literal, or a field and how it is written.
type token struct {
	field   field
	style   style
	literal string
}

// pattern is a date's layout.
type pattern []token

func (p *pattern) add(f field, st style) { *p = append(*p, token{field: f, style: st}) }
func (p *pattern) lit(s string)          { *p = append(*p, token{literal: s}) }

// narrowSpace comes before AM and PM. format writes a plain space for it, as V8
// does; formatToParts shows it.
const narrowSpace = "\u202f"

// layout builds the pattern for what was asked. The order and punctuation are
// those of CLDR's English locales.
func layout(s *settings) pattern {
	full := *s
	expandStyles(&full)
	p := make(pattern, 0, 16)
	dateLayout(&p, &full)
	dated := len(p) > 0
	times := full.hour|full.minute|full.second != 0 || full.fraction > 0
	if times {
		switch {
		case !dated:
		case full.month == styleLong && s.dateStyle|s.timeStyle == 0,
			s.dateStyle == styleFull, s.dateStyle == styleLong:
			p.lit(" at ")
		case onlyWeekday(&full) && full.zoneName == 0 && (full.minute != 0 || full.hours.halfDays()):
			p.lit(" ")
		default:
			p.lit(", ")
		}
		timeLayout(&p, &full)
	}
	if full.zoneName != styleNone {
		switch {
		case full.hour != 0 && !full.hours.halfDays() && len(p) > 0 && p[len(p)-1].field == fieldHour:
			p.lit("h ") // 17h UTC
		case times:
			p.lit(" ")
		case dated && full.month == styleLong:
			p.lit(" at ")
		case dated:
			p.lit(", ")
		}
		p.add(fieldZoneName, full.zoneName)
	}
	return p
}

// expandStyles puts dateStyle and timeStyle into the fields they stand for.
func expandStyles(s *settings) {
	switch s.dateStyle {
	case styleFull:
		s.weekday, s.year, s.month, s.day = styleLong, styleNumeric, styleLong, styleNumeric
	case styleLong:
		s.year, s.month, s.day = styleNumeric, styleLong, styleNumeric
	case styleMedium:
		s.year, s.month, s.day = styleNumeric, styleShort, styleNumeric
	case styleShort:
		s.year, s.month, s.day = styleNumeric, styleNumeric, styleNumeric
		if s.locale == localeUS {
			s.year = style2Digit
		}
	}
	if s.timeStyle == styleNone {
		return
	}
	s.hour, s.minute, s.second = styleNumeric, style2Digit, style2Digit
	if s.locale == localeGB {
		s.hour = style2Digit
	}
	switch s.timeStyle {
	case styleFull:
		s.zoneName = styleLong
	case styleLong:
		s.zoneName = styleShort
	case styleShort:
		s.second = styleNone
	}
}

// dateLayout lays out the date. A weekday leads a day ("Tue, Jan 9") and follows
// everything else ("Jan 2024 Tue").
func dateLayout(p *pattern, s *settings) {
	leads := s.weekday != 0 && s.day != 0
	if leads && s.month == 0 && s.locale == localeUS {
		leads = false // "9 Tue": see looseLayout
	}
	if leads {
		p.add(fieldWeekday, s.weekday)
		if s.month == 0 || s.locale == localeGB && s.year == 0 {
			p.lit(" ")
		} else {
			p.lit(", ")
		}
	}
	switch s.month {
	case styleNone:
		looseLayout(p, s)
	case styleNumeric, style2Digit:
		numericLayout(p, s)
	default:
		textLayout(p, s)
	}
	if s.weekday != 0 && s.day == 0 {
		if len(*p) > 0 {
			p.lit(" ")
		}
		p.add(fieldWeekday, s.weekday)
	}
}

// looseLayout lays out dates without a month.
func looseLayout(p *pattern, s *settings) {
	if s.day != 0 {
		p.add(fieldDay, s.day)
		if s.weekday != 0 && s.locale == localeUS {
			p.lit(" ")
			p.add(fieldWeekday, s.weekday)
		}
		if s.year != 0 {
			p.lit(" ")
		}
	}
	if s.year != 0 {
		p.add(fieldYear, s.year)
	}
}

// numericLayout lays out dates like 1/9/2024, 09/01/2024 and 2024-01-09.
func numericLayout(p *pattern, s *settings) {
	month, day := s.month, s.day
	// Britain and Canada write two digits, unless exactly one of day and month
	// was asked for in two.
	if s.locale != localeUS && (s.weekday != 0 || month == day || day == 0) {
		if day != 0 || s.year != 0 {
			month = style2Digit
		}
		if day != 0 {
			day = style2Digit
		}
	}
	order, separator := [3]field{fieldMonth, fieldDay, fieldYear}, "/"
	switch s.locale {
	case localeGB:
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
			st = s.year
		}
		if st == styleNone {
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
func textLayout(p *pattern, s *settings) {
	if s.day != 0 && s.locale == localeGB {
		p.add(fieldDay, s.day)
		p.lit(" ")
	}
	p.add(fieldMonth, s.month)
	if s.day != 0 && s.locale != localeGB {
		p.lit(" ")
		p.add(fieldDay, s.day)
		if s.year != 0 {
			p.lit(", ")
			p.add(fieldYear, s.year)
		}
		return
	}
	if s.year != 0 {
		p.lit(" ")
		p.add(fieldYear, s.year)
	}
}

func timeLayout(p *pattern, s *settings) {
	hasSecond := s.second != 0 || s.fraction > 0 && s.minute != 0
	if s.hour != 0 {
		p.add(fieldHour, hourStyle(s))
	}
	if s.minute != 0 {
		st := style2Digit
		if s.hour != 0 {
			p.lit(":")
		} else if !hasSecond {
			st = styleNumeric
		}
		p.add(fieldMinute, st)
	}
	if hasSecond {
		st := styleNumeric
		switch {
		case s.minute != 0:
			st = style2Digit
			p.lit(":")
		case s.hour != 0:
			p.lit(" ")
		}
		p.add(fieldSecond, st)
	}
	if s.fraction > 0 {
		switch {
		case hasSecond:
			p.lit(".")
		case s.hour != 0:
			p.lit(" ")
		}
		p.add(fieldFraction, style(s.fraction))
	}
	if s.hour != 0 && s.hours.halfDays() {
		p.lit(narrowSpace)
		p.add(fieldDayPeriod, styleNone)
	}
}

// hourStyle says how an hour is written. A 24 hour clock shows two digits. In
// Britain it shows what was asked for when CLDR's own pattern does not fit the
// rest: everything else in two digits, or seconds with a zone's name.
func hourStyle(s *settings) style {
	if s.hour == style2Digit || s.hours.halfDays() {
		return s.hour
	}
	asAsked := false
	switch {
	case s.locale != localeGB:
	case s.zoneName != styleNone:
		asAsked = s.second != styleNone || s.fraction > 0
	case !onlyWeekday(s) && s.minute == style2Digit:
		asAsked = s.second == style2Digit || s.second == styleNone && s.fraction == 0
	}
	if asAsked {
		return s.hour
	}
	return style2Digit
}

// onlyWeekday reports whether the date is just a weekday.
func onlyWeekday(s *settings) bool {
	return s.weekday != 0 && s.year|s.month|s.day == 0
}
