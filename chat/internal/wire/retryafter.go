package wire

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestWait is the maximum delay that a server may request: a week.
const longestWait = 7 * 24 * time.Hour

// RetryAfter returns how long a provider asks to wait before a retry, 0 if it does not
// say. It reads retry-after-ms in milliseconds, Retry-After in seconds or as a date, then
// x-ratelimit-reset-requests and -tokens as a duration ("6m0s"), seconds or a time since
// 1970. Of the last two, the one whose limit is used up counts, otherwise the longer one.
func RetryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms >= 0 {
		return bounded(ms * float64(time.Millisecond))
	}
	if v := strings.TrimSpace(h.Get("Retry-After")); v != "" {
		if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 {
			return bounded(s * float64(time.Second))
		}
		if at, err := http.ParseTime(v); err == nil {
			now := time.Now()
			if date, err := http.ParseTime(h.Get("Date")); err == nil {
				now = date // the clock of the server, not the local one
			}
			return bounded(float64(at.Sub(now)))
		}
	}
	var used, longest time.Duration
	for _, of := range [...]string{"", "-Requests", "-Tokens"} {
		wait := reset(h.Get("X-Ratelimit-Reset" + of))
		longest = max(longest, wait)
		if strings.TrimSpace(h.Get("X-Ratelimit-Remaining"+of)) == "0" {
			used = max(used, wait)
		}
	}
	if used > 0 {
		return used
	}
	return longest
}

// reset reads one value of x-ratelimit-reset.
func reset(v string) time.Duration {
	v = strings.TrimSpace(v)
	if v == "" {
		return 0
	}
	if d, err := time.ParseDuration(v); err == nil {
		return bounded(float64(d))
	}
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || n < 0 {
		return 0
	}
	switch {
	case n > 1e11: // milliseconds since 1970
		return bounded(n*float64(time.Millisecond) - float64(time.Now().UnixNano()))
	case n > 1e9: // seconds since 1970
		return bounded(n*float64(time.Second) - float64(time.Now().UnixNano()))
	}
	return bounded(n * float64(time.Second))
}

func bounded(ns float64) time.Duration {
	if math.IsNaN(ns) || ns <= 0 {
		return 0
	}
	return time.Duration(min(ns, float64(longestWait)))
}
