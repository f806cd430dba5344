package modelservers

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// Asked is a request as a server understands it, independent of the API.
type Asked struct {
	// API is "chat" or "responses".
	API   string
	Model string
	// Key is the bearer token of the request.
	Key string
	// Word is the last word of the last user message.
	Word string
	// Image is the image in the last user message, and Images the number of
	// images in the whole conversation.
	Image  []byte
	Images int
	// Tools are the names of the tools that may be called.
	Tools []string
	// Results are the tool results since the last user message.
	Results []string
	// Effort is the requested reasoning effort; it is also "none" if the chat template is
	// told not to think. Format is the requested format of the answer: json_object,
	// json_schema or empty.
	Effort, Format string
	// Fields holds the names of the members of the request.
	Fields map[string]bool
	Stream bool
	// Size is the size of the request in bytes.
	Size int
}

// has reports whether the request has a member with this name.
func (a *Asked) has(field string) bool { return a.Fields[field] }

type part struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	ImageURL json.RawMessage `json:"image_url"` // {"url":…} in Chat Completions, a string in Responses
}

type request struct {
	Model           string            `json:"model"`
	Messages        []json.RawMessage `json:"messages"`
	Input           []json.RawMessage `json:"input"`
	Stream          bool              `json:"stream"`
	ReasoningEffort string            `json:"reasoning_effort"`
	Reasoning       struct {
		Effort string `json:"effort"`
	} `json:"reasoning"`
	Template struct {
		Thinking *bool `json:"enable_thinking"`
	} `json:"chat_template_kwargs"`
	Tools []struct {
		Name     string `json:"name"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
	ResponseFormat struct {
		Type string `json:"type"`
	} `json:"response_format"`
	Text struct {
		Format struct {
			Type string `json:"type"`
		} `json:"format"`
	} `json:"text"`
}

// readChat parses a request of Chat Completions.
func readChat(body []byte) (*Asked, error) {
	a, req, err := begin("chat", body)
	if err != nil {
		return nil, err
	}
	if len(req.Messages) == 0 {
		return nil, fmt.Errorf("'messages' is missing")
	}
	a.Effort, a.Format = req.ReasoningEffort, req.ResponseFormat.Type
	if t := req.Template.Thinking; t != nil && !*t {
		a.Effort = "none"
	}
	for _, t := range req.Tools {
		a.Tools = append(a.Tools, t.Function.Name)
	}
	for _, raw := range req.Messages {
		var m struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			return nil, fmt.Errorf("a message cannot be read: %w", err)
		}
		if err := a.message(m.Role, m.Content); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// readResponses parses a request of the Responses API.
func readResponses(body []byte) (*Asked, error) {
	a, req, err := begin("responses", body)
	if err != nil {
		return nil, err
	}
	if len(req.Input) == 0 {
		return nil, fmt.Errorf("'input' is missing")
	}
	a.Effort, a.Format = req.Reasoning.Effort, req.Text.Format.Type
	for _, t := range req.Tools {
		a.Tools = append(a.Tools, t.Name)
	}
	for _, raw := range req.Input {
		var item struct {
			Type    string          `json:"type"`
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			Output  json.RawMessage `json:"output"`
		}
		if err := json.Unmarshal(raw, &item); err != nil {
			return nil, fmt.Errorf("an item cannot be read: %w", err)
		}
		switch item.Type {
		case "message", "":
			err = a.message(item.Role, item.Content)
		case "function_call_output":
			err = a.message("tool", item.Output)
		}
		if err != nil {
			return nil, err
		}
	}
	return a, nil
}

func begin(api string, body []byte) (*Asked, *request, error) {
	var req request
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, nil, fmt.Errorf("the request cannot be read: %w", err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, nil, fmt.Errorf("the request cannot be read: %w", err)
	}
	a := &Asked{API: api, Model: req.Model, Stream: req.Stream, Size: len(body), Fields: map[string]bool{}}
	for name := range members {
		a.Fields[name] = true
	}
	return a, &req, nil
}

// message adds one message of the conversation.
func (a *Asked) message(role string, content json.RawMessage) error {
	text, image, images, err := readContent(content)
	if err != nil {
		return err
	}
	a.Images += images
	switch role {
	case "user":
		words := strings.Fields(text)
		if len(words) == 0 {
			return nil
		}
		a.Word = strings.ToLower(strings.Trim(words[len(words)-1], ".,:;!?"))
		a.Image, a.Results = image, nil
	case "tool":
		a.Results = append(a.Results, text)
	}
	return nil
}

func readContent(raw json.RawMessage) (text string, image []byte, images int, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil, 0, nil
	}
	if json.Unmarshal(raw, &text) == nil {
		return text, nil, 0, nil
	}
	var parts []part
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", nil, 0, fmt.Errorf("content cannot be read: %w", err)
	}
	for _, p := range parts {
		if len(p.ImageURL) == 0 {
			text += p.Text
			continue
		}
		images++
		at := ""
		if json.Unmarshal(p.ImageURL, &at) != nil {
			var in struct {
				URL string `json:"url"`
			}
			if err := json.Unmarshal(p.ImageURL, &in); err != nil {
				return "", nil, 0, fmt.Errorf("image_url cannot be read: %w", err)
			}
			at = in.URL
		}
		_, data, ok := strings.Cut(at, ";base64,")
		if !ok {
			return "", nil, 0, fmt.Errorf("image_url is no data URL")
		}
		if image, err = base64.StdEncoding.DecodeString(data); err != nil {
			return "", nil, 0, fmt.Errorf("image_url: %w", err)
		}
	}
	return text, image, images, nil
}
