package scan

import (
	"bufio"
	"encoding/json"
	"hash/fnv"
	"maps"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Sample is a tool of the corpus, first in the list of its server.
type Sample struct {
	Server   Server
	Class    string // of a poisoned tool
	Language string // "en" unless the line says another
	Poisoned bool
	HeldOut  bool // its server belongs to the half that the weights were not learned from
}

// line is a line of the corpus.
type line struct {
	Class      string         `json:"class"`
	Server     string         `json:"server"`
	Tool       string         `json:"tool"`
	Language   string         `json:"language"`
	Param      string         `json:"param"`      // the text is that of this parameter, not of the tool
	Definition map[string]any `json:"definition"` // members of the definition beside name and description
	Text       string         `json:"text"`
}

// Corpus reads testdata, the honest tools first. A server belongs to one half by the hash of
// its name.
func Corpus(t testing.TB) []Sample {
	t.Helper()
	var out []Sample
	var tools []string
	names := map[string][]string{}
	for _, file := range []string{"benign.jsonl", "poisoned.jsonl"} {
		f, err := os.Open("testdata/" + file)
		require.NoError(t, err)
		in := bufio.NewScanner(f)
		for in.Scan() {
			l := line{Language: "en"}
			require.NoError(t, json.Unmarshal(in.Bytes(), &l), in.Text())
			s := Sample{Class: l.Class, Language: l.Language, Poisoned: file == "poisoned.jsonl"}
			require.Equal(t, s.Poisoned, l.Class != "", in.Text())
			require.True(t, l.Server != "" && l.Tool != "" && l.Text != "", in.Text())
			if !s.Poisoned {
				names[l.Server] = append(names[l.Server], l.Tool)
			}
			def := map[string]any{"name": l.Tool, "description": l.Text}
			if l.Param != "" {
				def["description"] = "A tool."
				def["inputSchema"] = map[string]any{"type": "object", "properties": map[string]any{l.Param: map[string]any{"type": "string", "description": l.Text}}}
			}
			maps.Copy(def, l.Definition)
			raw, err := json.Marshal(def)
			require.NoError(t, err)
			h := fnv.New32a()
			h.Write([]byte(l.Server))
			s.HeldOut = h.Sum32()>>8%2 == 1
			s.Server = Server{Name: l.Server, Tools: []json.RawMessage{raw}}
			out, tools = append(out, s), append(tools, l.Tool)
		}
		require.NoError(t, in.Err())
		require.NoError(t, f.Close())
	}
	for i := range out {
		for _, name := range names[out[i].Server.Name] {
			if name != tools[i] {
				out[i].Server.Tools = append(out[i].Server.Tools, json.RawMessage(`{"name":"`+name+`"}`))
			}
		}
	}
	return out
}
