package specdiff_test

import (
	"fmt"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/specdiff"
)

// What a person sees before a new version is published.
func ExampleDiff() {
	published, err := toolspec.ParseSpec([]byte(`{"name":"rates","codeType":"Javascript","code":"return {rate: 1.08};\n",
	  "humanInTheLoop":{"mode":"REQUIRED"}}`))
	if err != nil {
		panic(err)
	}
	next := published.Clone()
	next.Code = "const r = await fetch('https://api.example.com/' + key);\nreturn r.json();\n"
	next.Overrides.NetworkMode, next.Overrides.HostsAllow = toolspec.NetworkAllowlist, []string{"api.example.com"}
	next.StaticVariables = []toolspec.Variable{{Name: "key", Value: "${RATES_KEY}"}}
	next.Approval = nil

	diff := specdiff.Diff(published, next, nil)
	for _, row := range diff.Rows {
		fmt.Printf("%-8s %s\n", row.Direction, row.Text)
	}
	fmt.Print(diff.CodeDiff)
	// Output:
	// wider    The risk level rises from L0 to L3: networkMode allowlist: can reach api.example.com (L3).
	// wider    It may reach the hosts that it lists; before it could reach nothing.
	// wider    It may now reach api.example.com.
	// wider    The static variable "key" gives it RATES_KEY from the environment.
	// wider    No person is asked any more before a call.
	// changed  The code changes: +2 −1 lines.
	// @@ -1 +1,2 @@
	// -return {rate: 1.08};
	// +const r = await fetch('https://api.example.com/' + key);
	// +return r.json();
}
