package parser_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// call calls safety.parser.<name> and gives the JSON of the result, false when
// it was refused. Any other failure ends the test.
func call(t *testing.T, vm *goja.Runtime, name string, args ...goja.Value) (string, bool) {
	t.Helper()
	fn, _ := goja.AssertFunction(vm.Get("safety").ToObject(vm).Get("parser").ToObject(vm).Get(name))
	v, err := fn(goja.Undefined(), args...)
	if err != nil {
		require.Equal(t, "HELPER_RUNTIME "+name+" parse-failed", failure(t, err))
		return "", false
	}
	return jsonOf(t, vm, v), true
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2", "\"a\"\"\",\r\n\rb", "\"", ",,\n,", "\ufeffa", "a\"b"} {
		f.Add(s)
	}
	vm := runtime(f, nil)
	f.Fuzz(func(t *testing.T, text string) {
		before, ok := call(t, vm, "csv", vm.ToValue(text))
		if !ok {
			return
		}
		// Written again, all that was read is read again.
		records, err := vm.RunString("P.csv")
		require.NoError(t, err)
		parse, _ := goja.AssertFunction(records)
		v, err := parse(goja.Undefined(), vm.ToValue(text))
		require.NoError(t, err)
		var cells [][]string
		require.NoError(t, vm.ExportTo(v, &cells))
		for _, row := range cells {
			for i, cell := range row {
				row[i] = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
			}
		}
		var b strings.Builder
		for _, row := range cells {
			b.WriteString(strings.Join(row, ",") + "\n")
		}
		after, ok := call(t, vm, "csv", vm.ToValue(b.String()))
		require.True(t, ok)
		assert.Equal(t, before, after)
		// What the standard library takes means the same here.
		if !strings.Contains(text, "\r") && !strings.Contains(text, "\ufeff") {
			r := csv.NewReader(strings.NewReader(text))
			r.FieldsPerRecord = -1
			if theirs, err := r.ReadAll(); err == nil && strings.ToValidUTF8(text, "") == text {
				assert.Equal(t, len(theirs), len(cells))
			}
		}
	})
}

func FuzzXML(f *testing.F) {
	for _, s := range []string{"<a b='c'>d<e/></a>", "<?xml version='1.0'?><a>&#65;<![CDATA[x]]></a>", "<!DOCTYPE a>", "<a:b xmlns:a=''/>", "<a><!-- - --></a>"} {
		f.Add(s)
	}
	vm := runtime(f, nil)
	f.Fuzz(func(t *testing.T, text string) { call(t, vm, "xml", vm.ToValue(text)) })
}

func FuzzYAML(f *testing.F) {
	for _, s := range []string{"a: &x [1, *x]", "- !!str 1\n- <<: {a: b}", "? a\n: |\n  x\n", "%TAG ! a\n--- !b", "2024-01-02 03:04:05.6 +7", "{a, [b]: c}", "<<: [{a: b}, {c: d}]", "0x_1_", "\"\\x41\\", "a: b: c", "#\n---\n..."} {
		f.Add(s)
	}
	vm := runtime(f, nil)
	f.Fuzz(func(t *testing.T, text string) { call(t, vm, "yaml", vm.ToValue(text)) })
}

func FuzzHTML(f *testing.F) {
	for _, s := range []string{"<p>a<table>b<tr><td>c", "<svg><title>x", "<a><b><p></a>", "<template><td>", "<!doctype x><frameset>", "<select><option>a<hr>"} {
		f.Add(s, "p:contains(a), *:has(> b)")
	}
	vm := runtime(f, nil)
	check, err := vm.RunString(`(function (text, css) {
		const d = P.html(text, 'http://h.test/');
		d.head(); d.text(); d.body().text();
		let all;
		try { all = d.select(css) } catch (e) { if (e.reason !== 'invalid-selector') throw e; return }
		for (const e of all) { e.text(); e.outerHtml(); e.absUrl('href'); e.append(text.slice(0, 50)); e.before('x'); e.ownText(); e.parent() }
		d.outerHtml();
	})`)
	if err != nil {
		f.Fatal(err)
	}
	fn, _ := goja.AssertFunction(check)
	f.Fuzz(func(t *testing.T, text, css string) {
		if len(text) > 2000 {
			return
		}
		if _, err := fn(goja.Undefined(), vm.ToValue(text), vm.ToValue(css)); err != nil {
			reason := failure(t, err)
			assert.True(t, strings.HasPrefix(reason, "HELPER_RUNTIME html "), "%s: %v", reason, err)
		}
	})
}
