package toolspec_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

func TestIconCheck(t *testing.T) {
	for name, test := range map[string]struct {
		icon toolspec.Icon
		bad  string
	}{
		"https":       {toolspec.Icon{Src: "https://example.com/a.png", Sizes: []string{"48x48"}}, ""},
		"data":        {toolspec.Icon{Src: "data:image/png;base64,AAAA", Theme: "dark"}, ""},
		"http":        {toolspec.Icon{Src: "http://example.com/a.png"}, "https"},
		"script":      {toolspec.Icon{Src: "javascript:alert(1)"}, "https"},
		"no host":     {toolspec.Icon{Src: "https:///a.png"}, "https"},
		"empty":       {toolspec.Icon{}, "https"},
		"no URL":      {toolspec.Icon{Src: "https://\x7f" + strings.Repeat("é", 100)}, "…"},
		"wrong theme": {toolspec.Icon{Src: "data:,x", Theme: "blue"}, "theme"},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.icon.Check()
			if test.bad == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, test.bad)
			}
		})
	}
}

func TestFuncHasIcons(t *testing.T) {
	fn := func(context.Context, struct{}) (string, error) { return "", nil }
	icons := []toolspec.Icon{{Src: "data:,x"}}
	tool, err := toolspec.Func("one", "", fn, &toolspec.FuncOptions{Icons: icons})
	require.NoError(t, err)
	assert.Equal(t, icons, tool.Definition().Icons)
	_, err = toolspec.Func("one", "", fn, &toolspec.FuncOptions{Icons: []toolspec.Icon{{Src: "file:///etc/passwd"}}})
	assert.ErrorContains(t, err, "icon")
}
