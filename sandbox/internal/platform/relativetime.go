package platform

import (
	"strings"

	"github.com/dop251/goja"
)

// relativeSettings is what a RelativeTimeFormat was asked for. Times are
// written in English, whatever the locale.
type relativeSettings struct {
	tag, style string
	auto       bool
	number     numberSettings
}

// relativeUnit holds the names of a unit: one and many, long and short, and the
// letter of the narrow style.
type relativeUnit struct {
	name, short, shortMany, narrow string
}

var relativeUnits = [...]relativeUnit{
	{"second", "sec.", "sec.", "s"}, {"minute", "min.", "min.", "m"}, {"hour", "hr.", "hr.", "h"}, {"day", "day", "days", "d"},
	{"week", "wk.", "wk.", "w"}, {"month", "mo.", "mo.", "mo"}, {"quarter", "qtr.", "qtrs.", "q"}, {"year", "yr.", "yr.", "y"},
}

// newRelativeTimeFormat makes Intl.RelativeTimeFormat.
func (p *host) newRelativeTimeFormat() goja.Value {
	const name = "Intl.RelativeTimeFormat"
	c := p.class("RelativeTimeFormat", 0, false, func(call goja.ConstructorCall) any {
		s := &relativeSettings{tag: matchEnglish(p.locales(call.Argument(0)))}
		r := p.options(call.Argument(1), name)
		r.text("localeMatcher", "lookup", "best fit")
		r.latinDigits()
		s.style = r.choice("style", "long", "short", "narrow")
		s.auto = r.choice("numeric", "always", "auto") == "auto"
		s.number = numberSettings{locale: matchNumbers([]string{"en"}), style: "decimal", notation: "standard", grouping: "auto", signDisplay: "never",
			digits: digitSettings{minInteger: 1, maxFraction: 3, minSignificant: -1, maxSignificant: -1}}
		return s
	})
	parts := func(call goja.FunctionCall) ([]part, string) {
		s := receiver[relativeSettings](p, call, name)
		d := p.number(call.Argument(0))
		if d.nan || d.inf {
			panic(p.rangeError("Invalid value for Intl.RelativeTimeFormat"))
		}
		unit := p.text(call.Argument(1))
		for i := range relativeUnits {
			if u := &relativeUnits[i]; strings.TrimSuffix(unit, "s") == u.name {
				return s.parts(d, u), u.name
			}
		}
		panic(p.rangeError("Invalid unit argument for format() '" + cut(unit) + "'"))
	}
	p.intlMethod(c, "format", 2, func(call goja.FunctionCall) goja.Value {
		list, _ := parts(call)
		var b strings.Builder
		for _, one := range list {
			b.WriteString(one.text)
		}
		return p.vm.ToValue(b.String())
	})
	p.intlMethod(c, "formatToParts", 2, func(call goja.FunctionCall) goja.Value {
		list, unit := parts(call)
		out := make([]any, len(list))
		for i, one := range list {
			o := p.vm.NewObject()
			p.check(o.Set("type", one.kind))
			p.check(o.Set("value", one.text))
			if one.kind != "literal" {
				p.check(o.Set("unit", unit))
			}
			out[i] = o
		}
		return p.vm.NewArray(out...)
	})
	p.intlMethod(c, "resolvedOptions", 0, func(call goja.FunctionCall) goja.Value {
		s := receiver[relativeSettings](p, call, name)
		o := p.vm.NewObject()
		set := func(name string, v any) { p.check(o.Set(name, v)) }
		set("locale", s.tag)
		set("style", s.style)
		set("numeric", map[bool]string{true: "auto", false: "always"}[s.auto])
		set("numberingSystem", "latn")
		return o
	})
	p.supportedLocalesOf(c, func(tag string) bool { return languageOf(tag) == "en" })
	return c.done(name)
}

// parts writes how far away a time is.
func (s *relativeSettings) parts(d decimal, u *relativeUnit) []part {
	british := s.tag == "en-GB"
	if s.auto && (d.zero() || len(d.digits) == 1 && d.digits[0] == '1' && d.exponent == 1) {
		if word := s.word(&d, u); word != "" {
			return []part{{"literal", word}}
		}
	}
	past := d.negative
	number := s.number.parts(d)
	one := len(number) == 1 && number[0].text == "1"
	unit := " " + u.name
	switch {
	case s.style == "narrow" && !british:
		unit = u.narrow
	case s.style != "long" && (one || british && u.name == "quarter"):
		unit = " " + u.short
	case s.style != "long":
		unit = " " + u.shortMany
	case !one:
		unit += "s"
	}
	if british && s.style != "long" {
		unit = strings.TrimSuffix(unit, ".")
	}
	if past {
		return append(number, part{"literal", unit + " ago"})
	}
	return append(append([]part{{"literal", "in "}}, number...), part{"literal", unit})
}

// word is what a near time is called: yesterday, this week, now.
func (s *relativeSettings) word(d *decimal, u *relativeUnit) string {
	which := 1
	switch {
	case d.zero():
		which = 0
	case d.negative:
		which = -1
	}
	switch u.name {
	case "second", "minute", "hour":
		switch {
		case which != 0:
			return ""
		case u.name == "second":
			return "now"
		}
		return "this " + u.name
	case "day":
		return [...]string{"yesterday", "today", "tomorrow"}[which+1]
	}
	name := u.name
	if s.style != "long" {
		name = u.short
		if s.tag == "en-GB" && u.name != "quarter" {
			name = strings.TrimSuffix(name, ".")
		}
	}
	return [...]string{"last ", "this ", "next "}[which+1] + name
}
