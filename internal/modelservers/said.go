package modelservers

import (
	"bytes"
	"fmt"
	"image/png"
	"slices"
	"strings"
)

// said is an answer of the model.
type said struct {
	reasoning string
	text      []string // the text in pieces
	hold      bool     // wait after the first piece until the test calls Server.Continue
	calls     []called
}

type called struct{ id, name, arguments string }

// The texts, as in chat/internal/tinymodel.
const (
	sayHello   = "Hello, how can I help?"
	sayBecause = "Because it is so."
	sayOther   = "I know nothing of that."
	thinkWhy   = "They ask why."
)

// say selects the answer.
func (k *Kind) say(a *Asked) *said {
	calls := []called{{"call_time", "getTime", `{"zone":"Asia/Seoul"}`}, {"call_add", "add", `{"a":2,"b":40}`}}
	switch {
	case len(a.Results) > 0:
		return textAnswer("The tools say " + strings.Join(a.Results, " and ") + ".")
	case a.Word == "time" && slices.Contains(a.Tools, "getTime"):
		return &said{calls: calls[:1]}
	case a.Word == "both" && slices.Contains(a.Tools, "getTime") && slices.Contains(a.Tools, "add"):
		return &said{calls: calls}
	case a.Word == "hello":
		return textAnswer(sayHello)
	case a.Word == "long":
		return &said{text: []string{"one ", "two ", "three ", "four"}, hold: true}
	case a.Word == "why":
		s := textAnswer(sayBecause)
		if k.thinks && a.Effort != "none" {
			s.reasoning = thinkWhy
		}
		return s
	case a.Word == "json" && a.Format == "json_schema":
		return textAnswer(`{"city": "Seoul", "people": 9}`)
	case a.Word == "json" && a.Format == "json_object":
		return textAnswer(`{"name": "Seoul"}`)
	case a.Word == "json":
		return textAnswer("Nine million people live in Seoul.")
	case a.Word == "colour":
		return textAnswer(colour(a.Image))
	}
	return textAnswer(sayOther)
}

// textAnswer returns an answer with one text, in two pieces.
func textAnswer(text string) *said {
	half := len(text) / 2
	return &said{text: []string{text[:half], text[half:]}}
}

// colour names the colour in the middle of an image.
func colour(image []byte) string {
	if len(image) == 0 {
		return "I see no image."
	}
	img, err := png.Decode(bytes.NewReader(image))
	if err != nil {
		return "The image cannot be read."
	}
	middle := img.Bounds().Min.Add(img.Bounds().Size().Div(2))
	r, g, b, _ := img.At(middle.X, middle.Y).RGBA()
	name := "grey"
	switch {
	case r > g && r > b:
		name = "red"
	case g > r && g > b:
		name = "green"
	case b > r && b > g:
		name = "blue"
	}
	return fmt.Sprintf("The image is %s.", name)
}
