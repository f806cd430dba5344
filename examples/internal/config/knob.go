package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"

	"github.com/localpass/localpass/toolspec/secret"
)

// Program is one of the programs that share the configuration.
type Program string

// The programs.
const (
	Clichat    Program = "clichat"
	MCPServer  Program = "mcpserver"
	Playground Program = "playground"
)

// programs returns all programs.
func programs() []Program { return []Program{Clichat, MCPServer, Playground} }

// Knob is one value that can be set.
type Knob struct {
	// Name is the path of the value in the file, such as "chat.rounds"; the name of a
	// member of a profile begins with "profiles.NAME.".
	Name string
	// Help describes the value in one sentence. Like the help of a flag, it marks the
	// placeholder of the value with backquotes.
	Help string
	// Default is the default value as text; empty: none. Defaults holds the defaults of
	// programs that differ.
	Default  string
	Defaults map[Program]string
	// Min and Max are the bounds of numbers, times and sizes, as text; empty: no bound.
	Min, Max string
	// Choices are the allowed values; nil: any.
	Choices []string
	// Unit is the unit of a number; empty for other kinds.
	Unit string
	// Flags are the flags of this knob alone, by program; every knob outside of profiles
	// can also be set with -set NAME=VALUE.
	Flags map[Program]string
	// Env is the environment variable that sets the value; empty: LOCALPASS_ followed by
	// the path. "-" means none.
	Env string
	// Programs are the programs that use the value.
	Programs []Program
	// Secret says that the value is never shown, and is written in the file as ${NAME}.
	Secret bool
	// Section is the section of the value on the settings page and in
	// docs/configuration.md.
	Section string

	check func(text string) error
	at    func(*Config) any  // the variable that holds the value
	of    func(*Profile) any // the variable that holds a member of a profile
}

// Kind returns the kind of the value: text, integer, number, boolean, time, size, list,
// or texts by name.
func (k *Knob) Kind() string { return kindOf(k.target(&Config{}, &Profile{})) }

// Variable returns the environment variable that sets the value; empty: none.
func (k *Knob) Variable() string {
	switch {
	case k.Env == "-" || k.of != nil:
		return ""
	case k.Env != "":
		return k.Env
	}
	var b strings.Builder
	b.WriteString("LOCALPASS_")
	small := false
	for _, r := range k.Name {
		switch {
		case r == '.':
			b.WriteByte('_')
		case r >= 'A' && r <= 'Z' && small:
			b.WriteString("_" + string(r))
		default:
			b.WriteString(strings.ToUpper(string(r)))
		}
		small = r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
	}
	return b.String()
}

// DefaultIn returns the default for a program, as text.
func (k *Knob) DefaultIn(p Program) string {
	if v, ok := k.Defaults[p]; ok {
		return v
	}
	return k.Default
}

func (k *Knob) in(p Program) bool { return slices.Contains(k.Programs, p) }

func (k *Knob) target(c *Config, p *Profile) any {
	if k.of != nil {
		return k.of(p)
	}
	return k.at(c)
}

// The kinds of values.
const (
	kindText     = "text"
	kindInteger  = "integer"
	kindNumber   = "number"
	kindBoolean  = "boolean"
	kindDuration = "time"
	kindSize     = "size"
	kindList     = "list"
	kindPairs    = "texts by name"
)

// Size is a number of bytes.
type Size int64

func kindOf(target any) string {
	switch target.(type) {
	case *string:
		return kindText
	case *int:
		return kindInteger
	case *float64, **float64:
		return kindNumber
	case *bool, **bool:
		return kindBoolean
	case *time.Duration:
		return kindDuration
	case *Size:
		return kindSize
	case *[]string:
		return kindList
	case *map[string]string:
		return kindPairs
	}
	panic(fmt.Sprintf("config: the table has a value of type %T", target)) // a test reads the whole table
}

// setText sets the value from its text in a flag, a variable or a default. Errors do not
// quote secrets.
func (k *Knob) setText(target any, text string) error {
	var number float64
	var err error
	switch v := target.(type) {
	case *string:
		*v = text
		return k.checkText(text)
	case *[]string:
		*v = nil
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part == "" {
				continue
			}
			if err := k.checkText(part); err != nil {
				return err
			}
			*v = append(*v, part)
		}
		return nil
	case *bool:
		*v, err = parseBool(text)
		return err
	case **bool:
		var on bool
		if on, err = parseBool(text); err == nil {
			*v = &on
		}
		return err
	case *int:
		if *v, err = strconv.Atoi(text); err != nil {
			return errors.New("it must be a whole number")
		}
		number = float64(*v)
	case *float64:
		if *v, err = parseNumber(text); err != nil {
			return err
		}
		number = *v
	case **float64:
		if number, err = parseNumber(text); err != nil {
			return err
		}
		*v = &number
	case *time.Duration:
		if *v, err = parseDuration(text); err != nil {
			return err
		}
		number = float64(*v)
	case *Size:
		if *v, err = parseSize(text); err != nil {
			return err
		}
		number = float64(*v)
	default:
		return errors.New("it can be set in the file alone")
	}
	return k.bounded(target, number)
}

