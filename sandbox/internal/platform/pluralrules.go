package platform

import (
	"github.com/dop251/goja"
)

// pluralSettings is what a PluralRules was asked for.
type pluralSettings struct {
	locale  *numberTag
	ordinal bool
	digits  digitSettings
}

// newPluralRules makes Intl.PluralRules, for the languages of numbers.
func (p *host) newPluralRules() goja.Value {
	const name = "Intl.PluralRules"
	c := p.class("PluralRules", 0, false, func(call goja.ConstructorCall) any {
		s := &pluralSettings{locale: matchNumbers(p.locales(call.Argument(0)))}
		r := p.options(call.Argument(1), name)
		r.text("localeMatcher", "lookup", "best fit")
		s.ordinal = r.choice("type", "cardinal", "ordinal") == "ordinal"
		s.digits.read(r, 0, 3, false)
		return s
	})
	p.intlMethod(c, "select", 1, func(call goja.FunctionCall) goja.Value {
		s := receiver[pluralSettings](p, call, name)
		return p.vm.ToValue(pluralNames[s.category(p.number(call.Argument(0)))])
	})
	p.intlMethod(c, "resolvedOptions", 0, func(call goja.FunctionCall) goja.Value {
		s := receiver[pluralSettings](p, call, name)
		o := p.vm.NewObject()
		set := func(name string, v any) { p.check(o.Set(name, v)) }
		set("locale", s.locale.tag)
		kind := "cardinal"
		if s.ordinal {
			kind = "ordinal"
		}
		set("type", kind)
		s.digits.show(set)
		set("pluralCategories", p.textList(pluralsOf(s.locale.language(), s.ordinal)))
		s.digits.showRounding(set)
		return o
	})
	p.supportedLocalesOf(c, knownNumbers)
	return c.done(name)
}

func (s *pluralSettings) category(d decimal) plural {
	if d.nan || d.inf {
		return pluralOther
	}
	whole, fraction := s.digits.round(&d)
	if s.ordinal {
		return ordinal(s.locale.language(), whole, fraction)
	}
	return cardinal(s.locale.language(), whole, fraction, 0)
}

// number converts v as ToNumber does.
func (p *host) number(v goja.Value) decimal {
	if goja.IsBigInt(v) {
		panic(p.typeError("Cannot convert a BigInt value to a number"))
	}
	if _, symbol := v.(*goja.Symbol); symbol {
		panic(p.typeError("Cannot convert a Symbol value to a number"))
	}
	return floatDecimal(v.ToFloat())
}
