package conversation_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/persistence/memory"
)

// A conversation from elsewhere is stored and exported.
func Example() {
	ctx := context.Background()
	store, err := conversation.NewStore(memory.New())
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Now()
	turn := &conversation.TurnRecord{Status: conversation.EndCompleted, Finish: llm.FinishStop, Started: now, Ended: now}
	for _, m := range []llm.Message{llm.UserText("What is 6 times 7?"), llm.AssistantText("42.")} {
		turn.Messages = append(turn.Messages, conversation.StoredMessage{Message: m, Status: conversation.MessageFinal, Updated: now})
	}
	conv, err := conversation.Copy(ctx, store, "", &conversation.Conversation{Title: "Sums"}, []*conversation.TurnRecord{turn})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := conversation.Export(ctx, store, conv.ID, conversation.ExportText, os.Stdout, nil); err != nil {
		fmt.Println(err)
	}
	// Output:
	// User:
	// What is 6 times 7?
	//
	// Assistant:
	// 42.
}
