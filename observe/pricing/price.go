package pricing

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Rate is a price in US dollars with up to nine decimals, as a whole number of billionths. In JSON it is written as a string and read from a string or a number.
type Rate int64

const (
	ratesPerDollar = 1_000_000_000
	maxRate        = 1_000_000 * ratesPerDollar
	rateDecimals   = 9
)

// ParseRate reads a decimal number such as "0.15". It has no sign and no exponent, at most
// nine decimals, and is at most 1,000,000.
func ParseRate(text string) (Rate, error) {
	whole, decimals, point := strings.Cut(text, ".")
	if !digits(whole) || point && !digits(decimals) {
		return 0, fmt.Errorf("%q is not a price: write a decimal number such as 0.15", shortened(text))
	}
	if len(decimals) > rateDecimals {
		return 0, fmt.Errorf("%q has more than %d decimals", shortened(text), rateDecimals)
	}
	whole = strings.TrimLeft(whole, "0")
	n, err := strconv.ParseInt(whole+decimals+strings.Repeat("0", rateDecimals-len(decimals)), 10, 64)
	if err != nil || n > maxRate {
		return 0, fmt.Errorf("%q is more than 1,000,000 US dollars", shortened(text))
	}
	return Rate(n), nil
}

func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// shortened returns a text as an error may quote it.
func shortened(text string) string {
	if len(text) > 40 {
		return strings.ToValidUTF8(text[:40], "") + "…"
	}
	return text
}

// String returns the rate as [ParseRate] reads it.
func (r Rate) String() string { return decimal(int64(r), rateDecimals, 0) }

// MarshalText returns the rate as [ParseRate] reads it.
func (r Rate) MarshalText() ([]byte, error) {
	if r < 0 || r > maxRate {
		return nil, fmt.Errorf("pricing: a price of %s US dollars is out of bounds", r)
	}
	return []byte(r.String()), nil
}

// UnmarshalJSON reads a number, or a string with a number, so that both are exact.
func (r *Rate) UnmarshalJSON(data []byte) error {
	text := string(data)
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	}
	var err error
	*r, err = ParseRate(text)
	return err
}

// Date is a time that is written as a day, 2026-11-01, in UTC, or in RFC 3339. The zero
// Date is before all calls.
type Date struct{ Time time.Time }

// IsZero reports whether the date is before all calls.
func (d Date) IsZero() bool { return d.Time.IsZero() }

// MarshalText writes the day alone if the time is its begin.
func (d Date) MarshalText() ([]byte, error) {
	at := d.Time.UTC()
	if at.Equal(at.Truncate(24 * time.Hour)) {
		return []byte(at.Format(time.DateOnly)), nil
	}
	return []byte(at.Format(time.RFC3339Nano)), nil
}

// UnmarshalText reads a day, or a time in RFC 3339.
func (d *Date) UnmarshalText(text []byte) error {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, string(text)); err == nil {
			d.Time = at.UTC()
			return nil
		}
	}
	return fmt.Errorf("%q is not a date: write 2026-11-01 or a time in RFC 3339", shortened(string(text)))
}

// Price is what the calls of some models cost.
type Price struct {
	// Match is the name of a model, or the begin of names with a star at the end, such as
	// "gpt-4o*". "*" is every model of Provider, which it then needs.
	Match string `json:"match"`
	// Provider limits the price to one provider, such as "openai". Empty: any.
	Provider string `json:"provider,omitempty"`
	// Input and Output are US dollars per million tokens. 0 is free.
	Input  Rate `json:"input"`
	Output Rate `json:"output"`
	// CacheRead and CacheWrite replace Input for tokens that were read from or written to
	// the provider's cache, Reasoning replaces Output for reasoning tokens. nil: the same.
	CacheRead  *Rate `json:"cacheRead,omitempty"`
	CacheWrite *Rate `json:"cacheWrite,omitempty"`
	Reasoning  *Rate `json:"reasoning,omitempty"`
	// PerRequest and PerImage are US dollars for one request and one image.
	PerRequest Rate `json:"perRequest,omitempty"`
	PerImage   Rate `json:"perImage,omitempty"`
	// Tiers replace Input and Output for calls with long inputs.
	Tiers []Tier `json:"tiers,omitempty"`
	// ValidFrom is when the price begins to apply. Zero: always.
	ValidFrom Date `json:"validFrom,omitzero"`
	// Source says where the price was read; it is required. Note is for people.
	Source string `json:"source"`
	Note   string `json:"note,omitempty"`
}

// Tier replaces the price of a whole call whose input has more than AboveInputTokens. Of
// several, the one with the largest bound below the input applies.
type Tier struct {
	AboveInputTokens int64 `json:"aboveInputTokens"`
	Input            Rate  `json:"input"`
	Output           Rate  `json:"output"`
}

const maxText = 1000 // bytes of a name or a note

// check returns what is wrong with the price.
func (p *Price) check() error {
	for _, text := range []struct{ name, value string }{{"match", p.Match}, {"provider", p.Provider}, {"source", p.Source}, {"note", p.Note}} {
		if len(text.value) > maxText {
			return fmt.Errorf("%s has more than %d bytes", text.name, maxText)
		}
	}
	star := strings.Index(p.Match, "*")
	switch {
	case strings.TrimSpace(p.Match) != p.Match || p.Match == "":
		return fmt.Errorf("match is %q: give the name of a model", p.Match)
	case star >= 0 && star != len(p.Match)-1:
		return fmt.Errorf("match %q: a star can only be at the end", p.Match)
	case p.Match == "*" && p.Provider == "":
		return fmt.Errorf("match \"*\" needs a provider: no price applies to the models of all providers")
	case strings.TrimSpace(p.Source) == "":
		return fmt.Errorf("%s: source is missing: say where the price was read", p.Match)
	}
	rates := []Rate{p.Input, p.Output, p.PerRequest, p.PerImage}
	for _, r := range []*Rate{p.CacheRead, p.CacheWrite, p.Reasoning} {
		if r != nil {
			rates = append(rates, *r)
		}
	}
	bounds := map[int64]bool{}
	for _, t := range p.Tiers {
		if t.AboveInputTokens <= 0 || bounds[t.AboveInputTokens] {
			return fmt.Errorf("%s: the aboveInputTokens of tiers are different numbers above 0, %d is not", p.Match, t.AboveInputTokens)
		}
		bounds[t.AboveInputTokens] = true
		rates = append(rates, t.Input, t.Output)
	}
	for _, r := range rates {
		if r < 0 || r > maxRate {
			return fmt.Errorf("%s: a price is from 0 to 1,000,000 US dollars, %s is not", p.Match, r)
		}
	}
	return nil
}

// Free reports whether all calls at this price cost nothing.
func (p *Price) Free() bool {
	for _, r := range []*Rate{p.CacheRead, p.CacheWrite, p.Reasoning} {
		if r != nil && *r != 0 {
			return false
		}
	}
	for _, t := range p.Tiers {
		if t.Input != 0 || t.Output != 0 {
			return false
		}
	}
	return p.Input == 0 && p.Output == 0 && p.PerRequest == 0 && p.PerImage == 0
}
