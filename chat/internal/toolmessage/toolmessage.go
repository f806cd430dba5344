// Package toolmessage has the texts for a model that several packages need: about a call
// whose turn ended, and in place of content that a model cannot read.
package toolmessage

import "fmt"

// NotRun is for a call that had not started when its turn ended.
func NotRun(tool string) string {
	return fmt.Sprintf("%q was NOT run: the response ended before it began. Call it again if it is still needed.", tool)
}

// Omitted replaces content that the model cannot read.
func Omitted(what string) string {
	return fmt.Sprintf("[%s omitted: this model cannot read it]", what)
}

// Interrupted is for a call that was running when the program ended.
func Interrupted(tool string) string {
	return fmt.Sprintf("%q was running when the program ended. Whether it had an effect is not known. Do not repeat it without looking.", tool)
}
