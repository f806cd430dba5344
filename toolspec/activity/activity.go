package activity

import "time"

// ConsoleLine is one line that the code printed to the console.
type ConsoleLine struct {
	Level string `json:"level"` // log, info, warn, error, debug
	Text  string `json:"text"`
	// Line and Column are the place in the author's code that printed the line. Both
	// count from 1; the column counts characters. Both are 0 if no place is known: for
	// the note that lines were cut, and for an engine that does not report places.
	Line   int `json:"line,omitempty"`
	Column int `json:"col,omitempty"`
}

// Access is a host or a file that a run accessed.
type Access struct {
	Component string `json:"component"` // "fetch" or "fs"
	// Op is the method of a request, or the function of safety.fs.
	Op string `json:"op"`
	// Target is "https://host", with the port unless it is the default one, without path
	// and query; or the path of a file as the code wrote it.
	Target string `json:"target"`
	// Status is the HTTP status of the response, 0 if there was none.
	Status int `json:"status,omitempty"`
	// Bytes is the number of bytes read or written.
	Bytes int64 `json:"bytes,omitempty"`
	// Count is the number of accesses; Bytes is their total.
	Count int `json:"count"`
}

// Denial is one operation that was refused during a run.
type Denial struct {
	Component string `json:"component"` // such as "fetch"
	Reason    string `json:"reason"`    // a stable slug
	Detail    string `json:"detail,omitempty"`
}

// Usage is what a run consumed. A zero value means that it was not measured.
type Usage struct {
	Duration   time.Duration `json:"duration"`
	CPU        time.Duration `json:"cpu,omitempty"`
	Statements int64         `json:"statements,omitempty"`
	HostCalls  int           `json:"hostCalls,omitempty"`
	// Memory is the peak memory of the worker process during the run, in bytes, as
	// obtained from the operating system. MemoryBefore is its memory when the run began:
	// the engine, and what earlier runs left that the garbage collector has not returned.
	// The memory limit of a worker applies to Memory; the difference is the growth that
	// this run caused. The worker samples every 2 ms and at the end, so a peak between
	// two samples is missed. Both are 0 in process, where runs share the memory of the
	// program, and for a run that ended its worker.
	Memory       int64 `json:"memory,omitempty"`
	MemoryBefore int64 `json:"memoryBefore,omitempty"`
}
