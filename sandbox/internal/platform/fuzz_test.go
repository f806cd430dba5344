package platform_test

import (
	"testing"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/internal/platform"
)

// FuzzDateTimeFormat feeds the constructor any texts: it answers, or throws a
// RangeError or TypeError, and the parts are the text.
func FuzzDateTimeFormat(f *testing.F) {
	f.Add("en-US", "Europe/Paris", "month", "long", "hour", "2-digit", 0.0)
	f.Add("en-GB-u-hc-h12", "UTC", "timeStyle", "full", "dateStyle", "short", 1e12)
	f.Add("en-CA", "Asia/Kolkata", "timeZoneName", "long", "fractionalSecondDigits", "2", -62198755200000.0)
	f.Add("x-y", "../..", "hour12", "", "hourCycle", "h24", 8.64e15)
	f.Add("", "Local", "era", "short", "second", "numeric", 1e300)
	var zones platform.Zones
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
