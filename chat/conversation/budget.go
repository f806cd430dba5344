package conversation

// Budget says what a model's context is filled with, in tokens.
type Budget struct {
	// Window is what fits, Reserve what is kept for the answer, Margin what is
	// kept because counting is estimating.
	Window  int `json:"window"`
	Reserve int `json:"reserve"`
	Margin  int `json:"margin"`
	// System is the system prompt, Tools the descriptions of what is offered.
	System int `json:"system"`
	Tools  int `json:"tools"`
	// Question is the message of the person, Attachments what came with it.
	Question    int `json:"question"`
	Attachments int `json:"attachments,omitempty"`
	// Retrieved are documents about the question, Memory the turns before, Rounds
	// what this turn said and called so far.
	Retrieved int `json:"rag,omitempty"`
	Memory    int `json:"memory"`
	Rounds    int `json:"rounds,omitempty"`
	// Cuts are what was left out to make it fit, in the order it was done.
	Cuts []Cut `json:"cuts,omitempty"`
}

// Cut is something that was left out.
type Cut struct {
	What   string `json:"what"` // the line of the budget
	Tokens int    `json:"tokens"`
	Reason string `json:"reason"`
}
