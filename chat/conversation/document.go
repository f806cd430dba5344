package conversation

// DocumentRef names a document that was sent to the model.
type DocumentRef struct {
	ID string `json:"id"`
	// Title is for display, with the place in the file, such as "Manual, page 3".
	Title string `json:"title,omitempty"`
	// Score is higher for a better match, in whatever measure the search uses.
	Score float64 `json:"score,omitempty"`
	// Chunk is the index of the sent part in the document, from 0.
	Chunk int `json:"chunk,omitempty"`
	// Document is the id of the file that it is a part of, and Source the name of that
	// file. Page counts from 1; 0: there are no pages. Start and End are offsets in bytes
	// in the text of the file.
	Document string `json:"document,omitempty"`
	Source   string `json:"source,omitempty"`
	Page     int    `json:"page,omitempty"`
	Start    int    `json:"start,omitempty"`
	End      int    `json:"end,omitempty"`
	// Findings name what in the text looks like an attempt to manipulate the model.
	Findings []string `json:"findings,omitempty"`
}
