package toolspec

import "fmt"

// TaskSupport says whether a call of a tool may become a task: the client gets a handle
// at once and fetches the result later. It is for calls that take longer than clients
// usually wait. The zero value is [TaskNever].
type TaskSupport uint8

const (
	// TaskNever: the result is the answer to the call.
	TaskNever TaskSupport = iota
	// TaskOptional: a task for clients that support tasks, a plain call for others.
	TaskOptional
	// TaskRequired: calls from clients that do not support tasks are refused.
	TaskRequired
)

var taskSupports = [...]string{"never", "optional", "required"}

// String returns the value as one word.
func (s TaskSupport) String() string {
	if int(s) < len(taskSupports) {
		return taskSupports[s]
	}
	return taskSupports[TaskNever]
}

// MarshalText returns the value as one word.
func (s TaskSupport) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote, and "forbidden", which is MCP's
// word for never.
func (s *TaskSupport) UnmarshalText(text []byte) error {
	if string(text) == "forbidden" {
		*s = TaskNever
		return nil
	}
	for i, name := range taskSupports {
		if string(text) == name {
			*s = TaskSupport(i)
			return nil
		}
	}
	return fmt.Errorf("toolspec: %q says nothing about tasks: use never, optional or required", text)
}
