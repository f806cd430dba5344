package toolspec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

func TestStarter(t *testing.T) {
	spec, err := toolspec.Starter("myTool")
	require.NoError(t, err)
	assert.Empty(t, spec.Validate(true))
	assert.Empty(t, spec.Lint())
	assert.Equal(t, toolspec.L0, spec.Risk(nil).Level)
	assert.Len(t, spec.Tests, 2)
	assert.True(t, spec.Draft)
	docs, err := toolspec.Parse([]byte(save(t, spec)), &toolspec.ParseOptions{Strict: true})
	require.NoError(t, err)
	assert.Empty(t, docs[0].Problems)
	assert.Equal(t, spec.ContentHash(), docs[0].Spec.ContentHash())
	for _, line := range strings.Split(spec.Code, "\n") {
		assert.LessOrEqual(t, len(line), 100)
	}
	other, err := toolspec.Starter("a-B_9")
	require.NoError(t, err)
	assert.NotEqual(t, spec.ToolID, other.ToolID)
	other.Tests[0].Name = "changed"
	again, _ := toolspec.Starter("myTool")
	assert.Equal(t, spec.ContentHash(), again.ContentHash())
}

func TestStarterRefuses(t *testing.T) {
	for name, suggestion := range map[string]string{
		"": "myTool", "my tool": "myTool", "my.tool": "myTool", "2nd-try": "tool2ndTry", "../../etc/passwd": "etcPasswd", ".hidden": "hidden", "-rf": "rf", "_x": "x",
		"Größe messen": "grEMessen", "날씨": "myTool", "a/b": "aB", "x\x00y": "xY", "Get  the\nweather!": "getTheWeather",
		"one word after the other until there are more than sixty-four of them":  "oneWordAfterTheOtherUntilThereAreMoreThanSixtyFourOfThem",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": "myTool",
	} {
		spec, err := toolspec.Starter(name)
		assert.Nil(t, spec)
		if assert.Error(t, err, name) {
			assert.Contains(t, err.Error(), `such as "`+suggestion+`"`, name)
			_, err = toolspec.Starter(suggestion)
			assert.NoError(t, err, "what is suggested is taken")
		}
	}
}
