package egress

import (
	"context"
	"io"
	"net/http"
	"strings"
)

// drainBytes is how much of the body of a redirect is read so that its connection can be
// reused.
const drainBytes = 4 << 10

// Do sends a request and follows its redirects, at most Limits.Redirect of them, all
// within Limits.Request of time. A redirect is a response with a status from 300 to 399,
// except 304, and a Location header; any other response is returned. Status 303 changes
// the method to GET, and 301 and 302 do so for POST, PUT and PATCH; otherwise the body is
// sent again for POST, PUT, PATCH and DELETE, if the request has GetBody. The Request of
// the response is the last request that was sent.
func (c *Call) Do(req *http.Request) (*http.Response, error) {
	parent := req.Context()
	ctx, cancel := context.WithTimeout(parent, c.limits.Request)
	resp, err := c.follow(parent, ctx, cancel, req)
	if err != nil {
		cancel()
		return nil, c.refused(parent, err)
	}
	return resp, nil
}

func (c *Call) follow(parent, ctx context.Context, cancel context.CancelFunc, req *http.Request) (*http.Response, *Error) {
	if !keepsBody(req.Method) && req.Body != nil {
		req.Body.Close()
		req = req.WithContext(parent)
		req.Body, req.GetBody, req.ContentLength = nil, nil, 0
	}
	for hops := 0; ; hops++ {
		resp, err := c.hop(parent, ctx, cancel, req)
		if err != nil {
			return nil, err
		}
		location := redirection(resp)
		if location == "" {
			return resp, nil
		}
		if raw := resp.Body.(*body).ReadCloser; resp.ContentLength <= drainBytes {
			io.CopyN(io.Discard, raw, drainBytes)
			raw.Close()
		} else {
			raw.Close()
		}
		if hops >= max(c.limits.Redirect, 0) {
			return nil, tooManyRedirects(c.limits.Redirect)
		}
		if req, err = c.onward(parent, req, resp, location); err != nil {
			return nil, err
		}
	}
}

// redirection returns the location to which a response redirects, "" if it does not
// redirect.
func redirection(resp *http.Response) string {
	if resp.StatusCode < 300 || resp.StatusCode > 399 || resp.StatusCode == http.StatusNotModified {
		return ""
	}
	return strings.TrimSpace(resp.Header.Get("Location"))
}

func keepsBody(method string) bool {
	switch method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return true
	}
	return false
}

// onward creates the request that follows a redirect. When it is sent, the policy decides
// which headers it may carry.
func (c *Call) onward(ctx context.Context, req *http.Request, resp *http.Response, location string) (*http.Request, *Error) {
	u, parseErr := req.URL.Parse(location)
	if err := c.steered(req, u, location); err != nil { // checked before any error that would contain a part of location
		return nil, err
	}
	if err := checkAuthority(location); err != nil {
		return nil, err
	}
	if parseErr != nil {
		return nil, invalid(ReasonInvalidURL, "a redirect leads to something that is no URL")
	}
	next := req.WithContext(ctx)
	next.URL, next.Host, next.Response = u, "", resp
	changed := resp.StatusCode == http.StatusSeeOther ||
		(resp.StatusCode == http.StatusMovedPermanently || resp.StatusCode == http.StatusFound) &&
			(req.Method == http.MethodPost || req.Method == http.MethodPut || req.Method == http.MethodPatch)
	if changed {
		next.Method = http.MethodGet
	}
	if keepsBody(next.Method) && req.Body != nil && req.Body != http.NoBody {
		if req.GetBody == nil {
			return nil, invalid(ReasonBodyNotRewindable, "a redirect asks for the body again, which cannot be read twice")
		}
		again, err := req.GetBody()
		if err != nil {
			return nil, failed(ReasonIO, "the body cannot be read again", err)
		}
		next.Body = again
		return next, nil
	}
	next.Body, next.GetBody, next.ContentLength = nil, nil, 0
	if req.Body != nil {
		next.Header = next.Header.Clone()
		for _, name := range [...]string{"Content-Type", "Content-Encoding", "Content-Language", "Content-Location"} {
			next.Header.Del(name)
		}
	}
	return next, nil
}
