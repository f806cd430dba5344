package risk_test

import (
	"fmt"

	"github.com/localpass/localpass/mcphub/risk"
	"github.com/localpass/localpass/toolspec"
)

// A server says that its tool only reads. That is a claim: it lowers the level only if a
// person confirms it.
func ExamplePropose() {
	readOnly := true
	p := risk.Propose(risk.Facts{Name: "weather", Description: "Looks up the weather of a city for three days.",
		Annotations: toolspec.Annotations{ReadOnly: &readOnly}})
	fmt.Println(p.Level, p.Least)
	fmt.Println(p.Reasons[0])
	// Output:
	// L2 L1
	// that it only reads is a claim of its server
}
