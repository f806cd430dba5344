package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Reply sends v as JSON.
func Reply(w http.ResponseWriter, status int, v any) error {
	body, err := marshal(v)
	if err != nil {
		return fmt.Errorf("httpapi: answer: %w", err)
	}
	return ReplyBytes(w, status, jsonType, body)
}

// ReplyBytes sends a finished body.
func ReplyBytes(w http.ResponseWriter, status int, contentType string, body []byte) error {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone: the error cannot be reported
	return nil
}

// ReplyCached answers a GET with v and an entity tag of its content, or with 304 if the
// client already has that content.
func ReplyCached(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := marshal(v)
	if err != nil {
		return fmt.Errorf("httpapi: answer: %w", err)
	}
	return replyTagged(w, r, jsonType, body)
}

func replyTagged(w http.ResponseWriter, r *http.Request, contentType string, body []byte) error {
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Cache-Control", "private, no-cache") // the browser may store it but must revalidate it each time
	if Matches(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return ReplyBytes(w, http.StatusOK, contentType, body)
}

// Matches reports whether an If-Match or If-None-Match header contains the tag.
func Matches(header, tag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		part = strings.TrimSpace(part)
		if part == "*" || strings.TrimPrefix(part, "W/") == tag {
			return true
		}
	}
	return false
}

// VersionTag returns the entity tag of a version.
func VersionTag(version int64) string { return `"v` + strconv.FormatInt(version, 10) + `"` }

// IfMatch returns the version that a write applies to: the one in If-Match, or any
// version for "*". Without the header the error is a problem of the kind
// precondition_required.
func IfMatch(r *http.Request) (version int64, anyVersion bool, err error) {
	header := strings.TrimSpace(r.Header.Get("If-Match"))
	switch {
	case header == "":
		return 0, false, PreconditionNeeded.New(`send the ETag of what you read as If-Match, or If-Match: * to replace any version`)
	case header == "*":
		return 0, true, nil
	}
	text, ok := strings.CutPrefix(header, `"v`)
	text, ok2 := strings.CutSuffix(text, `"`)
	version, perr := strconv.ParseInt(text, 10, 64)
	if !ok || !ok2 || perr != nil || version <= 0 {
		return 0, false, StaleVersion.New("If-Match names no version that this server gave")
	}
	return version, false, nil
}
