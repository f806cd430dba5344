package toolspec

import (
	"encoding/json"
	"time"
)

// Result is the result of a call: content for the model in order, and optionally the same
// as structured JSON.
type Result struct {
	Content []Content
	// Structured is a JSON object that matches the definition's OutputSchema.
	Structured json.RawMessage
	// IsError says that the tool failed; the content then tells the model why,
	// beginning with the kind ("TIMEOUT: …").
	IsError bool
	// Err is the failure as data, if the callee knows it. A client receives it as the
	// _meta member "localpass/error".
	Err *CallError
	// Meta is sent to the client as _meta.
	Meta map[string]json.RawMessage
	// Findings are the rules of a scan that found text in the result, which another server
	// returned, that reads like orders to a model. A client receives them as the _meta member
	// "localpass/findings".
	Findings []string
	// Outcome says how the sandbox ran the call, for audit records and spans. It is nil
	// for a tool that did not run in a sandbox, and is never sent.
	Outcome *Outcome
}

// ContentType is the kind of a piece of content. Its values are MCP's.
type ContentType string

// The kinds of content.
const (
	ContentText     ContentType = "text"
	ContentImage    ContentType = "image"
	ContentAudio    ContentType = "audio"
	ContentResource ContentType = "resource"
	ContentLink     ContentType = "resource_link"
)

// Content is one piece of a result. Type determines which fields are used:
//
//	text           Text
//	image, audio   Data, MIMEType
//	resource       URI, MIMEType, and Text or Data
//	resource_link  URI, Name, and optionally Title, Description, MIMEType, Size
type Content struct {
	Type        ContentType
	Text        string
	Data        []byte
	MIMEType    string
	URI         string
	Name        string
	Title       string
	Description string
	Size        int64
	// Audience ("user", "assistant"), Priority (0 to 1) and Modified are MCP's
	// annotations; zero values are not sent.
	Audience []string
	Priority *float64
	Modified time.Time
	Meta     map[string]json.RawMessage
}

// Text returns a piece of text.
func Text(s string) Content { return Content{Type: ContentText, Text: s} }

// Image returns an image, such as Image(png, "image/png").
func Image(data []byte, mimeType string) Content {
	return Content{Type: ContentImage, Data: data, MIMEType: mimeType}
}

// Audio returns a sound, such as Audio(wav, "audio/wav").
func Audio(data []byte, mimeType string) Content {
	return Content{Type: ContentAudio, Data: data, MIMEType: mimeType}
}

// TextResource returns a resource with its text.
func TextResource(uri, mimeType, text string) Content {
	return Content{Type: ContentResource, URI: uri, MIMEType: mimeType, Text: text}
}

// BlobResource returns a resource with its bytes.
func BlobResource(uri, mimeType string, data []byte) Content {
	return Content{Type: ContentResource, URI: uri, MIMEType: mimeType, Data: data}
}

// Link returns a reference to a resource that the client can read.
func Link(uri, name string) Content {
	return Content{Type: ContentLink, URI: uri, Name: name}
}

// TextResult returns a result of one piece of text.
func TextResult(s string) *Result { return &Result{Content: []Content{Text(s)}} }

// ErrorResult returns the failed result that reports err to the model: its text begins
// with the kind.
func ErrorResult(err *CallError) *Result {
	return &Result{Content: []Content{Text(err.ModelText())}, IsError: true, Err: err}
}

// Text returns the text pieces of the result, joined by line feeds.
func (r *Result) Text() string {
	text, n := "", 0
	for _, c := range r.Content {
		if c.Type != ContentText {
			continue
		}
		if n++; n > 1 {
			text += "\n"
		}
		text += c.Text
	}
	return text
}
