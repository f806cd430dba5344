// Package toolmessage contains texts for models that several packages use: for calls
// whose turn ended, and in place of content that a model cannot read.
package toolmessage

import "fmt"

// NotRun returns the text for a call that had not started when its turn ended.
func NotRun(tool string) string {
	return fmt.Sprintf("%q was NOT run: the response ended before it began. Call it again if it is still needed.", tool)
}

// Omitted returns the text that replaces content that the model cannot read.
func Omitted(what string) string {
	return fmt.Sprintf("[%s omitted: this model cannot read it]", what)
}

// Interrupted returns the text for a call that was running when the program ended.
func Interrupted(tool string) string {
	return fmt.Sprintf("%q was running when the program ended. Whether it had an effect is not known. Do not repeat it without looking.", tool)
}
