package persistencetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
)

func raw(values ...string) []json.RawMessage {
	raws := make([]json.RawMessage, len(values))
	for i, v := range values {
		raws[i] = json.RawMessage(v)
	}
	return raws
}

func (s *suite) log(t *testing.T) {
	t.Run("Order", s.logOrder)
	t.Run("Paging", s.logPaging)
	t.Run("Follow", s.logFollow)
	t.Run("Break", s.logBreak)
	t.Run("Refused", s.logRefused)
	t.Run("Large", s.logLarge)
	t.Run("Appenders", s.logAppenders)
	t.Run("AppendersInTwoProcesses", s.logAppendersInTwoProcesses)
}

// Records come back in the order in which they were appended, each compact and with its
// time.
func (s *suite) logOrder(t *testing.T) {
	store := s.open(t)
	log := upgrade[localpass.Log](t, store)
	assert.Empty(t, records(t, log, "audit", localpass.LogOptions{}), "a log that was never written")
	before := time.Now().Add(-time.Second)
	want := []string{`{"n":1.0}`, "null", "\"<\u2028\\u003c>\"", `[1,2]`}
	require.NoError(t, log.Append(t.Context(), "audit", raw("{\n \"n\" : 1.0 }", "null")...))
	require.NoError(t, log.Append(t.Context(), "audit", raw(want[2])...))
	require.NoError(t, log.Append(t.Context(), "audit"), "no record at all")
	require.NoError(t, log.Append(t.Context(), "Audit", raw(`"another log"`)...))
	require.NoError(t, log.Append(t.Context(), "audit", raw("[ 1, 2 ]")...))
	assert.Equal(t, want, records(t, log, "audit", localpass.LogOptions{}))
	assert.Equal(t, []string{`"another log"`}, records(t, log, "Audit", localpass.LogOptions{}))
	for record, err := range log.Records(t.Context(), "audit", localpass.LogOptions{}) {
		require.NoError(t, err)
		assert.WithinRange(t, record.Time, before, time.Now().Add(time.Second))
		assert.Equal(t, time.UTC, record.Time.Location())
	}
	missing(t, store, "audit", "1")
	assert.Empty(t, keys(t, store, "audit", localpass.ListOptions{}), "a log and a collection of one name have nothing in common")
	if s.Reopen != nil {
		store = s.reopen(t, store)
		log = store.(localpass.Log)
		assert.Equal(t, want, records(t, log, "audit", localpass.LogOptions{}))
		require.NoError(t, log.Append(t.Context(), "audit", raw("7")...))
		assert.Equal(t, append(want, "7"), records(t, log, "audit", localpass.LogOptions{}))
	}
}

// Pages of any size yield every record exactly once.
func (s *suite) logPaging(t *testing.T) {
	store := s.open(t)
	log := upgrade[localpass.Log](t, store)
	var want []string
	for i := range 25 {
		want = append(want, fmt.Sprint(2*i), fmt.Sprint(2*i+1))
		require.NoError(t, log.Append(t.Context(), "audit", raw(want[2*i], want[2*i+1])...))
		if i == 10 && s.Reopen != nil { // a second writer, after the first
			store = s.reopen(t, store)
			log = store.(localpass.Log)
		}
	}
	for _, size := range []int{1, 7, 50, 51} {
		var paged []string
		for after := ""; ; {
			page := 0
			for record, err := range log.Records(t.Context(), "audit", localpass.LogOptions{After: after, Limit: size}) {
				require.NoError(t, err)
				paged = append(paged, compact(record.Data))
				after = record.Position
				page++
			}
			if page < size || len(paged) > len(want) {
				break
			}
		}
		require.Equal(t, want, paged, "pages of %d", size)
	}
}

// A reader that continues after the last position gets only newer records.
func (s *suite) logFollow(t *testing.T) {
	store := s.open(t)
	log := upgrade[localpass.Log](t, store)
	after := ""
	for i := range 5 {
		require.NoError(t, log.Append(t.Context(), "audit", raw(fmt.Sprint(i))...))
		var got []string
		for record, err := range log.Records(t.Context(), "audit", localpass.LogOptions{After: after}) {
			require.NoError(t, err)
			got = append(got, compact(record.Data))
			after = record.Position
		}
		require.Equal(t, []string{fmt.Sprint(i)}, got)
	}
	assert.Empty(t, records(t, log, "audit", localpass.LogOptions{After: after}))
}

