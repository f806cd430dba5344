package platform

import (
	"github.com/dop251/goja"
)

// listSettings is what a ListFormat was asked for. Lists are written in
// English, whatever the locale.
type listSettings struct {
	tag, kind, style string
	british          bool
}

// newListFormat makes Intl.ListFormat.
func (p *host) newListFormat() goja.Value {
	const name = "Intl.ListFormat"
	c := p.class("ListFormat", 0, false, func(call goja.ConstructorCall) any {
		tag := matchEnglish(p.locales(call.Argument(0)))
		r := p.options(call.Argument(1), name)
		r.text("localeMatcher", "lookup", "best fit")
		return &listSettings{tag: tag, british: tag == "en-GB",
			kind: r.choice("type", "conjunction", "disjunction", "unit"), style: r.choice("style", "long", "short", "narrow")}
	})
	p.intlMethod(c, "format", 1, func(call goja.FunctionCall) goja.Value {
		text := new(goja.StringBuilder)
		for _, one := range p.listParts(receiver[listSettings](p, call, name), call.Argument(0)) {
			text.WriteString(one.value)
		}
		return text.String()
	})
	p.intlMethod(c, "formatToParts", 1, func(call goja.FunctionCall) goja.Value {
		var out []any
		for _, one := range p.listParts(receiver[listSettings](p, call, name), call.Argument(0)) {
			o := p.vm.NewObject()
			p.check(o.Set("type", one.kind))
			p.check(o.Set("value", one.value))
			out = append(out, o)
		}
		return p.vm.NewArray(out...)
	})
	p.intlMethod(c, "resolvedOptions", 0, func(call goja.FunctionCall) goja.Value {
		s := receiver[listSettings](p, call, name)
		o := p.vm.NewObject()
		p.check(o.Set("locale", s.tag))
		p.check(o.Set("type", s.kind))
		p.check(o.Set("style", s.style))
		return o
	})
	p.supportedLocalesOf(c, func(tag string) bool { return languageOf(tag) == "en" })
	return c.done(name)
}

// matchEnglish picks the first of the tags that is one of the English locales.
func matchEnglish(tags []string) string {
	tag, _, _ := matchLocale(tags)
	return tag
}

type listPart struct {
	kind  string
	value goja.String
}

// listParts reads the items and puts the words between them.
func (p *host) listParts(s *listSettings, list goja.Value) []listPart {
	var items []goja.String
	if !goja.IsUndefined(list) {
		p.vm.ForOf(list, func(v goja.Value) bool {
			item, ok := v.(goja.String)
			if !ok {
				panic(p.typeError("Iterable yielded a value that is not a string"))
			}
			items = append(items, item)
			return true
		})
	}
	var out []listPart
	for i, item := range items {
		if i > 0 {
			between := s.between(i == len(items)-1, len(items))
			out = append(out, listPart{"literal", p.vm.ToValue(between).(goja.String)})
		}
		out = append(out, listPart{"element", item})
	}
	return out
}

// between is what stands between two items, and before the last one.
func (s *listSettings) between(last bool, items int) string {
	word := "and"
	switch {
	case s.kind == "unit" && s.style == "narrow":
		return " "
	case s.kind == "unit", s.kind == "conjunction" && s.style == "narrow", !last:
		return ", "
	case s.kind == "disjunction":
		word = "or"
	case s.style == "short" && !s.british:
		word = "&"
	}
	if items == 2 || s.british {
		return " " + word + " "
	}
	return ", " + word + " "
}
