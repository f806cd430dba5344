package hubapi

import (
	"strings"
	"time"

	"github.com/localpass/localpass/mcphub/inspector"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// The archive in HAR 1.2, with the parts that messages without headers can fill.
type (
	har struct {
		Log harLog `json:"log"`
	}
	harLog struct {
		Version string     `json:"version"`
		Creator harCreator `json:"creator"`
		Entries []harEntry `json:"entries"`
	}
	harCreator struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	harEntry struct {
		Started  time.Time   `json:"startedDateTime"`
		Time     float64     `json:"time"`
		Request  harRequest  `json:"request"`
		Response harResponse `json:"response"`
		Cache    struct{}    `json:"cache"`
		Timings  harTimings  `json:"timings"`
		Comment  string      `json:"comment,omitempty"`
	}
	harRequest struct {
		Method      string   `json:"method"`
		URL         string   `json:"url"`
		HTTPVersion string   `json:"httpVersion"`
		Cookies     []string `json:"cookies"`
		Headers     []string `json:"headers"`
		Query       []string `json:"queryString"`
		Post        harText  `json:"postData"`
		HeadersSize int      `json:"headersSize"`
		BodySize    int      `json:"bodySize"`
	}
	harResponse struct {
		Status      int      `json:"status"`
		StatusText  string   `json:"statusText"`
		HTTPVersion string   `json:"httpVersion"`
		Cookies     []string `json:"cookies"`
		Headers     []string `json:"headers"`
		Content     harText  `json:"content"`
		RedirectURL string   `json:"redirectURL"`
		HeadersSize int      `json:"headersSize"`
		BodySize    int      `json:"bodySize"`
	}
	harText struct {
		Size     int    `json:"size"`
		MimeType string `json:"mimeType"`
		Text     string `json:"text"`
	}
	harTimings struct {
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
	}
)

// harOf makes an archive: a request and its response are one entry, and so is each
// message without a counterpart. Messages from the server are written as responses.
// Headers are unknown, and there is a status only if there was a response.
func harOf(frames []inspector.Frame, address string) har {
	type key struct {
		session uint64
		id      string
		sent    bool // whether this side sent the request
	}
	asked := map[key]int{}
	entries := []harEntry{}
	none := []string{}
	for i := range frames {
		f := &frames[i]
		text := harText{f.Size, "application/json", f.Text}
		half := key{f.Session, f.ID, !f.Sent}
		if at, ok := asked[half]; ok && f.Method == "" && f.ID != "" {
			e := &entries[at]
			e.Time = rpc.Millis(f.At.Sub(e.Started))
			e.Timings.Wait = e.Time
			if f.Sent {
				e.Request.Post, e.Request.BodySize = text, f.Size
			} else {
				e.Response.Status, e.Response.StatusText, e.Response.Content, e.Response.BodySize = 200, "OK", text, f.Size
			}
			delete(asked, half)
			continue
		}
		e := harEntry{Started: f.At, Comment: strings.TrimSpace(f.Method + " " + f.Failure),
			Request:  harRequest{Method: "POST", URL: address, HTTPVersion: "HTTP/1.1", Cookies: none, Headers: none, Query: none, HeadersSize: -1, Post: harText{MimeType: "application/json"}},
			Response: harResponse{HTTPVersion: "HTTP/1.1", Cookies: none, Headers: none, HeadersSize: -1, BodySize: -1, Content: harText{MimeType: "application/json"}}}
		if f.Sent {
			e.Request.Post, e.Request.BodySize = text, f.Size
		} else if f.Failure == "" {
			e.Response.Content, e.Response.BodySize = text, f.Size
		}
		if f.Method != "" && f.ID != "" {
			asked[key{f.Session, f.ID, f.Sent}] = len(entries)
		}
		entries = append(entries, e)
	}
	return har{harLog{Version: "1.2", Creator: harCreator{rpc.LibraryName, rpc.LibraryVersion}, Entries: entries}}
}
