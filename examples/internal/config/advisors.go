package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// The advisors that a configuration can name.
const (
	AdvisorMemory    = "memory"
	AdvisorSafeguard = "safeguard"
	AdvisorRedact    = "redact"
	AdvisorLogger    = "logger"
	AdvisorRetrieval = "retrieval"
)

// What a model remembers of earlier turns: the messages of the conversation, those of
// this start of the program, or nothing.
const (
	MemoryConversation = "conversation"
	MemoryProcess      = "process"
	MemoryOff          = "off"
)

// Advisors configures what conversations pass through on their way to the model.
type Advisors struct {
	// Use are the advisors, the outermost first. The memory is outside of all others,
	// whether it is named or not.
	Use       []string
	Memory    string // MemoryConversation, MemoryProcess or MemoryOff
	Safeguard Safeguard
	Redact    Redact
	Logger    Logger
}

// Safeguard configures the advisor that refuses questions.
type Safeguard struct {
	Words   []string
	Refusal string // empty: the text of the library
}

// Redact configures the advisor that masks answers.
type Redact struct {
	Patterns  []string // regular expressions
	Variables []string // variables of the environment whose values are masked
}

// Logger configures the advisor that logs.
type Logger struct {
	File   string // empty: the log of the program
	Rounds bool   // each model call, not each turn
}

func advisorKnobs() []Knob {
	knobs := []Knob{
		{Name: "advisors.use", Choices: []string{AdvisorMemory, AdvisorSafeguard, AdvisorRedact, AdvisorLogger, AdvisorRetrieval}, at: func(c *Config) any { return &c.Advisors.Use },
			Help: "Let conversations pass through the advisor `NAME`, the outermost first: memory, which is the first in any case, safeguard, redact, logger, retrieval, which searches the documents of the home."},
		{Name: "advisors.memory.kind", Choices: []string{MemoryConversation, MemoryProcess, MemoryOff}, Default: MemoryConversation, at: func(c *Config) any { return &c.Advisors.Memory },
			Help: "What the model sees of earlier turns, within chat.window and chat.windowTokens: `KIND` is conversation, process (only what was said since the start) or off."},
		{Name: "advisors.safeguard.words", at: func(c *Config) any { return &c.Advisors.Safeguard.Words },
			Help: "Answer a question in which `WORD` occurs with a refusal, without asking the model."},
		{Name: "advisors.safeguard.refusal", at: func(c *Config) any { return &c.Advisors.Safeguard.Refusal },
			Help: "Refuse with `TEXT`; left out: a sentence that asks for other words."},
		{Name: "advisors.redact.patterns", check: pattern, at: func(c *Config) any { return &c.Advisors.Redact.Patterns },
			Help: "Mask what matches the regular expression `RE` in answers, up to 256 bytes; one with a comma stands in the file."},
		{Name: "advisors.redact.variables", at: func(c *Config) any { return &c.Advisors.Redact.Variables },
			Help: "Mask the value of the variable `NAME` in answers; the keys of profiles and the tokens of the program are masked in any case."},
		{Name: "advisors.logger.file", at: func(c *Config) any { return &c.Advisors.Logger.File },
			Help: "Append the lines of the logger to `FILE`; left out: they go where the other messages of the program go."},
		{Name: "advisors.logger.rounds", Default: "false", at: func(c *Config) any { return &c.Advisors.Logger.Rounds },
			Help: "Log each call of the model, not each turn."},
	}
	for i := range knobs {
		knobs[i].Section, knobs[i].Programs = sectionChat, talking()
	}
	return knobs
}

func pattern(text string) error {
	if _, err := regexp.Compile(text); err != nil {
		return errors.New("it must be a regular expression, such as [A-Z]{2}[0-9]{6}")
	}
	return nil
}

// checkAdvisors rejects advisors without the options that they need, and options without
// their advisor.
func (c *Config) checkAdvisors() error {
	a := &c.Advisors
	wrong := func(knob, what string) error { return fmt.Errorf("%s: %s: %s", c.Origin(knob).Place, knob, what) }
	switch at := slices.Index(a.Use, AdvisorMemory); {
	case at > 0:
		return wrong("advisors.use", "memory must be the first: earlier turns are loaded before any advisor sees the question")
	case at == 0 && a.Memory == MemoryOff:
		return wrong("advisors.use", "it names memory, and advisors.memory.kind is off")
	}
	if slices.Contains(a.Use, AdvisorSafeguard) && len(a.Safeguard.Words) == 0 {
		return wrong("advisors.use", "safeguard refuses nothing without advisors.safeguard.words")
	}
	if c.Origin("advisors.use").Kind != FromDefault { // an empty list can switch configured advisors off
		return nil
	}
	for _, option := range []struct{ knob, advisor string }{
		{"advisors.safeguard.words", AdvisorSafeguard}, {"advisors.safeguard.refusal", AdvisorSafeguard}, {"advisors.redact.patterns", AdvisorRedact},
		{"advisors.redact.variables", AdvisorRedact}, {"advisors.logger.file", AdvisorLogger}, {"advisors.logger.rounds", AdvisorLogger},
	} {
		if c.Origin(option.knob).Kind != FromDefault {
			return wrong(option.knob, "it has no effect: name "+option.advisor+" in advisors.use")
		}
	}
	return nil
}
