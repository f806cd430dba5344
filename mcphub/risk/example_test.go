package risk_test

import (
	"fmt"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/risk"
	"github.com/localpass/localpass/mcphub/scan"
	"github.com/localpass/localpass/toolspec"
)

// A server that a person added by hand says that its tool only reads. That is a claim: it
// lowers the level only if a person confirms it.
func ExamplePropose() {
	readOnly := true
	server := risk.ServerFacts{Endpoint: client.Endpoint{Kind: client.TransportStdio, Address: "weather-server"}}
	tool := risk.Facts{Name: "weather", Description: "Looks up the weather of a city for three days.",
		Annotations: toolspec.Annotations{ReadOnly: &readOnly}}
	fmt.Println("unreviewed", risk.Compose(server, tool, risk.Use{}).Level)
	p := risk.Propose(server, tool, scan.Report{Verdict: scan.Clean})
	fmt.Println("reviewed", p.Level)
	fmt.Printf("%s: %s\n", p.Change.Level, p.Change.Do)
	// Output:
	// unreviewed L5
	// reviewed L3
	// L2: a person confirms what its server says about it
}

func ExampleAssessServer() {
	reached := client.Endpoint{Kind: client.TransportHTTP, Address: "http://192.168.1.7/mcp", Auth: client.AuthNone}
	a := risk.AssessServer(risk.ServerFacts{Endpoint: reached})
	fmt.Println(a.Level, a.Rule)
	fmt.Println(a.Reasons[0])
	fmt.Printf("%s: %s\n", a.Change.Level, a.Change.Do)
	// Output:
	// L5 non_loopback_no_auth_trust_unknown
	// it lets everyone in without signing in, and nothing vouches for it
	// L3: a person reviews the server and the tool
}
