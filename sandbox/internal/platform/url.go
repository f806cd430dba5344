package platform

import (
	"strconv"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/sandbox/internal/platform/weburl"

	"github.com/dop251/goja"
)

// urlObject is the state of a URL object. The object of its search parameters is created
// on first use.
type urlObject struct {
	record *weburl.URL
	params *goja.Object
	list   *paramList
}

func (p *host) newURL() goja.Value { return p.urlClass().ctor }

func (p *host) urlClass() *class {
	if p.urls != nil {
		return p.urls
	}
	c := p.class("URL", 1, false, func(call goja.ConstructorCall) any {
		if len(call.Arguments) == 0 {
			panic(p.typeError("The \"url\" argument must be specified"))
		}
		return &urlObject{record: p.mustParse(call.Argument(0), call.Argument(1))}
	})
	p.urls = c
	for _, part := range [...]struct {
		name string
		get  func(*weburl.URL) string
	}{
		{"protocol", func(u *weburl.URL) string { return u.Scheme + ":" }},
		{"username", func(u *weburl.URL) string { return u.Username }},
		{"password", func(u *weburl.URL) string { return u.Password }},
		{"host", (*weburl.URL).Host},
		{"hostname", (*weburl.URL).Hostname},
		{"port", (*weburl.URL).Port},
		{"pathname", (*weburl.URL).Pathname},
		{"search", (*weburl.URL).Search},
		{"hash", (*weburl.URL).Hash},
	} {
		c.getter(part.name, func(call goja.FunctionCall) goja.Value {
			return p.vm.ToValue(part.get(receiver[urlObject](p, call, "URL").record))
		}, func(call goja.FunctionCall) goja.Value {
			u := receiver[urlObject](p, call, "URL")
			u.record.Set(part.name, p.urlText(call.Argument(0)))
			if part.name == "search" {
				u.updateList()
			}
			return goja.Undefined()
		})
	}
	href := func(call goja.FunctionCall) goja.Value {
		return p.vm.ToValue(receiver[urlObject](p, call, "URL").record.Href())
	}
	c.getter("href", href, func(call goja.FunctionCall) goja.Value {
		u := receiver[urlObject](p, call, "URL")
		u.record = p.mustParse(call.Argument(0), goja.Undefined())
		u.updateList()
		return goja.Undefined()
	})
	c.getter("origin", func(call goja.FunctionCall) goja.Value {
		return p.vm.ToValue(receiver[urlObject](p, call, "URL").record.Origin())
	}, nil)
	c.getter("searchParams", func(call goja.FunctionCall) goja.Value {
		return p.searchParams(receiver[urlObject](p, call, "URL"))
	}, nil)
	c.method("toString", 0, href)
	c.method("toJSON", 0, href)
	static := func(name string, f func(goja.FunctionCall) goja.Value) {
		p.check(c.ctor.DefineDataProperty(name, p.freeze(p.function(name, 1, f)), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
	}
	static("canParse", func(call goja.FunctionCall) goja.Value {
		if len(call.Arguments) == 0 {
			panic(p.typeError("The \"url\" argument must be specified"))
		}
		record, _ := p.parse(call.Argument(0), call.Argument(1))
		return p.vm.ToValue(record != nil)
	})
	static("parse", func(call goja.FunctionCall) goja.Value {
		if len(call.Arguments) == 0 {
			panic(p.typeError("The \"url\" argument must be specified"))
		}
		record, _ := p.parse(call.Argument(0), call.Argument(1))
		if record == nil {
			return goja.Null()
		}
		return c.create(&urlObject{record: record})
	})
	c.done("URL")
	return c
}

// updateList sets the search parameters to the pairs of a new query.
func (u *urlObject) updateList() {
	if u.list == nil {
		return
	}
	query := ""
	if u.record.Query != nil {
		query = *u.record.Query
	}
	u.list.pairs = parseForm(query)
}

// urlText converts v to a string without lone surrogates, and checks its length against
// the limit.
func (p *host) urlText(v goja.Value) string {
	s := p.stringOf(v)
	if s.Length() > p.Limits.URLLength {
		panic(p.failure(&Failure{kindLimit, "URL", "too-long",
			"a URL of " + strconv.Itoa(s.Length()) + " characters; the limit is " + strconv.Itoa(p.Limits.URLLength)}))
	}
	return s.String()
}

// stringOf converts v as ToString does.
func (p *host) stringOf(v goja.Value) goja.String {
	if s, ok := v.(goja.String); ok {
		return s
	}
	if _, symbol := v.(*goja.Symbol); symbol {
		panic(p.typeError("Cannot convert a Symbol value to a string"))
	}
	switch s := v.ToString().(type) {
	case goja.String:
		return s
	case *goja.Symbol: // returned by the toString of an object
		panic(p.typeError("Cannot convert a Symbol value to a string"))
	default:
		return p.vm.ToValue(s.String()).(goja.String)
	}
}

// parse reads the arguments of the constructor. If they are not a valid URL, record is
// nil and text is for the message.
func (p *host) parse(input, base goja.Value) (record *weburl.URL, text string) {
	text = p.urlText(input)
	var from *weburl.URL
	if !goja.IsUndefined(base) {
		if from = weburl.Parse(p.urlText(base), nil); from == nil {
			return nil, text
		}
	}
	return weburl.Parse(text, from), text
}

func (p *host) mustParse(input, base goja.Value) *weburl.URL {
	record, text := p.parse(input, base)
	if record != nil {
		return record
	}
	e := p.vm.NewTypeError("%s", "Invalid URL")
	p.check(e.DefineDataProperty("code", p.vm.ToValue("ERR_INVALID_URL"), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
	p.check(e.DefineDataProperty("input", p.vm.ToValue(clip.To(text, 100)), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
	panic(e)
}
