package hubapi

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/inspector"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// Each error of the package has its problem; what is not known is the server's own
// failure.
func TestAPIProblems(t *testing.T) {
	now := time.Now()
	a := &API{}
	for name, test := range map[string]struct {
		err    error
		status int
		code   string
	}{
		"conflict":        {&servers.ConflictError{ID: "x"}, 409, "version_conflict"},
		"no server":       {fmt.Errorf("%w: x", servers.ErrNotFound), 404, "not_found"},
		"no record":       {fmt.Errorf("%w: x", inspector.ErrNoInspection), 404, "not_found"},
		"no member":       {fmt.Errorf("%w: x", mcphub.ErrUnknownTool), 404, "not_found"},
		"bad operation":   {fmt.Errorf("%w: x", inspector.ErrInvalidOperation), 422, "validation_failed"},
		"mask":            {fmt.Errorf("%w: x", servers.ErrMasked), 422, "validation_failed"},
		"question":        {fmt.Errorf("%w: x", inspector.ErrNotPending), 410, "not_pending"},
		"name":            {fmt.Errorf("x: %w", toolspec.ErrNameTaken), 409, "name_taken"},
		"withheld":        {fmt.Errorf("x: %w", servers.ErrWithheld), 409, "withheld"},
		"disabled":        {fmt.Errorf("x: %w", servers.ErrDisabled), 409, "server_disabled"},
		"missing":         {&client.MissingConfigError{Names: []string{"KEY"}}, 409, "missing_configuration"},
		"authorization":   {&client.ConnError{Class: client.ConnAuth, Err: client.ErrAuthorizationRequired}, 409, "authorization_required"},
		"forbidden":       {&client.ConnError{Class: client.ConnAuth, Err: client.ErrForbidden}, 409, "authorization_required"},
		"left alone":      {&servers.CircuitOpenError{Server: "x", RetryAt: now.Add(time.Minute)}, 503, "upstream_left_alone"},
		"overloaded":      {fmt.Errorf("x: %w", servers.ErrOverloaded), 429, "rate_limited"},
		"read only":       {fmt.Errorf("x: %w", localpass.ErrReadOnly), 503, "storage_read_only"},
		"store closed":    {fmt.Errorf("x: %w", localpass.ErrClosed), 503, "shutting_down"},
		"closed":          {fmt.Errorf("x: %w", toolspec.ErrClosed), 503, "shutting_down"},
		"late":            {&client.ConnError{Class: client.ConnTimeout, Err: context.DeadlineExceeded}, 504, "upstream_timeout"},
		"not reached":     {&client.ConnError{Class: client.ConnTransport, Err: errors.New("no")}, 502, "upstream_failed"},
		"refused":         {&client.RPCError{Code: -1, Message: "no"}, 502, "upstream_failed"},
		"nobody knows it": {errors.New("secret"), 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := a.problemOf(test.err)
			if test.status == 0 {
				assert.Nil(t, p)
				return
			}
			require.NotNil(t, p)
			assert.Equal(t, test.status, p.Status)
			assert.Equal(t, test.code, p.Code)
			assert.NotEmpty(t, p.Detail)
			if test.code == "upstream_left_alone" {
				assert.InDelta(t, time.Minute, p.RetryAfter, float64(5*time.Second))
			}
		})
	}
}
