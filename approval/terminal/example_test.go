package terminal_test

import (
	"fmt"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/terminal"
	"github.com/localpass/localpass/persistence/memory"
)

// A program asks at its terminal; arguments are edited with vi.
func ExampleNew() {
	gate, err := approval.NewGate(&approval.Options{
		Store: memory.New(), NoAudit: true,
		Approvers: []approval.Approver{terminal.New(&terminal.Options{Editor: "vi"})},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(gate.Close())
	// Output: <nil>
}
