package chatapi_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chatapi"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/internal/turntest"
	"github.com/localpass/localpass/toolspec"
)

// serverTool is a tool of an MCP server.
type serverTool struct {
	toolspec.Tool
	server string
}

func (t serverTool) Server() string { return t.server }

func newServerTool(server, name string) toolspec.Tool {
	return serverTool{turntest.TextTool(name, "done"), server}
}

// changingTools is a source whose tools a test changes.
type changingTools struct{ list []toolspec.Tool }

func (c *changingTools) Tools(context.Context) ([]toolspec.Tool, error) { return c.list, nil }

// A conversation can offer a whole server: the tools that it has now, and those that it
// gets later. The server is saved, not the names of its tools.
func TestAPIServers(t *testing.T) {
	leak.Check(t)
	source := &changingTools{list: []toolspec.Tool{newServerTool("notes", "notes_add"), newServerTool("mail", "mail_send"), newServerTool("", "clock")}}
	var asked []string
	m := chattest.NewModel()
	m.Described.Capabilities.Tools = true
	m.Rule = func(req *llm.ModelRequest) chattest.Step {
		asked = nil
		for _, d := range req.Tools {
			asked = append(asked, d.Name)
		}
		return chattest.Say("a")
	}
	w := newServer(t, m, chat.ClientOptions{Tools: source, Uncertified: []string{"notes_add", "notes_list", "mail_send", "clock"}}, chatapi.Options{})
	turn := func(id, more string) []string {
		w.open("POST", "/api/conversations/"+id+"/turns", `{"text":"q"`+more+`}`).Rest()
		return asked
	}
	respond := func(body string) []string {
		w.open("POST", "/api/responses/stream", body).Rest()
		return asked
	}
	detail := func(id string) chatapi.APIConversationDetail {
		return requestAs[chatapi.APIConversationDetail](w, 200, "GET", "/api/conversations/"+id, "")
	}

	id := w.newConversation(`{"servers":["notes"],"tools":["clock"]}`)
	assert.ElementsMatch(t, []string{"notes_add", "clock"}, turn(id, ""))
	source.list = append(source.list, newServerTool("notes", "notes_list"))
	assert.ElementsMatch(t, []string{"notes_add", "notes_list", "clock"}, turn(id, ""), "a later tool of the server")
	assert.ElementsMatch(t, []string{"mail_send"}, turn(id, `,"servers":["mail"]`), "for one turn")
	assert.Equal(t, []string{"notes"}, detail(id).Servers)
	assert.Equal(t, []string{"clock"}, detail(id).Tools)
	w.Do("PATCH", "/api/conversations/"+id, `{"servers":["mail"],"tools":[]}`)
	assert.ElementsMatch(t, []string{"mail_send"}, turn(id, ""))
	source.list = source.list[:1]
	assert.Equal(t, 200, w.Do("PATCH", "/api/conversations/"+id, `{"servers":["mail"]}`).Status, "a server that is named already stays")
	source.list = append(source.list, newServerTool("mail", "mail_send"))
	w.Do("PATCH", "/api/conversations/"+id, `{"allTools":true}`)
	assert.ElementsMatch(t, []string{"notes_add", "mail_send"}, turn(id, ""))
	changes := detail(id).Changes
	require.Len(t, changes, 2)
	assert.Equal(t, []string{"the tools of mail"}, changes[0].What)

	// By the seven-event protocol, servers are saved with the conversation.
	assert.ElementsMatch(t, []string{"notes_add"}, respond(`{"conversationId":"77","title":"t","payload":{"input":"q","servers":["notes"]}}`))
	assert.ElementsMatch(t, []string{"notes_add"}, respond(`{"conversationId":77,"payload":{"input":"q"}}`))
	assert.ElementsMatch(t, []string{"mail_send", "notes_add"}, respond(`{"conversationId":77,"payload":{"input":"q","servers":["mail"],"tools":[{"name":"notes_add"}]}}`))
	assert.Equal(t, []string{"mail"}, detail("77").Servers)
	assert.Equal(t, []string{"notes_add"}, detail("77").Tools)
	assert.ElementsMatch(t, []string{"mail_send"}, respond(`{"conversationId":77,"payload":{"input":"q","servers":["mail"]}}`))
	assert.Nil(t, detail("77").Tools, "the request names servers alone")

	for _, bad := range []string{`["none"]`, `[""]`} {
		w.Do("POST", "/api/conversations", `{"servers":`+bad+`}`).Problem(400, "invalid_argument")
		w.Do("PATCH", "/api/conversations/"+id, `{"servers":`+bad+`}`).Problem(400, "invalid_argument")
		w.Do("POST", "/api/conversations/"+id+"/turns", `{"text":"q","servers":`+bad+`}`).Problem(400, "invalid_argument")
		w.Do("POST", "/api/responses/stream", `{"payload":{"input":"q","servers":`+bad+`}}`).Problem(400, "invalid_argument")
	}
	w.Do("PATCH", "/api/conversations/"+id, `{"servers":["mail"],"allTools":true}`).Problem(400, "invalid_argument")
}
