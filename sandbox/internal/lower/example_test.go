package lower_test

import (
	"fmt"

	"github.com/localpass/localpass/sandbox/internal/lower"
	"github.com/localpass/localpass/sandbox/typescript"
)

func ExampleLower() {
	result, problems := lower.Lower("const n: number = 1;\nreturn n", lower.Options{Translator: typescript.Translator(), TypeScript: true})
	if problems != nil {
		fmt.Println(problems)
		return
	}
	fmt.Print(result.Code)

	_, problems = lower.Lower("import type { City } from 'cities'", lower.Options{Translator: typescript.Translator(), TypeScript: true})
	fmt.Println(problems[0].Line, problems[0].Column, problems[0].Message)
	// Output:
	//   const n = 1;
	//   return n;
	// 1 1 import is not supported, not even of types: the code is the body of a function
}

func ExampleRewritePattern() {
	pattern, flags, err := lower.RewritePattern(`^[\p{ASCII_Hex_Digit}--[a-f]]+$`, "v")
	fmt.Println(pattern, flags, err)
	// Output: ^[0-9A-F]+$ u <nil>
}
