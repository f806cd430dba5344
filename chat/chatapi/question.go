package chatapi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/internal/httpapi"
)

const (
	// maxQuestion is the maximum size of a question's text, in bytes: 1 MiB, as for other
	// bodies.
	maxQuestion = 1 << 20
	// maxEdge and maxPixels are the maximum size of an image: providers reduce images to
	// 2,048 pixels per edge, so larger images have little use, and a decoded image takes
	// memory for all its pixels.
	maxEdge   = 16_384
	maxPixels = 100_000_000
)

// question returns the message that a request sends.
func (a *API) question(body *apiTurnRequest) (llm.Message, error) {
	m := llm.Message{Role: llm.RoleUser}
	switch {
	case len(body.Text) > maxQuestion:
		return m, httpapi.InvalidArgument.New("text is longer than %d bytes", maxQuestion)
	case strings.TrimSpace(body.Text) == "" && len(body.Images) == 0 && len(body.Attachments) == 0:
		return m, httpapi.InvalidArgument.New("ask something: text is empty")
	case len(body.Images) > a.opts.MaxImages:
		return m, httpapi.InvalidArgument.New("at most %d images go with a question", a.opts.MaxImages)
	}
	documents, err := attachments(body.Attachments)
	if err != nil {
		return m, err
	}
	m.Parts = append(m.Parts, documents...)
	if body.Text != "" {
		m.Parts = append(m.Parts, llm.Text{Text: body.Text})
	}
	for i := range body.Images {
		in := &body.Images[i]
		p, err := a.image(in.Data, in.MIMEType)
		if err != nil {
			return m, httpapi.InvalidArgument.New("images[%d]: %v", i, err)
		}
		p.Name, p.Detail = in.Name, in.Detail
		switch p.Detail {
		case "", "low", "high", "auto":
		default:
			return m, httpapi.InvalidArgument.New("images[%d]: detail is low, high or auto", i)
		}
		if utf8.RuneCountInString(p.Name) > maxTitle {
			return m, httpapi.InvalidArgument.New("images[%d]: name is longer than %d", i, maxTitle)
		}
		m.Parts = append(m.Parts, p)
	}
	return m, nil
}

// Limits of the attachments of a question: as many documents as the playground that this
// library is modelled on accepts, and as much text as a body of the API may have.
const (
	maxAttachments     = 5
	maxAttachmentBytes = 1 << 20 // for all of them together
)

// attachments returns the attached documents whose text can be read.
func attachments(list []apiAttachment) ([]llm.Part, error) {
	if len(list) > maxAttachments {
		return nil, httpapi.InvalidArgument.New("at most %d attachments go with a question", maxAttachments)
	}
	var out []llm.Part
	size := 0
	for i := range list {
		d := llm.Document{Name: strings.TrimSpace(list[i].Name), MIMEType: list[i].MIMEType, Text: list[i].Text}
		size += len(d.Text)
		switch {
		case d.Name == "" || utf8.RuneCountInString(d.Name) > maxTitle:
			return nil, httpapi.InvalidArgument.New("attachments[%d]: name has 1 to %d characters", i, maxTitle)
		case len(d.MIMEType) > maxTitle:
			return nil, httpapi.InvalidArgument.New("attachments[%d]: mimeType is longer than %d", i, maxTitle)
		case strings.TrimSpace(d.Text) == "":
			return nil, httpapi.InvalidArgument.New("attachments[%d]: %s has no text that could be read", i, clip.OneLine(d.Name, 60))
		case strings.ContainsRune(d.Text, 0):
			return nil, httpapi.InvalidArgument.New("attachments[%d]: %s is no text: it holds a zero byte", i, clip.OneLine(d.Name, 60))
		case size > maxAttachmentBytes:
			return nil, httpapi.InvalidArgument.New("attachments[%d]: the attachments are larger than %d bytes together", i, maxAttachmentBytes)
		}
		out = append(out, d)
	}
	return out, nil
}

// image returns an image after checking that its bytes have the declared type. Only its
// header is read.
func (a *API) image(data []byte, said string) (llm.Image, error) {
	if len(data) > a.opts.MaxImageBytes {
		return llm.Image{}, errors.New("it is too large")
	}
	is := http.DetectContentType(data)
	var width, height int
	var err error
	switch is {
	case "image/png":
		c, bad := png.DecodeConfig(bytes.NewReader(data))
		width, height, err = c.Width, c.Height, bad
	case "image/jpeg":
		c, bad := jpeg.DecodeConfig(bytes.NewReader(data))
		width, height, err = c.Width, c.Height, bad
	case "image/gif":
		c, bad := gif.DecodeConfig(bytes.NewReader(data))
		width, height, err = c.Width, c.Height, bad
	case "image/webp":
		width, height, err = webpSize(data)
	default:
		return llm.Image{}, errors.New("it is no PNG, JPEG, WebP or GIF")
	}
	switch {
	case err != nil:
		return llm.Image{}, errors.New("it cannot be read")
	case said != "" && !strings.EqualFold(said, is):
		return llm.Image{}, errors.New("it is " + is + ", and mimeType says something else")
	case width < 1 || height < 1 || width > maxEdge || height > maxEdge || width*height > maxPixels:
		return llm.Image{}, errors.New("it has too many pixels, or none")
	}
	return llm.Image{MIMEType: is, Data: data}, nil
}

// webpSize reads the size of a WebP image from its first chunk: VP8, VP8L or VP8X
// (developers.google.com/speed/webp/docs/riff_container).
func webpSize(data []byte) (width, height int, err error) {
	if len(data) < 30 || string(data[:4]) != "RIFF" || string(data[8:12]) != "WEBP" {
		return 0, 0, errors.New("no WebP")
	}
	at := data[20:] // after the header of the chunk
	switch string(data[12:16]) {
	case "VP8 ":
		if at[3] != 0x9d || at[4] != 0x01 || at[5] != 0x2a {
			return 0, 0, errors.New("no key frame")
		}
		return int(binary.LittleEndian.Uint16(at[6:]) & 0x3fff), int(binary.LittleEndian.Uint16(at[8:]) & 0x3fff), nil
	case "VP8L":
		if at[0] != 0x2f {
			return 0, 0, errors.New("no lossless frame")
		}
		bits := binary.LittleEndian.Uint32(at[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, nil
	case "VP8X":
		three := func(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
		return three(at[4:]) + 1, three(at[7:]) + 1, nil
	}
	return 0, 0, errors.New("an unknown kind of WebP")
}
