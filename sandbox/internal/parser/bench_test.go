package parser_test

import (
	"strings"
	"testing"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/internal/parser"
)

// BenchmarkInstall is what a run pays that does not use the parsers.
func BenchmarkInstall(b *testing.B) {
	b.ReportAllocs()
	vm := goja.New()
	for b.Loop() {
		if err := parser.Install(vm, vm.NewObject(), nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirstUse is what the first touch costs.
func BenchmarkFirstUse(b *testing.B) {
	b.ReportAllocs()
	vm := goja.New()
	for b.Loop() {
		parser.Object(vm, nil)
	}
}

func BenchmarkScript(b *testing.B) {
	rows := strings.Repeat(`1234,"some, text",x,y`+"\n", 1000)
	cases := map[string]struct{ text, code string }{
		"csv 1000 rows":       {rows, `P.csv(text).length`},
		"csv header":          {"a,b,c,d\n" + rows, `P.csv(text, {header: true}).length`},
		"xml 1000 elements":   {"<r>" + strings.Repeat(`<row id="1"><name>x</name></row>`, 500) + "</r>", `P.xml(text).children.length`},
		"yaml 1000 entries":   {strings.Repeat("- name: x\n  size: 12\n", 500), `P.yaml(text).length`},
		"html 10000 elements": {strings.Repeat("<p>x</p>", 10000), `let n = 0; for (const e of P.html(text).select('p')) n += e.text().length`},
	}
	for name, c := range cases {
		b.Run(name, func(b *testing.B) {
			program := goja.MustCompile("", "(function () {"+c.code+"})()", true)
			b.ReportAllocs()
			for b.Loop() {
				vm := runtime(b, nil)
				if err := vm.Set("text", c.text); err != nil {
					b.Fatal(err)
				}
				if _, err := vm.RunProgram(program); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
