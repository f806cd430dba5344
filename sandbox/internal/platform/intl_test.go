package platform_test

import (
	"errors"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/platform"
)

// What is on purpose not as in Node 20: see the package comment.
func TestDepartures(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"no time zone is UTC", "return new Intl.DateTimeFormat().resolvedOptions().timeZone", `"UTC"`},
		{"hour12 false: midnight is 00", "return new Intl.DateTimeFormat('en-US', {hour: '2-digit', minute: '2-digit', hour12: false}).format(0)", `"00:00"`},
		{"hour12 false: h23", "var o = new Intl.DateTimeFormat('en-US', {hour: 'numeric', hour12: false, hourCycle: 'h12'}).resolvedOptions(); return [o.hourCycle, o.hour12]", `["h23",false]`},
		{"hour12 true: midnight is 12", "return new Intl.DateTimeFormat('en-GB', {hour: 'numeric', hour12: true}).format(0)", `"12 am"`},
		{"a zone keeps its name", "return new Intl.DateTimeFormat('en', {timeZone: 'asia/kolkata'}).resolvedOptions().timeZone", `"Asia/Kolkata"`},
		{"other locales fall back", "return ['de-DE', 'ko', 'en-AU', 'en-GB-oxendict', 'zh-Hant-TW'].map(function (l) { return new Intl.DateTimeFormat(l).resolvedOptions().locale })", `["en-US","en-US","en","en-GB","en-US"]`},
		{"month and weekday", "return new Intl.DateTimeFormat('en-US', {month: 'long', weekday: 'short'}).format(0)", `"January Thu"`},
		{"year and day", "return new Intl.DateTimeFormat('en-GB', {year: 'numeric', day: 'numeric', weekday: 'short'}).format(0)", `"Thu 1 1970"`},
		{"hour and second", "return new Intl.DateTimeFormat('en-US', {hour: 'numeric', second: 'numeric', fractionalSecondDigits: 1}).format(7250)", `"12 7.2 AM"`},
		{"hour and fraction", "return new Intl.DateTimeFormat('en-GB', {hour: 'numeric', fractionalSecondDigits: 3}).format(7250)", `"00 250"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := run(t, nil, c.body)
			require.NoError(t, err)
			assert.Equal(t, c.want, normalSpaces(got))
		})
	}
}

func normalSpaces(s string) string {
	out := []rune(s)
	for i, r := range out {
		if r == '\u202f' {
			out[i] = ' '
		}
	}
	return string(out)
}

func TestUnsupportedOptionsAreRefused(t *testing.T) {
	for _, option := range []string{
		"era: 'short'", "dayPeriod: 'long'", "calendar: 'buddhist'", "numberingSystem: 'arab'",
		"timeZoneName: 'shortGeneric'", "timeZoneName: 'longGeneric'",
	} {
		got := mustRun(t, nil, "try { new Intl.DateTimeFormat('en', {"+option+"}) } catch (e) { return [e.name, /not supported here/.test(e.message)] }")
		assert.Equal(t, `["RangeError",true]`, got, option)
	}
	assert.Equal(t, `"1/1/1970"`, mustRun(t, nil, "return new Intl.DateTimeFormat('en', {calendar: 'gregory', numberingSystem: 'latn', localeMatcher: 'lookup', formatMatcher: 'basic'}).format(0)"))
}

func TestOptionsAreReadOnceInTheOrderOfTheStandard(t *testing.T) {
	got := mustRun(t, nil, `var seen = [];
		new Intl.DateTimeFormat('en', new Proxy({}, {get: function (o, name) { seen.push(name) }}));
		return seen.join(' ')`)
	assert.Equal(t, `"localeMatcher calendar numberingSystem hour12 hourCycle timeZone weekday era year month day dayPeriod `+
		`hour minute second fractionalSecondDigits timeZoneName formatMatcher dateStyle timeStyle"`, got)
}

