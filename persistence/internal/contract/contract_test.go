package contract_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/internal/contract"
)

func TestKey(t *testing.T) {
	assert.NoError(t, contract.Key("notes", "k"))
	assert.ErrorContains(t, contract.Key("notes", ""), "notes", "the error names the collection")
}

func TestCompactKeepsTokens(t *testing.T) {
	got, err := contract.Compact(json.RawMessage(" { \"b\" : 1.0 , \"a\" : 1e+05, \"s\":\"<\u2028\\u003c\" } "))
	require.NoError(t, err)
	assert.Equal(t, "{\"b\":1.0,\"a\":1e+05,\"s\":\"<\u2028\\u003c\"}", string(got))

	for data, why := range map[string]string{"": "empty", " \n": "empty", "{": "not valid JSON", "1 2": "not valid JSON", "\"\xff\"": "UTF-8"} {
		_, err := contract.Compact(json.RawMessage(data))
		require.Error(t, err, "%q", data)
		assert.Contains(t, err.Error(), why)
	}
}

func TestCheck(t *testing.T) {
	assert.NoError(t, contract.Check("c", "k", localpass.NoVersion, 0))
	assert.NoError(t, contract.Check("c", "k", localpass.AnyVersion, 0))
	assert.NoError(t, contract.Check("c", "k", localpass.AnyVersion, 7))
	assert.NoError(t, contract.Check("c", "k", 7, 7))
	assert.ErrorIs(t, contract.Check("c", "k", localpass.NoVersion, 7), localpass.ErrConflict)
	assert.ErrorIs(t, contract.Check("c", "k", 6, 7), localpass.ErrConflict)
	assert.ErrorIs(t, contract.Check("c", "k", 6, 0), localpass.ErrConflict)
	assert.ErrorIs(t, contract.CheckDelete("c", "k", localpass.AnyVersion, 0), localpass.ErrNotFound)
	assert.ErrorIs(t, contract.CheckDelete("c", "k", 6, 0), localpass.ErrConflict)
	assert.NoError(t, contract.CheckDelete("c", "k", 6, 6))
	assert.ErrorIs(t, contract.Closed("memory"), localpass.ErrClosed)
}

func TestArguments(t *testing.T) {
	ctx := t.Context()
	ended, cancel := context.WithCancel(ctx)
	cancel()

	_, err := contract.Put(ctx, "c", "k", -2, json.RawMessage("1"))
	assert.ErrorContains(t, err, "bad version -2")
	_, err = contract.Put(ctx, "c", "k", 0, json.RawMessage("x"))
	assert.ErrorContains(t, err, `cannot put "k" in c`)
	_, err = contract.Put(ended, "c", "k", 0, json.RawMessage("1"))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Error(t, contract.Get(ctx, "..", "k"))
	assert.Error(t, contract.Get(ctx, "c", ""))
	assert.ErrorIs(t, contract.List(ended, "c", localpass.ListOptions{}), context.Canceled)
	assert.ErrorContains(t, contract.List(ctx, "c", localpass.ListOptions{Limit: -1}), "bad limit")
	assert.Error(t, contract.List(ctx, "", localpass.ListOptions{}))
	assert.ErrorContains(t, contract.Records(ctx, "c", localpass.LogOptions{Limit: -1}), "bad limit")
	assert.Error(t, contract.Records(ctx, "", localpass.LogOptions{}))
	assert.Error(t, contract.Named(ctx, ""))
}

func TestBatch(t *testing.T) {
	op := func(key string) localpass.Op {
		return localpass.Op{Collection: "c", Key: key, Data: json.RawMessage(" 1 ")}
	}
	in := []localpass.Op{op("a"), {Collection: "c", Key: "b", Delete: true, Version: localpass.AnyVersion}}
	out, err := contract.Batch(t.Context(), in)
	require.NoError(t, err)
	assert.Equal(t, "1", string(out[0].Data))
	assert.Equal(t, " 1 ", string(in[0].Data), "the caller's operations stay as they are")

	for name, bad := range map[string]localpass.Op{
		"already written by operation 1": op("a"),
		"bad key":                        op(""),
		"not valid JSON":                 {Collection: "c", Key: "b", Data: json.RawMessage("{")},
		"name the version":               {Collection: "c", Key: "b", Delete: true},
		"bad version":                    {Collection: "c", Key: "b", Delete: true, Version: -5},
	} {
		_, err := contract.Batch(t.Context(), []localpass.Op{op("a"), bad})
		require.Error(t, err)
		assert.ErrorContains(t, err, name)
		assert.ErrorContains(t, err, "operation 2 of 2")
	}
}
