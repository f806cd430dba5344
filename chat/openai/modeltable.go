package openai

import (
	"slices"
	"strings"
)

// needsResponses says when a model needs the Responses API instead of Chat Completions.
type needsResponses uint8

const (
	responsesNever    needsResponses = iota
	responsesForTools                // for tools with reasoning
	responsesAlways
)

// modelRow is what is known about the models whose names begin with prefix.
type modelRow struct {
	prefix    string
	efforts   []string // values of reasoning_effort, the lowest first
	fixed     bool     // sampling options are refused
	vision    bool
	context   int // tokens
	responses needsResponses
}

var (
	effortsClassic = []string{effortLow, effortMedium, effortHigh}
	effortsFive    = []string{effortMinimal, effortLow, effortMedium, effortHigh}
	effortsFive1   = []string{effortNone, effortLow, effortMedium, effortHigh}
	effortsFive2   = []string{effortNone, effortLow, effortMedium, effortHigh, effortXHigh}
	effortsCodex   = []string{effortLow, effortMedium, effortHigh, effortXHigh}
	effortsPro     = []string{effortMedium, effortHigh, effortXHigh}
	effortsSix     = []string{effortLow, effortMedium, effortHigh, effortXHigh, effortMax}
	effortsSixNone = []string{effortNone, effortLow, effortMedium, effortHigh, effortXHigh, effortMax}
)

// modelRows lists the models of OpenAI, from its documentation and the checks in
// go-openai 1.43. The longest matching prefix counts. A newer model of a family gets the
// row of the family: settings that it refuses are left out, and Options.Describe can
// correct limits that are too low.
var modelRows = [...]modelRow{
	{prefix: "gpt-3.5", context: 16_385},
	{prefix: "gpt-4", context: 8_192},
	{prefix: "gpt-4-turbo", vision: true, context: 128_000},
	{prefix: "gpt-4o", vision: true, context: 128_000},
	{prefix: "gpt-4.1", vision: true, context: 1_047_576},
	{prefix: "gpt-4.5", vision: true, context: 128_000},
	{prefix: "chatgpt-4o", vision: true, context: 128_000},
	{prefix: "o1", efforts: effortsClassic, fixed: true, vision: true, context: 200_000},
	{prefix: "o1-mini", fixed: true, context: 128_000},
	{prefix: "o1-preview", fixed: true, context: 128_000},
	{prefix: "o1-pro", efforts: effortsClassic, fixed: true, vision: true, context: 200_000, responses: responsesAlways},
	{prefix: "o3", efforts: effortsClassic, fixed: true, vision: true, context: 200_000},
	{prefix: "o3-mini", efforts: effortsClassic, fixed: true, context: 200_000},
	{prefix: "o3-pro", efforts: effortsClassic, fixed: true, vision: true, context: 200_000, responses: responsesAlways},
	{prefix: "o3-deep-research", efforts: []string{effortMedium}, fixed: true, vision: true, context: 200_000, responses: responsesAlways},
	{prefix: "o4", efforts: effortsClassic, fixed: true, vision: true, context: 200_000},
	{prefix: "o4-mini-deep-research", efforts: []string{effortMedium}, fixed: true, vision: true, context: 200_000, responses: responsesAlways},
	{prefix: "codex-mini", efforts: effortsClassic, fixed: true, vision: true, context: 200_000, responses: responsesAlways},
	{prefix: "gpt-5", efforts: effortsFive, fixed: true, vision: true, context: 400_000},
	{prefix: "gpt-5-chat", vision: true, context: 128_000},
	{prefix: "gpt-5-codex", efforts: effortsClassic, fixed: true, vision: true, context: 400_000, responses: responsesAlways},
	{prefix: "gpt-5-pro", efforts: []string{effortHigh}, fixed: true, vision: true, context: 400_000, responses: responsesAlways},
	{prefix: "gpt-5.", efforts: effortsFive2, fixed: true, vision: true, context: 400_000},
	{prefix: "gpt-5.1", efforts: effortsFive1, fixed: true, vision: true, context: 400_000},
	{prefix: "gpt-5.1-chat", efforts: []string{effortMedium}, fixed: true, vision: true, context: 128_000},
	{prefix: "gpt-5.1-codex", efforts: effortsClassic, fixed: true, vision: true, context: 400_000, responses: responsesAlways},
	{prefix: "gpt-5.1-codex-max", efforts: effortsCodex, fixed: true, vision: true, context: 400_000, responses: responsesAlways},
	{prefix: "gpt-5.2-chat", efforts: []string{effortMedium}, fixed: true, vision: true, context: 128_000},
	{prefix: "gpt-5.2-codex", efforts: effortsCodex, fixed: true, vision: true, context: 400_000, responses: responsesAlways},
	{prefix: "gpt-5.2-pro", efforts: effortsPro, fixed: true, vision: true, context: 400_000, responses: responsesAlways},
	{prefix: "gpt-5.3-chat", efforts: []string{effortMedium}, fixed: true, vision: true, context: 128_000},
	{prefix: "gpt-5.3-codex", efforts: effortsCodex, fixed: true, vision: true, context: 400_000, responses: responsesAlways},
	{prefix: "gpt-5.4-pro", efforts: effortsPro, fixed: true, vision: true, context: 400_000, responses: responsesAlways},
	{prefix: "gpt-5.5-pro", efforts: effortsPro, fixed: true, vision: true, context: 400_000, responses: responsesAlways},
	{prefix: "gpt-6", efforts: effortsSix, fixed: true, vision: true, context: 400_000, responses: responsesForTools},
	{prefix: "gpt-6-sol", efforts: effortsSixNone, fixed: true, vision: true, context: 400_000, responses: responsesForTools},
	{prefix: "gpt-6-luna", efforts: effortsSixNone, fixed: true, vision: true, context: 400_000, responses: responsesForTools},
	{prefix: "gpt-oss", efforts: effortsClassic, context: 131_072},
}

