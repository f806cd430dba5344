package conversation_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
)

func TestTitleOf(t *testing.T) {
	for question, want := range map[string]string{
		"What time is it in Tokyo?":                                "What time is it in Tokyo?",
		"  Use saveNote to write a list. Then read it again.":      "Use saveNote to write a list",
		"Is 3.14 close enough? I think so":                         "Is 3.14 close enough?",
		"Read v1.2 of the file":                                    "Read v1.2 of the file",
		"Sum this:\n\n1\n2":                                        "Sum this:",
		"# Plan the trip\nto Seoul":                                "Plan the trip",
		"e.g. a table":                                             "e.g. a table",
		"오늘 서울 날씨는 어때요？ 그리고 내일은？":                                  "오늘 서울 날씨는 어때요？",
		"Compare the two proposals about the storage of documents": "Compare the two proposals about the storage of…",
		strings.Repeat("x", 100):                                   strings.Repeat("x", 47) + "…",
		"":                                                         "",
	} {
		m := llm.UserText(question)
		assert.Equal(t, want, conversation.TitleOf(&m), question)
	}
}
