package platform_test

import (
	"math"
	"testing"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/internal/platform"
	"github.com/localpass/localpass/sandbox/internal/platform/intl"
)

// FuzzDateTimeFormat feeds the constructor any texts: it answers, or throws a
// RangeError or TypeError, and the parts are the text.
func FuzzDateTimeFormat(f *testing.F) {
	f.Add("en-US", "Europe/Paris", "month", "long", "hour", "2-digit", 0.0)
	f.Add("en-GB-u-hc-h12", "UTC", "timeStyle", "full", "dateStyle", "short", 1e12)
	f.Add("en-CA", "Asia/Kolkata", "timeZoneName", "long", "fractionalSecondDigits", "2", -62198755200000.0)
	f.Add("x-y", "../..", "hour12", "", "hourCycle", "h24", 8.64e15)
	f.Add("", "Local", "era", "short", "second", "numeric", 1e300)
	var zones intl.Zones
	f.Fuzz(func(t *testing.T, locale, zone, name1, value1, name2, value2 string, date float64) {
		vm := goja.New()
		platform.Install(vm, &platform.Options{Zones: zones.Load})
		options := vm.NewObject()
		for _, p := range [...][2]string{{"timeZone", zone}, {name1, value1}, {name2, value2}} {
			if p[0] != "__proto__" {
				_ = options.Set(p[0], p[1])
			}
		}
		_ = vm.Set("locale", locale)
		_ = vm.Set("options", options)
		_ = vm.Set("date", date)
		v, err := vm.RunString(`(function () {
			try {
				var f = new Intl.DateTimeFormat(locale, options);
				var parts = f.formatToParts(date).map(function (p) { return p.value }).join('').replace(/\u202f/g, ' ');
				f.resolvedOptions();
				return parts === f.format(date) ? '' : parts + ' | ' + f.format(date);
			} catch (e) {
				return e instanceof RangeError || e instanceof TypeError ? '' : String(e);
			}
		})()`)
		if err != nil {
			t.Fatal(err)
		}
		if v.String() != "" {
			t.Fatal(v.String())
		}
	})
}

// FuzzURL parses any text: what comes out parses to itself, alone and behind
// each of its setters, and the parts make the whole.
func FuzzURL(f *testing.F) {
	for _, s := range [][3]string{
		{"http://user:pass@example.com:8080/a/../b?x=1#y", "", "x"}, {"//h/p", "file:///C:/a", "/.."}, {"a b?c d#e f", "foo://h/p", ""},
		{"http://[::ffff:1.2.3.4]/", "", "1.2.3"}, {"http://münchen.de/%zz", "", "[::1]:80"}, {"foo:/..//x", "", "//"}, {"blob:http://a/b", "", ":"},
		{"mailto:x y ", "", "#"}, {"file:c|/../x", "", "C|"}, {"http://0x7f.1", "http://h", "65536"}, {"non-special://a?b", "", "\\"}, {"http://xn--/", "", "\t"},
	} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, input, base, value string) {
		vm := goja.New()
		platform.Install(vm, nil)
		_ = vm.Set("input", input)
		_ = vm.Set("base", base)
		_ = vm.Set("value", value)
		v, err := vm.RunString(`(function () {
			var u;
			try { u = base === '' ? new URL(input) : new URL(input, base) } catch (e) { return e instanceof TypeError ? '' : String(e) }
			function check(u, what) {
				var again;
				try { again = new URL(u.href) } catch (e) { return what + ' does not parse: ' + u.href }
				for (var part of ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash', 'origin'])
					if (again[part] !== u[part]) return what + ' ' + part + ': ' + u.href + ' | ' + u[part] + ' | ' + again[part];
				return '';
			}
			var bad = check(u, 'parsed');
			for (var part of ['protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash']) {
				var changed = new URL(u.href);
				changed[part] = value;
				bad = bad || check(changed, part + '=');
			}
			var params = new URLSearchParams(value);
			if (new URLSearchParams(params.toString()).toString() !== params.toString()) return 'parameters ' + params;
			return bad;
		})()`)
		if err != nil {
			t.Fatal(err)
		}
		if v.String() != "" {
			t.Fatal(v.String())
		}
	})
}

// FuzzAtob decodes any text: it refuses it, or gives what btoa makes into the
// same bytes again.
func FuzzAtob(f *testing.F) {
	for _, s := range []string{"", "YQ==", "YQ", "YR==", " Y W J j\n", "====", "a", "\u20ac", "YQ\x00=", "-_", "Zm9vYmE="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, input string) {
		vm := goja.New()
		platform.Install(vm, nil)
		_ = vm.Set("input", input)
		v, err := vm.RunString(`(function () {
			var raw;
			try { raw = atob(input) } catch (e) { return e.name === 'SafetyError' ? '' : String(e) }
			return atob(btoa(raw)) === raw ? '' : 'not the same';
		})()`)
		if err != nil {
			t.Fatal(err)
		}
		if v.String() != "" {
			t.Fatal(v.String())
		}
	})
}

// FuzzNumberFormat formats any number with any options: it answers, or throws a
// RangeError or TypeError, and the parts are the text.
func FuzzNumberFormat(f *testing.F) {
	f.Add(1234.5678, "12345678901234567890.5", "en-US", "style", "percent", "notation", "compact", 2, 5)
	f.Add(math.Copysign(0, -1), "-1e-400", "de-DE", "currency", "EUR", "style", "currency", 0, 0)
	f.Add(9.5e300, "Infinity", "en-GB", "unit", "kilometer", "style", "unit", 21, 1)
	f.Add(0.005, "0x1f", "ja", "compactDisplay", "long", "notation", "compact", 100, 100)
	f.Add(999999.5, "1e9999999999", "ko", "signDisplay", "exceptZero", "roundingMode", "halfEven", 1, 3)
	f.Add(1e21, "", "x", "useGrouping", "min2", "notation", "engineering", -1, 200)
	f.Fuzz(func(t *testing.T, number float64, text, locale, name1, value1, name2, value2 string, low, high int) {
		vm := goja.New()
		platform.Install(vm, nil)
		options := vm.NewObject()
		for _, p := range [...][2]string{{name1, value1}, {name2, value2}} {
			if p[0] != "__proto__" {
				_ = options.Set(p[0], p[1])
			}
		}
		_ = vm.Set("locale", locale)
		_ = vm.Set("options", options)
		_ = vm.Set("values", []any{number, text})
		_ = vm.Set("low", low)
		_ = vm.Set("high", high)
		v, err := vm.RunString(`(function () {
			var all = [options, Object.assign({ minimumFractionDigits: low, maximumFractionDigits: high }, options),
				Object.assign({ minimumSignificantDigits: low, maximumSignificantDigits: high }, options)];
			for (var o of all) {
				try {
					var f = new Intl.NumberFormat(locale, o);
					for (var i = 0; i < 2; i++) {
						var parts = f.formatToParts(values[i]).map(function (p) { return p.value }).join('');
						if (parts !== f.format(values[i])) return parts + ' | ' + f.format(values[i]);
						if (parts === '') return 'nothing';
					}
					f.resolvedOptions();
				} catch (e) {
					if (!(e instanceof RangeError || e instanceof TypeError)) return String(e);
				}
			}
			return '';
		})()`)
		if err != nil {
			t.Fatal(err)
		}
		if v.String() != "" {
			t.Fatal(v.String())
		}
	})
}
