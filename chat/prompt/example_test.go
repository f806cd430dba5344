package prompt_test

import (
	"fmt"

	"github.com/localpass/localpass/chat/prompt"
)

// A template lists its variables, and rendering fills them in.
func Example() {
	const template = "Explain {{topic}} in a {{tone:select(plain,formal)=plain}} tone."
	for _, v := range prompt.Variables(template, nil) {
		fmt.Println(v.Name, v.Type, v.Options)
	}
	values := map[string]string{"topic": "tides"}
	if err := prompt.Validate(template, values, nil); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(prompt.Render(template, values, nil))
	// Output:
	// topic text []
	// tone select [plain formal]
	// Explain tides in a plain tone.
}