func (k *Knob) checkText(text string) error {
	if len(k.Choices) > 0 && !slices.Contains(k.Choices, text) {
		return fmt.Errorf("it must be one of %s", strings.Join(k.Choices, ", "))
	}
	if k.check != nil {
		return k.check(text)
	}
	return nil
}

// bounded checks a number against Min and Max.
func (k *Knob) bounded(target any, number float64) error {
	bound := func(text string, otherwise float64) float64 {
		if text == "" {
			return otherwise
		}
		n, _ := numberOf(target, text) // a test reads the whole table
		return n
	}
	switch low, high := bound(k.Min, math.Inf(-1)), bound(k.Max, math.Inf(1)); {
	case number >= low && number <= high:
		return nil
	case k.Max == "":
		return fmt.Errorf("it must be at least %s", k.Min)
	case k.Min == "":
		return fmt.Errorf("it must be at most %s", k.Max)
	}
	return fmt.Errorf("it must be from %s to %s", k.Min, k.Max)
}

func numberOf(target any, text string) (float64, error) {
	switch target.(type) {
	case *time.Duration:
		d, err := parseDuration(text)
		return float64(d), err
	case *Size:
		n, err := parseSize(text)
		return float64(n), err
	}
	return parseNumber(text)
}

func parseBool(text string) (bool, error) {
	switch text {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, errors.New("it must be true or false")
}

func parseNumber(text string) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, errors.New("it must be a number")
	}
	return n, nil
}

const day = 24 * time.Hour

// parseDuration accepts the format of time.ParseDuration and whole days, such as 90d.
func parseDuration(text string) (time.Duration, error) {
	wrong := errors.New("it must be a time, such as 30s, 2m, 1h30m or 90d")
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > 36500 {
			return 0, wrong
		}
		return time.Duration(n) * day, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, wrong
	}
	return d, nil
}

var sizes = []struct {
	name  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

func parseSize(text string) (Size, error) {
	for _, s := range sizes {
		if number, ok := strings.CutSuffix(text, s.name); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
			if err != nil || n < 0 || n > math.MaxInt64/s.bytes {
				break
			}
			return Size(n * s.bytes), nil
		}
	}
	return 0, errors.New("it must be a size, such as 64KiB, 4MiB or 1GiB")
}

// String returns the size in the largest unit that gives a whole number.
func (s Size) String() string {
	for _, unit := range sizes {
		if s != 0 && int64(s)%unit.bytes == 0 {
			return strconv.FormatInt(int64(s)/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(s), 10) + "B"
}

// text formats the value of a variable as a user writes it.
func text(target any) string {
	switch v := target.(type) {
	case *string:
		return *v
	case *int:
		return strconv.Itoa(*v)
	case *float64:
		return strconv.FormatFloat(*v, 'g', -1, 64)
	case **float64:
		if *v == nil {
			return ""
		}
		return text(*v)
	case *bool:
		return strconv.FormatBool(*v)
	case **bool:
		if *v == nil {
			return ""
		}
		return text(*v)
	case *time.Duration:
		return durationText(*v)
	case *Size:
		return v.String()
	case *[]string:
		return strings.Join(*v, ",")
	case *map[string]string:
		return strings.Join(slices.Sorted(maps.Keys(*v)), ",") // values may be secrets
	}
	return ""
}

// durationText writes 2m0s as 2m, and whole days as days.
func durationText(d time.Duration) string {
	if d >= 2*day && d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// nearest returns the name that was probably meant; empty: no name is similar.
func nearest(name string, names []string) string {
	if len(names) == 0 || name == "" || len(name) > 100 {
		return ""
	}
	distance := func(n string) int { return levenshtein.ComputeDistance(strings.ToLower(n), strings.ToLower(name)) }
	best := slices.MinFunc(names, func(a, b string) int { return cmp.Compare(distance(a), distance(b)) })
	if distance(best) > max(2, len(name)/2) {
		return ""
	}
	return best
}

// meant returns the last part of an error about an unknown name.
func meant(name string, names []string) string {
	if n := nearest(name, names); n != "" {
		return "; did you mean " + n + "?"
	}
	return ""
}

// isPlaceholder reports whether a text is one ${NAME} and nothing else.
func isPlaceholder(text string) bool {
	names := secret.Names(text)
	return len(names) == 1 && text == "${"+names[0]+"}"
}
