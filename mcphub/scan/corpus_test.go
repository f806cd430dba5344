package scan

import (
	"bufio"
	"encoding/json"
	"hash/fnv"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Sample is a tool of the corpus, first in the list of its server.
type Sample struct {
	Server   Server
	Class    string // of a poisoned tool
	Poisoned bool
	HeldOut  bool // its server belongs to the half that the weights were not learned from
}

// Corpus reads testdata. Lines of benign.tsv are "server, tool, description", those of
// poisoned.tsv have the class before. In the class "param", the description is that of a
// parameter, "name|description".
func Corpus(t testing.TB) []Sample {
	t.Helper()
	var out []Sample
	var tools []string
	names := map[string][]string{}
	for _, file := range []string{"benign.tsv", "poisoned.tsv"} {
		f, err := os.Open("testdata/" + file)
		require.NoError(t, err)
		for in := bufio.NewScanner(f); in.Scan(); {
			fields := strings.Split(in.Text(), "\t")
			s := Sample{Poisoned: file == "poisoned.tsv"}
			if s.Poisoned {
				s.Class, fields = fields[0], fields[1:]
			} else {
				names[fields[0]] = append(names[fields[0]], fields[1])
			}
			require.Len(t, fields, 3, in.Text())
			def := map[string]any{"name": fields[1], "description": fields[2]}
			if param, text, _ := strings.Cut(fields[2], "|"); s.Class == "param" {
				def["description"] = "A tool."
				def["inputSchema"] = map[string]any{"type": "object", "properties": map[string]any{param: map[string]any{"type": "string", "description": text}}}
			}
			raw, err := json.Marshal(def)
			require.NoError(t, err)
			h := fnv.New32a()
			h.Write([]byte(fields[0]))
			s.HeldOut = h.Sum32()>>8%2 == 1
			s.Server = Server{Name: fields[0], Tools: []json.RawMessage{raw}}
			out, tools = append(out, s), append(tools, fields[1])
		}
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
