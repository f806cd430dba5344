package platform_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/testrun"
)

// Zones whose clocks change by an hour, by half of one, at midnight, twice a
// year against the rest of the world, or by a whole day once.
var changingZones = []string{
	"America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Santiago", "Africa/Casablanca",
	"Asia/Tehran", "Pacific/Apia", "Asia/Kolkata", "UTC",
}

func TestDateMathAgainstGo(t *testing.T) {
	c, r := tools(t)["dateMath"], source()
	type result struct {
		Result, UTC string
		Notes       []string
	}
	const wall = "2006-01-02T15:04:05"
	for _, zone := range changingZones {
		loc, err := time.LoadLocation(zone)
		require.NoError(t, err)
		for range 25 {
			start := time.Unix(r.Int64N(3e9), 0).In(loc)
			n := r.IntN(2001) - 1000

			got := ask[result](t, c, map[string]any{"date": start.Format(time.RFC3339), "amount": n, "unit": "hours", "zone": zone})
			want := start.Add(time.Duration(n) * time.Hour)
			assert.Equal(t, want.Format("2006-01-02T15:04:05-07:00"), got.Result, "%v + %d hours", start, n)
			assert.Equal(t, want.UTC().Format("2006-01-02T15:04:05.000Z"), got.UTC)

			got = ask[result](t, c, map[string]any{"date": start.Format(time.RFC3339), "amount": n, "unit": "days", "zone": zone})
			want = time.Date(start.Year(), start.Month(), start.Day()+n, start.Hour(), start.Minute(), start.Second(), 0, loc)
			asked := time.Date(start.Year(), start.Month(), start.Day()+n, start.Hour(), start.Minute(), start.Second(), 0, time.UTC).Format(wall)
			if asked != want.Format(wall) {
				require.NotEmpty(t, got.Notes, "%v + %d days is in a gap", start, n)
				continue
			}
			at, err := time.Parse(time.RFC3339, got.UTC)
			require.NoError(t, err)
			assert.Equal(t, asked, at.In(loc).Format(wall), "%v + %d days", start, n)
			assert.False(t, at.After(want), "of two the first is taken")
		}
	}
}

// cronJob is a schedule twice: as an expression, and as what it means.
type cronJob struct {
	expression string
	hourly     bool // follows real time
	on         func(t time.Time) bool
}

var cronJobs = []cronJob{
	{"*/15 * * * *", true, func(t time.Time) bool { return t.Minute()%15 == 0 }},
	{"20 */2 * * *", true, func(t time.Time) bool { return t.Minute() == 20 && t.Hour()%2 == 0 }},
	{"30 2 * * *", false, func(t time.Time) bool { return t.Minute() == 30 && t.Hour() == 2 }},
	{"0,15,45 0-3 * * *", false, func(t time.Time) bool {
		return t.Hour() <= 3 && (t.Minute() == 0 || t.Minute() == 15 || t.Minute() == 45)
	}},
	{"0 0 * * *", false, func(t time.Time) bool { return t.Minute() == 0 && t.Hour() == 0 }},
	{"5 1 1-7 * SUN", false, func(t time.Time) bool {
		return t.Minute() == 5 && t.Hour() == 1 && (t.Day() <= 7 || t.Weekday() == time.Sunday)
	}},
	{"0 12 * 3,11 MON-FRI", false, func(t time.Time) bool {
		return t.Minute() == 0 && t.Hour() == 12 && (t.Month() == 3 || t.Month() == 11) && t.Weekday() != 0 && t.Weekday() != 6
	}},
}

// simulate runs the clocks of a zone minute by minute and notes when the job
// runs: a local time that the clocks skip runs when they go on, one that they
// show again does not run again, unless the job follows real time.
func (j cronJob) simulate(loc *time.Location, from time.Time, most int) []string {
	var runs []string
	end := from.AddDate(0, 0, 12)
	asUTC := func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
	}
	// Up to here the clocks have shown local time.
	shown := asUTC(from.Add(-48 * time.Hour).In(loc))
	for t := from.Add(-48 * time.Hour); t.Before(end) && len(runs) < most; t = t.Add(time.Minute) {
		local := asUTC(t.In(loc))
		due := false
		if j.hourly {
			due = j.on(local)
		} else {
			for ; shown.Before(local); shown = shown.Add(time.Minute) {
				due = due || j.on(shown.Add(time.Minute))
			}
		}
		if due && t.After(from) {
			runs = append(runs, t.UTC().Format("2006-01-02T15:04:05Z"))
		}
	}
	return runs
}

func TestCronNextAgainstSimulation(t *testing.T) {
	c := tools(t)["cronNext"]
	type result struct {
		Runs []struct{ UTC, Local, Weekday string }
	}
	// A little before the clocks change.
	starts := map[string][]string{
		"America/New_York":    {"2024-03-08T12:00:00Z", "2024-11-01T06:00:00Z"},
		"Europe/Berlin":       {"2024-03-29T00:00:00Z", "2024-10-25T23:30:00Z"},
		"Australia/Lord_Howe": {"2024-04-05T00:00:00Z", "2024-10-04T00:00:00Z"},
		"America/Santiago":    {"2024-04-05T00:00:00Z", "2024-09-06T00:00:00Z"},
		"Africa/Casablanca":   {"2024-03-08T00:00:00Z", "2024-04-12T00:00:00Z"},
		"Asia/Tehran":         {"2022-03-20T00:00:00Z", "2022-09-20T00:00:00Z"},
		"Pacific/Apia":        {"2011-12-28T23:59:00Z"},
		"Asia/Kolkata":        {"2024-02-27T00:00:00Z"},
		"UTC":                 {"2023-12-30T00:00:00Z"},
	}
	for _, zone := range changingZones {
		loc, err := time.LoadLocation(zone)
		require.NoError(t, err)
		require.NotEmpty(t, starts[zone])
		for _, start := range starts[zone][:testrun.Sample(len(starts[zone]))] {
			from, err := time.Parse(time.RFC3339, start)
			require.NoError(t, err)
			for _, j := range cronJobs {
				const most = 25
				want := j.simulate(loc, from, most)
				got := ask[result](t, c, map[string]any{"expression": j.expression, "zone": zone, "from": start, "count": most})
				var runs []string
				for _, run := range got.Runs {
					runs = append(runs, run.UTC)
					at, err := time.Parse(time.RFC3339, run.Local)
					require.NoError(t, err)
					assert.Equal(t, run.UTC, at.UTC().Format("2006-01-02T15:04:05Z"))
					assert.Equal(t, at.In(loc).Format("2006-01-02T15:04:05-07:00"), run.Local)
					assert.Equal(t, at.In(loc).Weekday().String(), run.Weekday)
				}
				if len(want) < len(runs) {
					runs = runs[:len(want)] // the simulation ended
				}
				if !slices.Equal(want, runs) {
					assert.Equal(t, want, runs, "%s in %s from %s", j.expression, zone, start)
				}
			}
		}
	}
}
