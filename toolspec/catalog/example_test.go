package catalog_test

import (
	"fmt"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
)

func ExampleSpecs() {
	specs, err := catalog.Specs()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range specs[:3] {
		fmt.Println(s.Name, s.Category, toolspec.RiskOf(s, nil).Level)
	}
	// Output:
	// cronNext DATETIME L0
	// csvSummary DATA L0
	// dateMath DATETIME L0
}
