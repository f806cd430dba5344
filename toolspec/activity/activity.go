package activity

import "time"

// ConsoleLine is one line the code printed.
type ConsoleLine struct {
	Level string `json:"level"` // log, info, warn, error, debug
	Text  string `json:"text"`
	// Line and Column are the place in the author's code that printed it, from
	// 1, the column in characters. Both are 0 when no line of the code did: the
	// note that lines were cut, or an engine that does not know.
	Line   int `json:"line,omitempty"`
	Column int `json:"col,omitempty"`
}

// Access is one thing outside of itself that a run reached.
type Access struct {
	Component string `json:"component"` // "fetch" or "fs"
	// Op is the method of a request, or the function of safety.fs.
	Op string `json:"op"`
	// Target is "https://host" with a port that is not the usual one, without
	// path and query; or the path of a file as the code named it.
	Target string `json:"target"`
	// Status is that of the response to a request; 0: none came.
	Status int `json:"status,omitempty"`
	// Bytes counts what was read or written.
	Bytes int64 `json:"bytes,omitempty"`
	// Count is how often; Bytes is the sum.
	Count int `json:"count"`
}

// Denial is one thing that was refused during a run.
type Denial struct {
	Component string `json:"component"` // such as "fetch"
	Reason    string `json:"reason"`    // a stable slug
	Detail    string `json:"detail,omitempty"`
}

// Usage is what a run cost. A zero means: not measured.
type Usage struct {
	Duration   time.Duration `json:"duration"`
	CPU        time.Duration `json:"cpu,omitempty"`
	Statements int64         `json:"statements,omitempty"`
	HostCalls  int           `json:"hostCalls,omitempty"`
	// Memory is the most that the worker process held from the system during
	// the run, in bytes, MemoryBefore what it held when the run began: the
	// engine, and what earlier runs left that the collector has not returned.
	// The limit of a worker counts Memory; the difference is how far this run
	// made it grow. The worker looks every 2 ms and at the end, so that a peak
	// between two looks is not seen. Both are 0 in process, where runs share
	// the memory of the program, and for a run that ended its worker.
	Memory       int64 `json:"memory,omitempty"`
	MemoryBefore int64 `json:"memoryBefore,omitempty"`
}
