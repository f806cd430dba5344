package prompt_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/prompt"
)

func TestRender(t *testing.T) {
	for _, c := range []struct {
		name, tpl     string
		values        map[string]string
		strict, loose string
	}{
		{"value", "Hi {{name}}", map[string]string{"name": "Ann"}, "Hi Ann", "Hi Ann"},
		{"default", "Hi {{name=friend}}", nil, "Hi friend", "Hi friend"},
		{"single braces", `{"a": 1} {x} {{x=2}}`, nil, `{"a": 1} {x} 2`, `{"a": 1} {x} 2`},
		{"later bare occurrence", "{{d=Go}} and {{d}}", nil, "Go and Go", "Go and "},
		{"no second pass", "{{a}}", map[string]string{"a": "{{b}}"}, "{{b}}", "{{b}}"},
		{"no clamping", "{{n:number(1,5)=3}}", map[string]string{"n": "99"}, "99", "99"},
		{"spaces inside", "{{ a }}", map[string]string{"a": "1"}, "{{ a }}", "{{ a }}"},
		{"blank template", " \n", map[string]string{"a": "1"}, "", ""},
		{"blank value", "{{a=x}}", map[string]string{"a": "  "}, "x", "x"},
		{"own default wins", "{{a=x}}{{a=y}}", nil, "xy", "xy"},
		{"empty default", "[{{a=}}]", nil, "[]", "[]"},
		{"later bare after empty", "[{{a=}}{{a}}]", nil, "[]", "[]"},
		{"escape", `\{{a}} {{a}}`, map[string]string{"a": "1"}, "{{a}} 1", `\1 1`},
		{"letters", "{{größe=7}}", nil, "7", "{{größe=7}}"},
		{"missing", "[{{a}}]", nil, "[]", "[]"},
		{"three braces", "{{{a}}}", map[string]string{"a": "1"}, "{1}", "{1}"},
		{"args with braces", "{{a:select({x},y)=y}}", nil, "{{a:select({x},y)=y}}", "y"},
		{"args over lines", "{{a:select(x,\ny)=y}}", nil, "y", "y"},
		{"default with spaces", "{{f:select(markdown table,json)=markdown table}}", nil, "markdown table", "markdown table"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.strict, prompt.Render(c.tpl, c.values, nil), "strict")
			assert.Equal(t, c.loose, prompt.Render(c.tpl, c.values, &prompt.TemplateOptions{Loose: true}), "loose")
		})
	}
}

func TestVariables(t *testing.T) {
	text, five := "neutral", 5.0
	two, hundred := 2, 100.0
	for _, c := range []struct {
		tpl  string
		want []prompt.VariableSpec
	}{
		{"{{a}} {{b:MULTILINE}} {{a:number}}", []prompt.VariableSpec{{Name: "a", Type: prompt.VarText}, {Name: "b", Type: prompt.VarMultiline}}},
		{"{{tone:select(formal, neutral,,casual)=neutral}}", []prompt.VariableSpec{
			{Name: "tone", Type: prompt.VarSelect, Options: []string{"formal", "neutral", "casual"}, Default: &text}}},
		{"{{n:number(5,100)}}", []prompt.VariableSpec{{Name: "n", Type: prompt.VarNumber, Min: &five, Max: &hundred}}},
		{"{{n:number(,100)}}", []prompt.VariableSpec{{Name: "n", Type: prompt.VarNumber, Max: &hundred}}},
		{"{{n:number(x,)}}", []prompt.VariableSpec{{Name: "n", Type: prompt.VarNumber}}},
		{"{{l:list(go,MAX=2,java)}}", []prompt.VariableSpec{{Name: "l", Type: prompt.VarList, Options: []string{"go", "java"}, Limit: &two}}},
		{"{{x:weird(1)}}", []prompt.VariableSpec{{Name: "x", Type: prompt.VarText}}},
		{`\{{x}}`, nil},
	} {
		assert.Equal(t, c.want, prompt.Variables(c.tpl, nil), c.tpl)
	}
}

func TestValidate(t *testing.T) {
	const tpl = "{{n:number(1,5)}} {{s:select(a,b)=a}} {{l:list(x,y,z,max=2)}} {{t}}"
	for _, c := range []struct {
		values map[string]string
		want   string // "" if the template is valid
	}{
		{nil, ""},
		{map[string]string{"n": "3", "s": "b", "l": "x, y", "t": "anything"}, ""},
		{map[string]string{"n": "0"}, `"n": 0 is less than 1`},
		{map[string]string{"n": "6"}, `"n": 6 is more than 5`},
		{map[string]string{"n": "NaN"}, `"n": "NaN" is no number`},
		{map[string]string{"s": "c"}, `"s": "c" is none of a, b`},
		{map[string]string{"l": "x,q"}, `"l": "q" is none of x, y, z`},
		{map[string]string{"l": "x,y,z"}, `"l": 3 are picked, and at most 2 may be`},
		{map[string]string{"q": "1"}, `the template has no variable "q"`},
	} {
		err := prompt.Validate(tpl, c.values, nil)
		if c.want == "" {
			assert.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, llm.ErrInvalid)
		assert.ErrorContains(t, err, c.want)
	}
}

func FuzzRender(f *testing.F) {
	for _, tpl := range []string{"Hi {{name=x}}", "{{a:list(b,max=2)=c}}", `\{{a}}`, "{{{a}}}", "{{a:number(1,2)}}{{", "{{a:select("} {
		f.Add(tpl, "a", "{{a}}", true)
	}
	f.Fuzz(func(t *testing.T, tpl, name, value string, loose bool) {
		opts := &prompt.TemplateOptions{Loose: loose}
		values := map[string]string{name: value}
		out := prompt.Render(tpl, values, opts)
		// Each occurrence, of five bytes at least, gives way to one value or default.
		most := len(tpl) + len(tpl)/5*len(value)
		for _, v := range prompt.Variables(tpl, opts) {
			if v.Default != nil {
				most += len(tpl) / 5 * len(*v.Default)
			}
		}
		if len(out) > most {
			t.Fatalf("%d bytes of a template of %d and a value of %d", len(out), len(tpl), len(value))
		}
		if !strings.Contains(tpl, "{{") && strings.TrimSpace(tpl) != "" && out != tpl {
			t.Fatal("a template without variables was changed")
		}
		_ = prompt.Validate(tpl, values, opts)
	})
}
