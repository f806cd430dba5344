package prompt_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/prompt"
	"github.com/localpass/localpass/persistence/memory"
)

func TestBuiltinPresets(t *testing.T) {
	count := map[prompt.PresetKind]int{}
	ids := map[string]bool{}
	for _, p := range prompt.BuiltinPresets() {
		count[p.Kind]++
		assert.False(t, ids[p.ID], p.ID)
		ids[p.ID] = true
		assert.NotEmpty(t, p.Name)
		assert.NotEmpty(t, p.Description)
		assert.False(t, strings.HasPrefix(p.ID, "user-"))
		assert.Equal(t, p.Kind == prompt.PresetTemplate, len(prompt.Variables(p.Prompt, nil)) > 0, p.ID)
		for _, tool := range p.Tools {
			_, err := os.Stat(filepath.Join("..", "..", "toolspec", "catalog", "specs", tool+".json"))
			assert.NoError(t, err, "%s offers %s", p.ID, tool)
		}
		if p.Kind == prompt.PresetTemplate {
			filled := prompt.Render(p.Prompt, map[string]string{}, nil)
			assert.NotContains(t, filled, "{{", p.ID)
		}
	}
	assert.Equal(t, map[prompt.PresetKind]int{prompt.PresetExample: 12, prompt.PresetTemplate: 6}, count)
}

func TestPresetID(t *testing.T) {
	seen := map[string]string{}
	for name, want := range map[string]string{
		"My preset":                    "user-my-preset",
		"  My  preset  ":               "user-my-preset",
		"나의 도우미":                       "user-나의-도우미",
		"我的助手":                         "user-我的助手",
		"Größe":                        "user-größe",
		"C":                            "user-c",
		"C++":                          "user-c-",
		"C#":                           "user-c-",
		"!!!":                          "user-",
		"a/b":                          "user-a-b-",
		"ＡＢＣ":                          "user-abc",
		"../../etc":                    "user-etc-",
		"x" + strings.Repeat("y", 100): "user-x",
	} {
		id := prompt.PresetID(name)
		assert.True(t, strings.HasPrefix(id, want), "%q gave %q", name, id)
		if strings.HasSuffix(want, "-") {
			assert.Regexp(t, `-[0-9a-f]{8}$`, id)
		}
		assert.NotContains(t, id, "/")
		if strings.TrimSpace(name) != "My  preset" { // which is meant to be the other one
			assert.Empty(t, seen[id], "%q and %q", name, seen[id])
			seen[id] = name
		}
	}
}

func TestPresets(t *testing.T) {
	ctx := t.Context()
	store := memory.New()
	p, err := prompt.NewPresets(store)
	require.NoError(t, err)
	saved, err := p.Save(ctx, prompt.Preset{Name: " Mine ", Prompt: "Be {{how=kind}}.", Tools: []string{"hash"}})
	require.NoError(t, err)
	assert.Equal(t, "user-mine", saved.ID)
	assert.Equal(t, prompt.PresetTemplate, saved.Kind)
	got, err := p.Get(ctx, "user-mine")
	require.NoError(t, err)
	assert.Equal(t, saved, got)
	_, err = p.Save(ctx, prompt.Preset{Name: "Mine", Prompt: "Be kind."})
	require.NoError(t, err)
	all, err := p.List(ctx)
	require.NoError(t, err)
	require.Len(t, all, 19)
	assert.Equal(t, "Be kind.", all[18].Prompt)
	assert.Equal(t, prompt.PresetExample, all[18].Kind)
	assert.True(t, all[18].Own)

	_, err = store.Put(ctx, "chat-presets", "user-broken", localpass.Document{Data: json.RawMessage(`"no preset"`)})
	require.NoError(t, err)
	all, err = p.List(ctx)
	assert.ErrorContains(t, err, `preset "user-broken" cannot be read`)
	assert.Len(t, all, 19, "what cannot be read hides nothing")

	builtin, err := p.Get(ctx, "translator")
	require.NoError(t, err)
	assert.False(t, builtin.Own)
	require.NoError(t, p.Delete(ctx, "user-mine"))
	assert.ErrorIs(t, p.Delete(ctx, "user-mine"), llm.ErrNotFound)
	assert.ErrorIs(t, p.Delete(ctx, "translator"), llm.ErrInvalid)
	_, err = p.Get(ctx, "user-mine")
	assert.ErrorIs(t, err, llm.ErrNotFound)
	for _, bad := range []prompt.Preset{{Prompt: "x"}, {Name: "x"}, {Name: "x", Prompt: "x", Dynamic: true, Tools: []string{"a"}}} {
		_, err := p.Save(ctx, bad)
		assert.ErrorIs(t, err, llm.ErrInvalid)
	}
	_, err = prompt.NewPresets(nil)
	assert.ErrorIs(t, err, llm.ErrInvalid)
}
