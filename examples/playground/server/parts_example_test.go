package server_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/localpass/localpass/advisor"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/examples/playground/server"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/rank"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// played serves a playground in a home that is removed afterwards, while do runs.
func played(opts *server.Options, do func(url string)) {
	home, err := os.MkdirTemp("", "playground")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	opts.Home = home
	s, err := server.New(context.Background(), opts)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	listener := httptest.NewServer(s.Handler())
	defer listener.Close()
	do(listener.URL)
}

// request sends a request and decodes the answer.
func request(method, url, body string) (answer map[string]any) {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return map[string]any{"error": err}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return map[string]any{"error": err}
	}
	defer res.Body.Close()
	raw, _ := io.ReadAll(res.Body)
	_ = json.Unmarshal(raw, &answer)
	return answer
}

// question asks a question in a new conversation and returns the answer.
func question(url, text string) string {
	id := request("POST", url+"/api/conversations", "{}")["id"].(string)
	turn := request("POST", url+"/api/conversations/"+id+"/turns", fmt.Sprintf(`{"text": %q}`, text))["turnId"]
	if turn == nil {
		return "there is no turn"
	}
	for {
		conversation := request("GET", url+"/api/conversations/"+id, "")
		if all := conversation["messages"].([]any); conversation["turnId"] == nil {
			return all[len(all)-1].(map[string]any)["content"].(string)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// parrot is a model that repeats the question.
type parrot struct{}

func (parrot) Info() llm.ModelInfo { return llm.ModelInfo{Provider: "birds", Name: "parrot"} }

func (parrot) Generate(_ context.Context, req *llm.ModelRequest) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		_ = yield(llm.Delta{Kind: llm.DeltaText, Text: req.Messages[len(req.Messages)-1].Text()}, nil) &&
			yield(llm.Delta{Kind: llm.DeltaFinish, Finish: llm.FinishStop}, nil)
	}
}

// A model of the program answers.
func ExampleOptions_model() {
	played(&server.Options{Model: parrot{}}, func(url string) {
		fmt.Println(question(url, "hello"))
	})
	// Output: hello
}

// An advisor of the program sees every turn.
func ExampleOptions_advisors() {
	loud := advisor.Before("loud", 0, func(_ context.Context, req *chat.Request) (*chat.Request, error) {
		last := &req.Messages[len(req.Messages)-1]
		*last = llm.UserText(strings.ToUpper(last.Text()))
		return req, nil
	})
	played(&server.Options{Model: parrot{}, Advisors: []advisor.Advisor{loud}}, func(url string) {
		fmt.Println(question(url, "hello"))
	})
	// Output: HELLO
}

// Documents go to a store of the program, and not into files of the home.
func ExampleOptions_persistence() {
	store := memory.New()
	played(&server.Options{Model: parrot{}, Persistence: store}, func(url string) {
		question(url, "hello")
	})
	// Another playground over the same store goes on with the conversation.
	played(&server.Options{Model: parrot{}, Persistence: store}, func(url string) {
		items := request("GET", url+"/api/conversations", "")["items"].([]any)
		fmt.Println(items[0].(map[string]any)["title"])
	})
	// Output: hello
}

// planets is a vector store of the program.
type planets struct{ *flat.Store }

// letters embeds texts by their letters. A real embedder asks a model.
type letters struct{}

func (letters) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = make([]float32, 26)
		for _, r := range strings.ToLower(text) {
			if r >= 'a' && r <= 'z' {
				vectors[i][r-'a']++
			}
		}
	}
	return vectors, nil
}

// plain reads files as they are.
type plain struct{}

func (plain) Read(_ context.Context, file rag.File) (*rag.Extract, error) {
	return &rag.Extract{Format: "text/plain", Text: string(file.Data)}, nil
}

// longest prefers long texts.
type longest struct{}

func (longest) Rerank(_ context.Context, _ string, texts []string, n int) ([]rank.Rank, error) {
	ranks := make([]rank.Rank, len(texts))
	for i, text := range texts {
		ranks[i] = rank.Rank{Index: i, Score: float64(len(text))}
	}
	slices.SortFunc(ranks, func(a, b rank.Rank) int { return cmp.Compare(b.Score, a.Score) })
	return ranks[:n], nil
}

// The program brings the parts of the search in documents.
func ExampleOptions_retrieval() {
	store, err := flat.New(&flat.Options{Embedder: letters{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	parts := server.Retrieval{Embedder: letters{}, Store: planets{store}, Reader: plain{}, Reranker: longest{}}
	played(&server.Options{Model: parrot{}, Retrieval: parts}, func(url string) {
		for name, text := range map[string]string{"mars.txt": "Mars is red.", "venus.txt": "Venus is covered by clouds."} {
			id := upload(url, name, text)
			for request("GET", url+"/api/vectors/documents/"+id, "")["state"] != "ready" {
				time.Sleep(10 * time.Millisecond)
			}
		}
		request("GET", url+"/api/vectors/pipelines", "") // makes the first one
		pipeline := request("POST", url+"/api/vectors/pipelines/default/run", `{"question": "Which planet is red?"}`)
		fmt.Println(pipeline["matches"].([]any)[0].(map[string]any)["label"])
	})
	// Output: venus.txt
}

// upload adds a document and returns its id.
func upload(url, name, text string) string {
	res, err := http.Post(url+"/api/vectors/documents?name="+name, "application/octet-stream", strings.NewReader(text))
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	var doc struct{ ID string }
	_ = json.NewDecoder(res.Body).Decode(&doc)
	return doc.ID
}

// A tool written in Go passes its cases, and is then offered to the chat and to MCP
// clients.
func ExampleOptions_tools() {
	type sum struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	add, err := toolspec.Func("addNumbers", "Adds two numbers.", func(_ context.Context, in sum) (int, error) { return in.A + in.B, nil }, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	passed, err := studio.Certify(context.Background(), add, []toolspec.Case{{Args: []byte(`{"a":1,"b":2}`), Want: []byte("3")}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	played(&server.Options{Tools: []*studio.Passed{passed}}, func(url string) {
		transport, err := client.NewHTTP(client.HTTPConfig{URL: url + "/mcp"}, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		session, err := transport.Dial(context.Background(), nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer session.Close()
		result, err := session.Call(context.Background(), "tools/call", json.RawMessage(`{"name":"addNumbers","arguments":{"a":40,"b":2}}`), nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(strings.Contains(string(result), `"text":"42"`))
	})
	// Output: true
}

// A kind of connection of the program, here to a hub inside of it, is used for servers
// whose transport has its name.
func ExampleOptions_transports() {
	far, err := mcphub.New(&mcphub.Options{Name: "far"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer far.Close()
	inside := func(json.RawMessage) (client.Transport, error) { return far.InProcess(nil), nil }
	played(&server.Options{Transports: map[client.TransportKind]client.Factory{"inside": inside}}, func(url string) {
		request("POST", url+"/api/mcp/servers", `{"id":"far","name":"far","transport":"inside","connection":{}}`)
		fmt.Println(request("POST", url+"/api/mcp/servers/far/connect", "{}")["state"])
	})
	// Output: CONNECTED
}
