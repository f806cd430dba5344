package embedding

import "strings"

// thresholds are the lowest scores that separate answers from other documents, by the
// beginning of a model's name: the middle between the ranges of correct documents and of
// those found for questions without an answer, that Spring AI Playground published for a
// small English corpus. In brackets: correct, unanswerable. Its former threshold for every
// model, 0.6, loses correct documents of the first one; and a question in another language
// than the document costs about 0.1.
var thresholds = []struct {
	model     string
	threshold float64
}{
	{"qwen3-embedding", 0.36},   // 0.48-0.65, 0.16-0.25
	{"bge-m3", 0.51},            // 0.64-0.70, 0.26-0.39
	{"mxbai-embed-large", 0.44}, // 0.42-0.74, 0.28-0.46: they overlap
}

// Threshold returns the recommended lowest score of a match for vectors of a model; nil if
// none was measured. rag.CalibrateThreshold measures one on documents of your own.
func Threshold(model string) *float64 {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, t := range thresholds {
		if strings.HasPrefix(name, t.model) {
			return &t.threshold
		}
	}
	return nil
}
