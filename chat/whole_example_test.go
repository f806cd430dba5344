package chat_test

import (
	"context"
	"fmt"

	"github.com/localpass/localpass/advisor"
	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// A client with a store, a tool, middleware that adds an instruction, and limits.
func ExampleNewClient() {
	type city struct {
		City string `json:"city"`
	}
	weather, err := toolspec.Func("getWeather", "Tells the weather of a city.", func(_ context.Context, in city) (string, error) {
		return "12 °C in " + in.City, nil
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	passed, err := studio.Certify(context.Background(), weather, []toolspec.Case{{Args: []byte(`{"city":"Oslo"}`), Want: []byte(`"12 °C in Oslo"`)}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	short := advisor.Before("short", 0, func(_ context.Context, req *chat.Request) (*chat.Request, error) {
		req.Messages = append([]llm.Message{llm.SystemText("Answer in one sentence.")}, req.Messages...)
		return req, nil
	})
	around, err := advisor.Chain(short)
	if err != nil {
		fmt.Println(err)
		return
	}
	store, err := conversation.NewStore(memory.New())
	if err != nil {
		fmt.Println(err)
		return
	}
	// In place of a provider's model, one that follows a script.
	model := chattest.NewModel(chattest.Call("getWeather", `{"city":"Seoul"}`), chattest.Say("It is 12 °C."), chattest.Say("Take a coat."))
	client, err := chat.NewClient(model, &chat.ClientOptions{Store: store, Tools: toolspec.Tools(passed), Middleware: around,
		Policy: chat.TurnPolicy{SoftMaxRounds: 4, MaxTokens: 50_000}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, question := range []string{"How is the weather in Seoul?", "What do I wear?"} {
		answer, err := client.Ask(context.Background(), "c_trip", question, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(answer.Text())
	}
	trip, err := store.Get(context.Background(), "c_trip")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(trip.Turns, "turns,", trip.Messages, "messages,", trip.Status)
	// Output:
	// It is 12 °C.
	// Take a coat.
	// 2 turns, 6 messages, COMPLETED
}

// A tool that needs approval makes the turn wait. If no user is there to decide, the turn
// is stored and can be resumed after the decision, in this program or another one.
func ExampleClient_Resume() {
	ctx := context.Background()
	kept := memory.New() // persistence/file outlives the program
	store, err := conversation.NewStore(kept)
	if err != nil {
		fmt.Println(err)
		return
	}
	gate, err := approval.NewGate(&approval.Options{Store: kept, NoAudit: true, Approvers: []approval.Approver{approval.Inbox(0)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	manager, err := chat.NewToolCallingManager(&chat.ToolManagerOptions{Gate: gate})
	if err != nil {
		fmt.Println(err)
		return
	}
	send, err := toolspec.Func("sendMail", "Sends a mail.", func(context.Context, struct{}) (string, error) {
		fmt.Println("the mail is sent")
		return "done", nil
	}, &toolspec.FuncOptions{Level: toolspec.L3, Approval: &toolspec.Approval{Mode: toolspec.ApprovalRequired}})
	if err != nil {
		fmt.Println(err)
		return
	}
	model := chattest.NewModel(chattest.Call("sendMail", `{}`), chattest.Say("Done."))
	client, err := chat.NewClient(model, &chat.ClientOptions{Store: store, Tools: toolspec.Tools(send), Manager: manager,
		Uncertified: []string{"sendMail"}}) // it has no test cases, since each would send a mail
	if err != nil {
		fmt.Println(err)
		return
	}

	userGone := make(chan struct{})
	close(userGone) // do not wait for a user
	absent := approval.PauseOn(ctx, func() <-chan struct{} { return userGone })
	question := ""
	for ev, err := range client.Stream(absent, "c_1", llm.UserText("Tell Ada."), nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch e := ev.(type) {
		case *chat.ApprovalRequired:
			question = e.ApprovalID
			fmt.Println("asked about", e.Name)
		case *chat.TurnFinished:
			fmt.Println(e.Status)
		}
	}

	// Later a user decides, and the turn continues.
	if _, err := gate.Broker().Decide(ctx, approval.Decision{Request: question, Outcome: approval.Approved, Via: "mail"}); err != nil {
		fmt.Println(err)
		return
	}
	answer, err := chat.Collect(client.Resume(ctx, "c_1", nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Text())
	// Output:
	// asked about sendMail
	// paused
	// the mail is sent
	// Done.
}
