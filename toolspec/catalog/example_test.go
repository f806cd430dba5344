package catalog_test

import (
	"fmt"

	"github.com/localpass/localpass/toolspec/catalog"
)

func ExampleSelection() {
	all, err := catalog.Specs()
	if err != nil {
		fmt.Println(err)
		return
	}
	selection, err := catalog.ParseSelection("dev-essentials", "-jwtDecode,+stats")
	if err != nil {
		fmt.Println(err)
		return
	}
	active, err := selection.Select(all)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range active {
		fmt.Println(s.Name)
	}
	// Output:
	// base64
	// evalExpression
	// getCurrentTime
	// hash
	// regexExtract
	// stats
	// uuid
}

func ExampleSpecs() {
	specs, err := catalog.Specs()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range specs[:3] {
		fmt.Println(s.Name, s.Category, s.Risk(nil).Level)
	}
	// Output:
	// addToCalendar PRODUCTIVITY L0
	// appendTextFile FILE L4
	// base64 ENCODING L0
}
