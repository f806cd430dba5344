package observe

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"

	"github.com/localpass/localpass/observe/genai"
)

const (
	maxText    = 4096 // bytes of one text
	maxMessage = 500  // of an error
	maxName    = 256
	maxList    = 16 // members of a list; of messages, the last ones
	masked     = "***"
)

// shape is the form of a secret. A text without any of the marks cannot hold one,
// which is cheap to see.
type shape struct {
	marks  []string // of the text in lower case
	find   *regexp.Regexp
	change string
}

var shapes = []shape{
	{[]string{"-----begin"}, regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)`), masked},
	{[]string{"sk-"}, regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}`), masked},
	{[]string{"gh", "github_pat_"}, regexp.MustCompile(`\b(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{20,}`), masked},
	{[]string{"akia", "asia"}, regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`), masked},
	{[]string{"xox"}, regexp.MustCompile(`\bxox[a-z]-[A-Za-z0-9-]{10,}`), masked},
	{[]string{"eyj"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), masked},
	{[]string{"://"}, regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^/\s@]+@`), "${1}" + masked + "@"},
	{[]string{"?", "&"}, regexp.MustCompile(`(?i)([?&;][^=&;\s#]*(?:token|key|secret|password|passwd|signature|auth)=)[^&;\s#"']+`), "${1}" + masked},
	{[]string{"authorization", "cookie", "api-key", "session-id"}, regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|x-api-key|mcp-session-id)(["']?\s*[:=]\s*["']?)[^\r\n"']+`), "${1}${2}" + masked},
	{[]string{`":`, `" :`}, regexp.MustCompile(`(?i)("(?:[^"\\]*(?:pass|pwd|passwd|password|secret|token|api[-_]?key|authorization|cookie|credentials?|private[-_]?key))"\s*:\s*)(?:"(?:[^"\\]|\\.)*"?|[^\s",}\]]+)`), `${1}"` + masked + `"`},
}

var cardNumber = regexp.MustCompile(`\b[3-6](?:[ -]?\d){12,18}\b`)

// mask takes out of a text what is or looks like a secret.
func (c *Collector) mask(text string) string {
	if c.opts.Redact != nil && text != "" {
		text = c.opts.Redact(text)
	}
	if len(text) < 8 {
		return text
	}
	lower := strings.ToLower(text)
	for i := range shapes {
		s := &shapes[i]
		if slices.ContainsFunc(s.marks, func(mark string) bool { return strings.Contains(lower, mark) }) {
			text = s.find.ReplaceAllString(text, s.change)
		}
	}
	if digits := strings.IndexAny(text, "3456"); digits >= 0 && len(text)-digits >= 13 {
		text = cardNumber.ReplaceAllStringFunc(text, func(n string) string {
			if luhn(n) {
				return masked
			}
			return n
		})
	}
	return text
}

// luhn reports whether the digits of a text have the check digit of a card.
func luhn(text string) bool {
	sum, double := 0, false
	for i := len(text) - 1; i >= 0; i-- {
		d := int(text[i] - '0')
		if d < 0 || d > 9 {
			continue
		}
		if double {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum, double = sum+d, !double
	}
	return sum%10 == 0
}

// text masks a text, then cuts it: half a secret would not be found.
func (c *Collector) text(s string, most int) string { return cut(c.mask(s), most) }

func cut(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	at := most
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	return s[:at] + "…(+" + strconv.Itoa(len(s)-at) + " bytes)"
}

// known are name spaces whose keys are not secrets, whatever words they hold.
var known = []string{"gen_ai.", "localpass.", "mcp.", "db.", "network.", "error.", "server.", "jsonrpc."}

var (
	wordsOfKey = regexp.MustCompile(`[A-Z]?[a-z0-9]+|[A-Z]+`)
	secretWord = regexp.MustCompile(`(?i)^(?:pass|pwd|passwd|password|secret|token|apikey|authorization|cookie|credentials?|privatekey)s?$`)
)

// secretKey reports whether an attribute is a secret by its name.
func secretKey(key string) bool {
	for _, space := range known {
		if strings.HasPrefix(key, space) {
			return false
		}
	}
	words := wordsOfKey.FindAllString(key, -1)
	for i, w := range words {
		if secretWord.MatchString(w) || i > 0 && strings.EqualFold(w, "key") && (strings.EqualFold(words[i-1], "api") || strings.EqualFold(words[i-1], "private")) {
			return true
		}
	}
	return false
}

// content are the attributes that hold what people and models wrote.
var content = map[string]bool{
	"gen_ai.input.messages": true, "gen_ai.output.messages": true, "gen_ai.system_instructions": true, "gen_ai.tool.definitions": true,
	"gen_ai.tool.call.arguments": true, "gen_ai.tool.call.result": true, "gen_ai.prompt": true, "gen_ai.completion": true,
}

// facts makes attributes of what an operation told. What people and models wrote
// stands apart, or is left out.
func (c *Collector) facts(attrs []attribute.KeyValue) (facts, said []Attribute, size int) {
	facts = make([]Attribute, 0, len(attrs))
	for _, kv := range attrs {
		key := cut(string(kv.Key), maxName)
		if content[key] && !c.opts.Content {
			continue
		}
		a := Attribute{Key: key, Value: c.value(kv.Value)}
		if secretKey(key) {
			a.Value = masked
		}
		size += len(key) + 48 + sizeOf(a.Value)
		if content[key] {
			said = append(said, a)
			continue
		}
		facts = append(facts, a)
	}
	return facts, said, size
}

func (c *Collector) value(v attribute.Value) any {
	switch v.Type() {
	case attribute.BOOL:
		return v.AsBool()
	case attribute.INT64:
		return v.AsInt64()
	case attribute.FLOAT64:
		f := v.AsFloat64()
		if math.IsNaN(f) || math.IsInf(f, 0) { // no JSON
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
		return f
	case attribute.STRINGSLICE:
		list := v.AsStringSlice()
		list = list[max(len(list)-maxList, 0):]
		out := make([]string, len(list))
		for i, s := range list {
			out[i] = c.text(s, maxText)
		}
		return out
	}
	return c.text(v.String(), maxText)
}

func sizeOf(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []string:
		n := 0
		for _, s := range v {
			n += len(s) + 16
		}
		return n
	}
	return 8
}

// fact looks an attribute up.
func fact(attrs []Attribute, key string) any {
	for i := range attrs {
		if attrs[i].Key == key {
			return attrs[i].Value
		}
	}
	return nil
}

func textOf(attrs []Attribute, key string) string {
	s, _ := fact(attrs, key).(string)
	return s
}

func countOf(attrs []Attribute, key string) (int64, bool) {
	n, ok := fact(attrs, key).(int64)
	return n, ok
}

func isRoot(attrs []Attribute) bool { yes, _ := fact(attrs, genai.KeyTurnRoot).(bool); return yes }