// A loop can be left early, and a reader owns the data of the records.
func (s *suite) logBreak(t *testing.T) {
	log := upgrade[localpass.Log](t, s.open(t))
	require.NoError(t, log.Append(t.Context(), "audit", raw("1", "2", "3")...))
	all := log.Records(t.Context(), "audit", localpass.LogOptions{})
	for record, err := range all {
		require.NoError(t, err)
		require.Equal(t, "1", compact(record.Data))
		break
	}
	n := 0
	for record, err := range all {
		require.NoError(t, err)
		record.Data[0] = '!' // the caller's own copy
		n++
	}
	assert.Equal(t, 3, n)
	assert.Equal(t, []string{"1", "2", "3"}, records(t, log, "audit", localpass.LogOptions{}))
}

// A call with one record that is not JSON appends nothing.
func (s *suite) logRefused(t *testing.T) {
	log := upgrade[localpass.Log](t, s.open(t))
	for _, bad := range []string{"", "{", "1 2", "\"\xff\""} {
		err := log.Append(t.Context(), "audit", raw("1", bad, "3")...)
		require.Error(t, err, "%q", bad)
	}
	assert.Empty(t, records(t, log, "audit", localpass.LogOptions{}), "the good records of a refused call are not appended")
}

// A record can be as large as a mebibyte.
func (s *suite) logLarge(t *testing.T) {
	log := upgrade[localpass.Log](t, s.open(t))
	want := []string{`"` + strings.Repeat("x", 1<<20) + `"`, "1", `"` + strings.Repeat(`\n`, 100_000) + `"`}
	require.NoError(t, log.Append(t.Context(), "audit", raw(want...)...))
	assert.Equal(t, want, records(t, log, "audit", localpass.LogOptions{}))
}

// Several goroutines can append concurrently: the records of one call stay together.
func (s *suite) logAppenders(t *testing.T) {
	store := s.open(t)
	log := upgrade[localpass.Log](t, store)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() { assert.NoError(t, appendAll(t.Context(), log, "audit", fmt.Sprint(w), 25)) })
	}
	wg.Wait()
	checkAppended(t, records(t, log, "audit", localpass.LogOptions{}), 8, 25)
}

// Several processes can append, and pages cover the records of all of them.
func (s *suite) logAppendersInTwoProcesses(t *testing.T) {
	store := s.open(t)
	log := upgrade[localpass.Log](t, store)
	location := s.location(t, store)
	var children []*child
	for p := range 2 {
		children = append(children, start(t, job{Do: doAppend, Location: location, Collection: "audit", Key: fmt.Sprintf("p%d-", p), Workers: 4, Count: 25}))
	}
	for _, c := range children {
		c.wait()
	}
	got := records(t, log, "audit", localpass.LogOptions{})
	checkAppended(t, got, 8, 25)
	var paged []string
	for after := ""; ; {
		n := len(paged)
		for record, err := range log.Records(t.Context(), "audit", localpass.LogOptions{After: after, Limit: 17}) {
			require.NoError(t, err)
			paged = append(paged, compact(record.Data))
			after = record.Position
		}
		if len(paged) == n || len(paged) > len(got) {
			break
		}
	}
	assert.Equal(t, got, paged, "pages reach over the records of several writers")
}

// entry is a record of appendAll: the worker, the call, and which of the two records of
// the call it is.
type entry struct {
	Worker string
	Call   int
	Half   int
}

// checkAppended asserts that every record of every worker occurs exactly once, in the
// order of its worker, and that the two records of a call are adjacent.
func checkAppended(t *testing.T, got []string, workers, calls int) {
	t.Helper()
	require.Len(t, got, workers*calls*2)
	next := map[string]int{}
	for pair := range slices.Chunk(got, 2) {
		var a, b entry
		require.NoError(t, json.Unmarshal([]byte(pair[0]), &a))
		require.NoError(t, json.Unmarshal([]byte(pair[1]), &b))
		require.Equal(t, entry{a.Worker, next[a.Worker], 0}, a)
		require.Equal(t, entry{a.Worker, next[a.Worker], 1}, b)
		next[a.Worker]++
	}
	assert.Len(t, next, workers)
}
