package openai

import "strings"

// chunk is the content of one chunk of a stream. Its memory is reused for the next chunk;
// strings are copies, raw values refer to the data of the chunk.
type chunk struct {
	id        string
	text      string
	refusal   string
	reasoning string
	details   [][]byte // elements of reasoning_details, unchanged
	calls     []fragment
	finish    string
	usage     []byte
	timings   []byte // token counts of llama.cpp
	failure   []byte // an error instead of an answer
}

// fragment is a piece of a call.
type fragment struct {
	index    int // -1 if absent
	id, name string
	args     string // an object instead of a string is used as it is
}

func (k *chunk) reset() {
	calls, details := k.calls[:0], k.details[:0]
	clear(k.calls)
	*k = chunk{calls: calls, details: details}
}

// read parses a chunk. wantID says whether to read the id.
func (k *chunk) read(data []byte, wantID bool) error {
	k.reset()
	c := cursor{b: data}
	if c.peek() != '{' {
		return errJSON
	}
	choices, saysWhy := false, false
	for name := range c.members() {
		switch string(name) {
		case "choices":
			choices = true
			for range c.elements() { // there is only one, since requests never ask for more
				k.choice(&c)
			}
		case "usage":
			k.usage = c.raw()
		case "timings":
			k.timings = c.raw()
		case "id":
			if wantID {
				k.id = strings.ToValidUTF8(c.text(), "\uFFFD")
			} else {
				c.skip()
			}
		case "error":
			if k.failure = c.raw(); string(k.failure) == `""` || string(k.failure) == "false" {
				k.failure = nil
			}
		case "message", "detail":
			saysWhy = true
			c.skip()
		default:
			c.skip()
		}
	}
	if err := c.checkEnd(); err != nil {
		return err
	}
	if !choices && saysWhy && k.failure == nil {
		k.failure = data // an error without the member "error"
	}
	return nil
}

func (k *chunk) choice(c *cursor) {
	for name := range c.members() {
		switch string(name) {
		case "delta", "message": // "message" is for an answer that is not streamed
			k.delta(c)
		case "finish_reason":
			if finish := c.text(); finish != "" {
				k.finish = finish
			}
		case "error":
			if failure := c.raw(); failure != nil {
				k.failure = failure
			}
		default:
			c.skip()
		}
	}
}

func (k *chunk) delta(c *cursor) {
	var spelled [3]string // reasoning under its different names; the first that is not empty counts
	for name := range c.members() {
		switch string(name) {
		case "content":
			k.content(c, &spelled[2])
		case "refusal":
			k.refusal = c.text()
		case "reasoning_content":
			spelled[0] = c.text()
		case "reasoning":
			spelled[1] = c.text()
		case "reasoning_details":
			k.detail(c, &spelled[2])
		case "tool_calls":
			k.toolCalls(c)
		case "function_call": // the old name for one call
			f := fragment{index: -1}
			k.function(c, &f)
			if f.name != "" || f.args != "" {
				k.calls = append(k.calls, f)
			}
		default:
			c.skip()
		}
	}
	for _, text := range spelled {
		if k.reasoning == "" {
			k.reasoning = text
		}
	}
}

// content reads a content, which is a string or a list of parts.
func (k *chunk) content(c *cursor, reasoning *string) {
	if c.peek() == '"' {
		k.text = c.text()
		return
	}
	for range c.elements() {
		if c.peek() == '"' {
			k.text += c.text()
			continue
		}
		text, thought := readContentPart(c)
		k.text += text
		*reasoning += thought
	}
}

// readContentPart reads one part of a content or of reasoning, and returns its text or summary, and
// its thinking.
func readContentPart(c *cursor) (text, thought string) {
	for name := range c.members() {
		switch string(name) {
		case "text", "summary":
			text += c.text()
		case "thinking":
			if c.peek() == '"' {
				thought += c.text()
				continue
			}
			for range c.elements() {
				inner, _ := readContentPart(c)
				thought += inner
			}
		default:
			c.skip()
		}
	}
	return text, thought
}

// detail reads OpenRouter's list of reasoning details.
func (k *chunk) detail(c *cursor, reasoning *string) {
	for range c.elements() {
		c.peek()
		start := c.i
		text, _ := readContentPart(c)
		*reasoning += text
		if !c.bad {
			k.details = append(k.details, c.b[start:c.i])
		}
	}
}

func (k *chunk) toolCalls(c *cursor) {
	for range c.elements() {
		if c.peek() != '{' {
			c.skip()
			continue
		}
		f := fragment{index: -1}
		for name := range c.members() {
			switch string(name) {
			case "index":
				if n, ok := c.number(); ok {
					f.index = n
				}
			case "id":
				f.id = c.text()
			case "function":
				k.function(c, &f)
			default:
				c.skip()
			}
		}
		k.calls = append(k.calls, f)
	}
}

func (k *chunk) function(c *cursor, f *fragment) {
	for name := range c.members() {
		switch string(name) {
		case "name":
			f.name = c.text()
		case "arguments":
			if c.peek() == '"' {
				f.args = c.text()
			} else if raw := c.raw(); raw != nil {
				f.args = string(raw)
			}
		default:
			c.skip()
		}
	}
}