// modelRowOf returns the row of a model, the zero row if it is unknown.
func modelRowOf(model string) modelRow {
	name := bareModel(model)
	var best modelRow
	for i := range modelRows {
		row := &modelRows[i]
		if len(row.prefix) > len(best.prefix) && strings.HasPrefix(name, row.prefix) && ends(name[len(row.prefix):], row.prefix) {
			best = *row
		}
	}
	return best
}

// ends reports whether rest may follow a prefix in the name of a model of that family:
// gpt-5-mini belongs to gpt-5, but o10 does not belong to o1.
func ends(rest, prefix string) bool {
	return rest == "" || strings.HasSuffix(prefix, ".") || !(rest[0] >= '0' && rest[0] <= '9' || rest[0] >= 'a' && rest[0] <= 'z')
}

// bareModel returns the name of a model without a vendor prefix ("openai/gpt-5") and
// without the prefix of a fine-tuned model ("ft:gpt-4o:name").
func bareModel(model string) string {
	name := strings.ToLower(model)
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		name = name[at+1:]
	}
	return strings.TrimPrefix(name, "ft:")
}

// thinkers lists parts of the names of reasoning models.
var thinkers = [...]string{"deepseek-r1", "reasoner", "reasoning", "thinking", "qwq", "qwen3", "magistral", "gpt-oss"}

// switches reports whether the template of a model has the switch enable_thinking, as
// hybrid models do that can answer with or without thinking.
func switches(bare string) bool {
	return strings.Contains(bare, "qwen3") && !named(bare, []string{"thinking", "instruct", "coder"}) || strings.Contains(bare, "glm-4.5")
}

// named reports whether the name of a model of another vendor contains one of the pieces.
func named(model string, pieces []string) bool {
	name := strings.ToLower(model)
	return slices.ContainsFunc(pieces, func(p string) bool { return strings.Contains(name, p) })
}
