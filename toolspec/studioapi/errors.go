package studioapi

import (
	"errors"
	"net/http"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// The problem kinds of this API, in addition to those of every API.
var (
	noValidPass     = httpapi.Kind{Code: "no_valid_pass", Status: http.StatusConflict, Title: "The tool has no valid Local Pass"}
	confirmRequired = httpapi.Kind{Code: "confirm_required", Status: http.StatusForbidden, Title: "A person must confirm this"}
	nameTaken       = httpapi.Kind{Code: "name_taken", Status: http.StatusConflict, Title: "Another published tool has this name"}
	idTaken         = httpapi.Kind{Code: "id_taken", Status: http.StatusConflict, Title: "Another tool has this id"}
	missingSettings = httpapi.Kind{Code: "missing_settings", Status: http.StatusConflict, Title: "A setting has no value here"}
	readOnly        = httpapi.Kind{Code: "read_only", Status: http.StatusForbidden, Title: "This tool cannot be changed"}
	unreadable      = httpapi.Kind{Code: "unreadable", Status: http.StatusConflict, Title: "The stored document cannot be read"}
	storeReadOnly   = httpapi.Kind{Code: "storage_read_only", Status: http.StatusServiceUnavailable, Title: "The store cannot be written to"}
)

// problemOf converts the errors of the studio to problems.
func problemOf(err error) *httpapi.Problem {
	switch {
	case errors.Is(err, localpass.ErrNotFound):
		return httpapi.NotFound.New("there is no such tool")
	case errors.Is(err, localpass.ErrConflict):
		return httpapi.StaleVersion.New("read the tool again, apply the change to what is there now, and save it again")
	case errors.Is(err, localpass.ErrReadOnly):
		return storeReadOnly.New("nothing was changed")
	case errors.Is(err, toolspec.ErrNameTaken):
		return nameTaken.New("rename one of the two")
	case errors.Is(err, studio.ErrNoPass):
		return noValidPass.New("run its test first")
	case errors.Is(err, toolspec.ErrClosed), errors.Is(err, localpass.ErrClosed):
		return httpapi.ShuttingDown.New("try again when it is up")
	}
	return nil
}

// fieldsOf converts problems of a document to problems of a request.
func fieldsOf(problems toolspec.Problems) []httpapi.Field {
	fields := make([]httpapi.Field, len(problems))
	for i, p := range problems {
		fields[i] = httpapi.Field{Path: p.Pointer, Code: p.Reason, Message: p.Text()}
	}
	return fields
}

// invalid returns the answer for a document that cannot be accepted.
func invalid(problems toolspec.Problems, format string, args ...any) *httpapi.Problem {
	p := httpapi.ValidationFailed.New(format, args...)
	p.Fields = fieldsOf(problems)
	return p
}