// Hostile arguments end in an exception of the script, never in a panic of ours.
func TestHostileArguments(t *testing.T) {
	for _, body := range []string{
		"new Intl.DateTimeFormat('en', {timeZone: 'A'.repeat(1 << 26)})",
		"new Intl.DateTimeFormat('a'.repeat(1 << 26))",
		"new Intl.DateTimeFormat({length: 1e9})",
		"new Intl.DateTimeFormat({length: 2, get 0() { throw new Error('mine') }})",
		"new Intl.DateTimeFormat([Symbol('x')])",
		"new Intl.DateTimeFormat([{toString: function () { throw new Error('mine') }}])",
		"new Intl.DateTimeFormat(Symbol.iterator, {timeZone: Symbol('x')})",
		"new Intl.DateTimeFormat('en', {month: Symbol('x')})",
		"new Intl.DateTimeFormat('en', {month: {toString: function () { return {} }, valueOf: function () { return {} }}})",
		"new Intl.DateTimeFormat('en', {fractionalSecondDigits: 1n})",
		"new Intl.DateTimeFormat('en', {fractionalSecondDigits: Symbol('x')})",
		"new Intl.DateTimeFormat('en', new Proxy({}, {get: function () { throw new Error('mine') }}))",
		"new Intl.DateTimeFormat(new Proxy([], {get: function () { throw new Error('mine') }}))",
		"new Intl.DateTimeFormat().format(1n)",
		"new Intl.DateTimeFormat().format(Symbol('x'))",
		"new Intl.DateTimeFormat().format({[Symbol.toPrimitive]: function () { return Symbol('x') }})",
		"new Intl.DateTimeFormat().format(Infinity)",
		"new Intl.DateTimeFormat().format({})",
		"new Intl.DateTimeFormat('en-')", "new Intl.DateTimeFormat('-en')", "new Intl.DateTimeFormat('en-u')", "new Intl.DateTimeFormat('latn')",
		"new Intl.DateTimeFormat('e1')", "new Intl.DateTimeFormat('en-toolongsubtag')", "new Intl.DateTimeFormat('日本')",
		"Reflect.construct(Intl.DateTimeFormat, [], 1)",
		"Intl.DateTimeFormat.call(null, 'en', null)",
	} {
		_, err := run(t, nil, "return "+body)
		var thrown *goja.Exception
		if assert.ErrorAs(t, err, &thrown, body) {
			assert.Less(t, len(thrown.Error()), 1000, "a long argument does not come back in the message")
		}
	}
	assert.Equal(t, `"1/1/1970"`, mustRun(t, nil, "return new Intl.DateTimeFormat({length: -1}).format({[Symbol.toPrimitive]: function () { return 0 }})"))
	assert.Equal(t, `"1/1/1970"`, mustRun(t, nil, "return new Intl.DateTimeFormat([,,]).format(0)"))
	assert.Equal(t, `"1/1/1970"`, mustRun(t, nil, "return new Intl.DateTimeFormat(true, 7).format(0)"))
}

func TestNumberFormsThatAreNotSupported(t *testing.T) {
	for _, option := range []string{"notation: 'compact'", "style: 'unit', unit: 'liter'"} {
		got := mustRun(t, nil, "try { new Intl.NumberFormat('en', {"+option+"}) } catch (e) { return [e.name, /not supported here/.test(e.message)] }")
		assert.Equal(t, `["RangeError",true]`, got, option)
	}
}

func TestSubclassAndCall(t *testing.T) {
	got := mustRun(t, nil, `class F extends Intl.DateTimeFormat { constructor() { super('en-GB', {timeZone: 'UTC'}) } hi() { return this.format(0) } }
		var g = Intl.DateTimeFormat.call({}, 'en-CA');
		return [new F().hi(), new F() instanceof F, new F() instanceof Intl.DateTimeFormat, g instanceof Intl.DateTimeFormat, g.format(0)]`)
	assert.Equal(t, `["01/01/1970",true,true,true,"1970-01-01"]`, got)
}

func TestZonesOptionIsAskedOnceByProperName(t *testing.T) {
	var asked []string
	opts := &platform.Options{Zones: func(name string) (*time.Location, error) {
		asked = append(asked, name)
		return time.LoadLocation(name)
	}}
	mustRun(t, opts, `['europe/PARIS', 'Europe/Paris', 'UTC', 'etc/gmt'].forEach(function (z) { new Intl.DateTimeFormat('en', {timeZone: z}).format(0) })`)
	assert.Equal(t, []string{"Europe/Paris"}, asked)
}

func TestZonesFailureIsARangeError(t *testing.T) {
	for name, zones := range map[string]func(string) (*time.Location, error){
		"error": func(string) (*time.Location, error) { return nil, errors.New("no such file /etc/secret") },
		"nil":   func(string) (*time.Location, error) { return nil, nil },
	} {
		got := mustRun(t, &platform.Options{Zones: zones}, "try { new Intl.DateTimeFormat('en', {timeZone: 'Europe/Paris'}) } catch (e) { return String(e) }")
		assert.Equal(t, `"RangeError: Invalid time zone specified: Europe/Paris"`, got, name)
	}
}
