package config

import (
	"fmt"
	"slices"
	"strings"
)

// Example returns an example file: every setting with its help as a comment, and a
// profile for the provider unless provider is empty.
func Example(provider string) ([]byte, error) {
	if provider != "" && !slices.Contains([]string{OpenAI, Compatible, Ollama, Demo}, provider) {
		return nil, fmt.Errorf("there is no provider %q%s; there are openai, compatible, ollama and demo", provider, meant(provider, reserved()))
	}
	var b strings.Builder
	b.WriteString(`// The settings of localpass: clichat, mcpserver and playground read this file.
// It is JSON with comments. A value here counts less than a variable of the
// environment, and that less than a flag. "config show" prints what counts.
{
  "$schema": "./` + SchemaName + `",

`)
	b.WriteString(profileExample(provider))
	var open []string // the objects that are not closed yet
	for _, k := range Knobs() {
		if k.Name == "profile" || k.Name == "model" {
			continue
		}
		path := strings.Split(k.Name, ".")
		groups, name := path[:len(path)-1], path[len(path)-1]
		for len(open) > 0 && (len(open) > len(groups) || !slices.Equal(open, groups[:len(open)])) {
			open = open[:len(open)-1]
			b.WriteString(strings.Repeat("  ", len(open)+1) + "},\n")
			if len(open) == 0 {
				b.WriteString("\n")
			}
		}
		for len(open) < len(groups) {
			b.WriteString(strings.Repeat("  ", len(open)+1) + quoted(groups[len(open)]) + ": {\n")
			open = groups[:len(open)+1]
		}
		indent := strings.Repeat("  ", len(open)+1)
		for line := range strings.SplitSeq(wrapped(k.Sentence(), 90), "\n") {
			b.WriteString(indent + "// " + line + "\n")
		}
		fmt.Fprintf(&b, "%s// %s: %s,\n", indent, quoted(name), k.sample())
	}
	for len(open) > 0 {
		open = open[:len(open)-1]
		b.WriteString(strings.Repeat("  ", len(open)+1) + "},\n")
	}
	b.WriteString("}\n")
	return []byte(b.String()), nil
}

// profileExample is the part of the example that chooses a model.
func profileExample(provider string) string {
	profile := map[string]string{
		OpenAI: `      "provider": "openai",
      // The variable of the environment that has the key. A key itself does not belong here.
      "key": "${OPENAI_API_KEY}",
      "model": "` + openAIModel + `",
      // "api": "responses",
      // "fallbacks": ["gpt-5.4-nano"],
`,
		Compatible: `      // LiteLLM, vLLM, llama.cpp, LM Studio and others speak as OpenAI does.
      "provider": "compatible",
      "baseURL": "` + compatibleURL + `",
      // The key that this server wants, if any: it gets no other.
      // "key": "${WORK_KEY}",
      // "model": "…",
      // "capabilities": {"tools": true, "pictures": true, "efforts": ["low", "medium", "high"]},
`,
		Ollama: `      "provider": "ollama",
      "baseURL": "` + ollamaURL + `",
      // Left out: the first model that Ollama has.
      // "model": "qwen3:4b",
      // "keepAlive": "30m",
      // "numCtx": 16384,
`,
		Demo: `      // Rules answer, not a language model.
      "provider": "demo",
`,
	}[provider]
	if profile == "" {
		return `  // Which server of models answers: a profile below, or env (OPENAI_BASE_URL with
  // OPENAI_API_KEY, or OLLAMA_HOST), openai, ollama, compatible (LiteLLM on this
  // machine) or demo. Left out: env, else an Ollama on this machine, else demo.
  // "profile": "work",

  "profiles": {
    // "work": {
    //   "provider": "compatible",
    //   "baseURL": "https://models.example.com/v1",
    //   "key": "${WORK_KEY}",
    //   "api": "responses",
    //   "model": "large"
    // }
  },

`
	}
	name := map[string]string{OpenAI: "my-openai", Compatible: "work", Ollama: "local", Demo: "rules"}[provider]
	return fmt.Sprintf("  \"profile\": %s,\n\n  \"profiles\": {\n    %s: {\n%s    },\n  },\n\n", quoted(name), quoted(name), profile)
}

// sample returns a value for the example: the default, or a typical value of the kind.
func (k *Knob) sample() string {
	text := k.Default
	switch k.Kind() {
	case kindInteger, kindNumber, kindBoolean:
		if text == "" {
			text = "1"
		}
		return text
	case kindList:
		return "[]"
	}
	switch {
	case text != "":
	case k.Secret:
		text = "${NAME}"
	case k.Choices != nil:
		text = k.Choices[min(1, len(k.Choices)-1)]
	default:
		text = "…"
	}
	return quoted(text)
}

// wrapped breaks a text into lines of at most width characters.
func wrapped(text string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > width:
			b.WriteString("\n")
			column = 0
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
