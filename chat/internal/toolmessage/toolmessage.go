// Package toolmessage has the texts about a call that package chat gives a model in
// a turn and package conversation when it reads the turn again.
package toolmessage

import "fmt"

// NotRun is for a call that had not begun when its turn ended.
func NotRun(tool string) string {
	return fmt.Sprintf("%q was NOT run: the response ended before it began. Call it again if it is still needed.", tool)
}

// Interrupted is for a call that was running when the program ended.
func Interrupted(tool string) string {
	return fmt.Sprintf("%q was running when the program ended. Whether it had an effect is not known. Do not repeat it without looking.", tool)
}
