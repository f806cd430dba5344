package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/examples/internal/boot"
	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
	"github.com/localpass/localpass/toolspec/specfile"
)

// oldHome opens a copy of testdata/oldhome, which an earlier version of the program wrote.
// It contains a spec that passed, policies, approvals with grants, and the audit log of the
// calls in testdata/oldspec/calls.jsonl. The spec and the calls contain control characters,
// lone surrogates, long floats and 1e400: their digests must not change with the JSON
// decoder.
func oldHome(t *testing.T) (local *boot.Local, spec *toolspec.Spec, calls []string) {
	t.Helper()
	home := t.TempDir()
	require.NoError(t, os.CopyFS(home, os.DirFS("testdata/oldhome")))
	settings, err := config.Load(config.MCPServer, []string{"-home", home}, secret.Env())
	require.NoError(t, err)
	local, err = boot.Open(t.Context(), boot.Options{Config: settings})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, local.Close()) })
	documents, err := specfile.Load([]string{"testdata/oldspec/keepData.json"}, nil)
	require.NoError(t, err)
	require.Len(t, documents, 1)
	require.NotNil(t, documents[0].Spec)
	text, err := os.ReadFile("testdata/oldspec/calls.jsonl")
	require.NoError(t, err)
	return local, documents[0].Spec, strings.Split(strings.TrimSpace(string(text)), "\n")
}

// The pass is still valid: the spec is published without another test.
func TestOldReceiptHolds(t *testing.T) {
	t.Parallel()
	local, spec, _ := oldHome(t)
	status, err := local.Studio.Status(t.Context(), spec)
	require.NoError(t, err)
	require.NotNil(t, status.Receipt)
	assert.Equal(t, "5ab1c3452166af087b228627364daeb5d49d8afe685b1ee572e2d11f78a7ca93", status.Receipt.Subject)
	_, err = local.Studio.Publish(t.Context(), spec)
	require.NoError(t, err)
}

// Grants that are bound to a fingerprint and a digest of the arguments cover the calls for
// which they were given, and calls with equivalent arguments.
func TestOldGrantsCover(t *testing.T) {
	t.Parallel()
	local, spec, calls := oldHome(t)
	pass, err := local.Studio.Publish(t.Context(), spec)
	require.NoError(t, err)
	now := time.Date(2026, 11, 23, 2, 0, 0, 0, time.UTC) // before they expire
	gate, err := approval.NewGate(&approval.Options{Store: local.Store, NoAudit: true, Clock: func() time.Time { return now }})
	require.NoError(t, err)
	defer gate.Close()
	const granted = 6 // the row of the precedence table for a call that a grant covers
	decided := func(arguments string) approval.Row {
		rows := gate.Explain(t.Context(), approval.Call{Definition: pass.Definition(), Side: approval.SideServer,
			Call: &toolspec.Call{ID: "c1", Arguments: []byte(arguments), Principal: toolspec.Principal{Subject: "local", Via: "stdio"}}})
		for _, row := range rows {
			if row.Decides {
				return row
			}
		}
		t.Fatalf("no row decides %s", arguments)
		return approval.Row{}
	}
	grants := 0
	// The grant for five calls covers any arguments, so it goes first.
	for grant, err := range gate.Grants().List(t.Context(), approval.GrantFilter{}) {
		require.NoError(t, err)
		grants++
		if grant.Scope == approval.ScopeCalls {
			assert.Equal(t, granted, decided(`{"text":"anything"}`).Number)
			require.NoError(t, gate.Grants().Revoke(t.Context(), grant.ID, toolspec.Principal{Subject: "test"}))
		}
	}
	require.Equal(t, 4, grants)
	for i, covered := range map[int]bool{0: true, 1: true, 2: false, 3: true, 4: true, 5: true, 6: false, 7: false, 12: false} {
		assert.Equal(t, covered, decided(calls[i]).Number == granted, calls[i])
	}
	assert.NotEqual(t, granted, decided(strings.Replace(calls[5], "9007199254740993", "9007199254740992", 1)).Number, "rounded")
	assert.NotEqual(t, granted, decided(strings.Replace(calls[3], `\ud83d x`, `\ud83c x`, 1)).Number, "another lone surrogate")
}

// The audit log is complete, and each record has the digest of its arguments.
func TestOldAuditHolds(t *testing.T) {
	t.Parallel()
	local, _, calls := oldHome(t)
	report, err := audit.Verify(t.Context(), local.Store)
	require.NoError(t, err)
	require.NoError(t, report.Err())
	assert.Equal(t, len(calls), report.Calls)
	assert.Equal(t, "9b9dadff0c819c2575717cae7b17b62cd85e62410488d4902895f480caab42a6", report.Anchor)

	files, err := filepath.Glob("testdata/oldhome/_logs/audit/*.log")
	require.NoError(t, err)
	n := 0
	for entry, err := range audit.FileEntries(t.Context(), files) {
		require.NoError(t, err)
		if entry.Call == nil {
			continue
		}
		form, err := canon.Transform([]byte(calls[n]))
		if err != nil { // the call was refused, and recorded unchanged
			form = []byte(calls[n])
		}
		assert.Equal(t, entry.Call.Arguments, canon.Digest(form), calls[n])
		n++
	}
	assert.Equal(t, len(calls), n)
}
