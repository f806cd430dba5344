package toolspec_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
	"github.com/localpass/localpass/toolspec/specdiff"
)

// propertyCases is how many random cases each property is tried on. The seeds
// are fixed: a failure comes again.
var propertyCases = testrun.Sample(5000)

// draw makes random overrides and hosts.
type draw struct{ *rand.Rand }

func newDraw(seed uint64) draw { return draw{rand.New(rand.NewPCG(seed, 17))} }

var (
	drawClasses = []string{
		"java.lang.*", "java.math.*", "java.util.*", "java.lang.System", "java.lang.Runtime", "java.lang.RuntimeException", "java.lang.Thread",
		"java.lang.ThreadGroup", "java.lang.Class", "java.lang.reflect.*", "java.util.ServiceLoader", "java.io.File", "java.io.FileWriter",
		"java.nio.file.Files", "java.net.URL", "org.jsoup.Jsoup", "com.acme.Pure", "com.acme.*",
	}
	drawHosts = []string{"a.example", "*.b.example", "c.example:8443", "*", "93.184.216.34", "d.example"}
	drawModes = []toolspec.NetworkMode{toolspec.NetworkBlocked, toolspec.NetworkAllowlist, toolspec.NetworkStrict, toolspec.NetworkOpen}
)

func (d draw) one(list []string) string { return list[d.IntN(len(list))] }

// some gives up to most entries of a list, mostly none.
func (d draw) some(list []string, most int) []string {
	if d.IntN(2) == 0 {
		return nil
	}
	var out []string
	for range d.IntN(most + 1) {
		out = append(out, d.one(list))
	}
	return out
}

func (d draw) maybe() *bool {
	switch d.IntN(3) {
	case 0:
		return nil
	case 1:
		return new(bool)
	}
	yes := true
	return &yes
}

func (d draw) mode() toolspec.NetworkMode {
	if d.IntN(3) == 0 {
		return toolspec.NetworkInherit
	}
	return drawModes[d.IntN(len(drawModes))]
}

func (d draw) overrides() toolspec.Overrides {
	o := toolspec.Overrides{
		AddAllowClasses: d.some(drawClasses, 3), RemoveAllowClasses: d.some(drawClasses, 3),
		AddDenyClasses: d.some(drawClasses, 3), RemoveDenyClasses: d.some(drawClasses, 3),
		NetworkMode: d.mode(), HostsAllow: d.some(drawHosts, 3),
		FileRead: d.maybe(), FileWrite: d.maybe(), Destructive: d.maybe(),
	}
	if d.IntN(4) == 0 {
		path := []string{"", " ", "/own"}[d.IntN(3)]
		o.FSBasePath = &path
	}
	return o
}

// host gives the shipped baseline half of the time.
func (d draw) host() *toolspec.Host {
	if d.IntN(2) == 0 {
		return nil
	}
	h := &toolspec.Host{Baseline: toolspec.Baseline{
		AllowNetwork: d.IntN(2) == 0, NetworkMode: d.mode(), AllowedHosts: d.some(drawHosts, 2),
		FileRead: d.IntN(3) == 0, FileWrite: d.IntN(3) == 0, FSBasePath: []string{"", "/base"}[d.IntN(2)],
		Limits: toolspec.Limits{Timeout: time.Duration(d.IntN(60)) * time.Second, Statements: int64(d.IntN(3)) * 1000},
	}}
	if d.IntN(4) == 0 {
		h.Baseline.AllowClasses, h.Baseline.DenyClasses = d.some(drawClasses, 4), d.some(drawClasses, 4)
	}
	if d.IntN(3) == 0 {
		h.Ceiling = &toolspec.Ceiling{NetworkMode: d.mode(), Hosts: d.some(drawHosts, 2), FileRead: d.IntN(2) == 0, FileWrite: d.IntN(2) == 0,
			MaxLevel: []toolspec.Level{toolspec.LevelUnknown, toolspec.L0, toolspec.L3, toolspec.L4}[d.IntN(4)]}
	}
	return h
}

func modeRank(m toolspec.NetworkMode) int { return slices.Index(drawModes, m) }

// baselineMode is the mode of a spec that names none.
func baselineMode(h *toolspec.Host) toolspec.NetworkMode {
	switch {
	case h == nil || !h.Baseline.AllowNetwork:
		return toolspec.NetworkBlocked
	case h.Baseline.NetworkMode == toolspec.NetworkInherit:
		return toolspec.NetworkStrict
	}
	return h.Baseline.NetworkMode
}

// grant adds one permission to the overrides; false when there was none to add.
func (d draw) grant(o *toolspec.Overrides, h *toolspec.Host) bool {
	yes := true
	switch d.IntN(7) {
	case 0:
		o.AddAllowClasses = append(slices.Clone(o.AddAllowClasses), d.one(drawClasses))
	case 1:
		o.RemoveDenyClasses = append(slices.Clone(o.RemoveDenyClasses), d.one(drawClasses))
	case 2:
		o.HostsAllow = append(slices.Clone(o.HostsAllow), d.one(drawHosts))
	case 3:
		o.FileRead = &yes
	case 4:
		o.FileWrite = &yes
	case 5:
		o.Destructive = &yes
	default:
		// A mode is no addition but a choice, and the rubric has strict below an
		// allowlist with *: it is an addition where nothing was reached before.
		from, to := o.NetworkMode, drawModes[d.IntN(len(drawModes))]
		if from == toolspec.NetworkInherit {
			from = baselineMode(h)
		}
		if from != toolspec.NetworkBlocked && to != toolspec.NetworkOpen {
			return false
		}
		o.NetworkMode = to
	}
	return true
}

// restrict takes one permission away.
func (d draw) restrict(o *toolspec.Overrides) {
	no := false
	switch d.IntN(6) {
	case 0:
		o.RemoveAllowClasses = append(slices.Clone(o.RemoveAllowClasses), d.one(drawClasses))
	case 1:
		o.AddDenyClasses = append(slices.Clone(o.AddDenyClasses), d.one(drawClasses))
	case 2:
		o.FileRead = &no
	case 3:
		o.FileWrite = &no
	case 4:
		o.Destructive = &no
	default:
		o.NetworkMode = toolspec.NetworkBlocked
	}
}

func TestPropertyGrantNeverLowersLevel(t *testing.T) {
	d := newDraw(1)
	for n := 0; n < propertyCases; {
		host, spec := d.host(), &toolspec.Spec{Overrides: d.overrides()}
		more := spec.Clone()
		if !d.grant(&more.Overrides, host) {
			continue
		}
		n++
		before, after := spec.Risk(host), more.Risk(host)
		require.NotEqual(t, toolspec.LevelUnknown, after.Level)
		require.False(t, before.Level.Exceeds(after.Level), "%v %v became %v %v\nby %s\n-> %s\non %s",
			before.Level, before.Why, after.Level, after.Why, asJSON(t, spec.Overrides), asJSON(t, more.Overrides), asJSON(t, host))
	}
}

func TestPropertyRestrictionNeverRaisesLevel(t *testing.T) {
	d := newDraw(2)
	for range propertyCases {
		host, spec := d.host(), &toolspec.Spec{Overrides: d.overrides()}
		less := spec.Clone()
		d.restrict(&less.Overrides)
		before, after := spec.Risk(host), less.Risk(host)
		require.False(t, after.Level.Exceeds(before.Level), "%v %v became %v %v\nby %s\n-> %s\non %s",
			before.Level, before.Why, after.Level, after.Why, asJSON(t, spec.Overrides), asJSON(t, less.Overrides), asJSON(t, host))
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// What is enforced is never wider than what was declared, over the baseline for
// what was not, nor than the ceiling. The rules are written anew here, one by
// one, and share no code with the resolver.
func TestPropertyEnforcedNotWiderThanDeclared(t *testing.T) {
	d := newDraw(3)
	resolved := 0
	for range propertyCases {
		host, spec := d.host(), &toolspec.Spec{Name: "x", Code: "return 1", CodeType: toolspec.CodeTypeJavascript, Overrides: d.overrides(),
			Limits: toolspec.Limits{Timeout: time.Duration(d.IntN(60)) * time.Second, Statements: int64(d.IntN(3)) * 700}}
		p, problems := spec.Resolve(host)
		if p == nil {
			require.Error(t, problems.Err())
			continue
		}
		require.NoError(t, problems.Err())
		resolved++
		var base toolspec.Baseline
		if host != nil {
			base = host.Baseline
		}
		o := &spec.Overrides
		why := asJSON(t, o) + " on " + asJSON(t, host) + " gives " + asJSON(t, p)

		mode := o.NetworkMode
		if mode == toolspec.NetworkInherit {
			mode = baselineMode(host)
		}
		require.LessOrEqual(t, modeRank(p.Network.Mode), modeRank(mode), why)
		if p.Network.Mode == toolspec.NetworkAllowlist {
			require.Subset(t, append(slices.Clone(o.HostsAllow), base.AllowedHosts...), p.Network.Hosts, why)
		} else {
			require.Empty(t, p.Network.Hosts, why)
		}
		declared := func(v *bool, inherited bool) bool { return v != nil && *v || v == nil && inherited }
		require.True(t, declared(o.FileRead, base.FileRead) || !p.FileRead, why)
		require.True(t, declared(o.FileWrite, base.FileWrite) || !p.FileWrite, why)
		require.True(t, declared(o.Destructive, false) || !p.Destructive, why)
		if o.FSBasePath == nil || strings.TrimSpace(*o.FSBasePath) == "" {
			require.Equal(t, base.FSBasePath, p.FSBasePath, why)
		} else {
			require.Equal(t, *o.FSBasePath, p.FSBasePath, why)
		}
		within := func(got, most int64) bool { return most == 0 || got > 0 && got <= most }
		require.True(t, within(int64(p.Limits.Timeout), int64(base.Limits.Timeout)) && within(int64(p.Limits.Timeout), int64(spec.Limits.Timeout)), why)
		require.LessOrEqual(t, p.Limits.Timeout, max(base.Limits.Timeout, 30*time.Second), why)
		require.True(t, within(p.Limits.Statements, base.Limits.Statements) && within(p.Limits.Statements, spec.Limits.Statements), why)

		shipped, _ := toolspec.New("x").Resolve(nil)
		allow, deny := base.AllowClasses, base.DenyClasses
		if allow == nil {
			allow = shipped.AllowClasses
		}
		if deny == nil {
			deny = shipped.DenyClasses
		}
		for _, class := range p.AllowClasses {
			require.True(t, (slices.Contains(allow, class) || slices.Contains(o.AddAllowClasses, class)) && !slices.Contains(o.RemoveAllowClasses, class), "%s: %s", class, why)
			require.NotContains(t, p.DenyClasses, class, why)
		}
		for _, class := range append(slices.Clone(deny), o.AddDenyClasses...) {
			require.True(t, slices.Contains(p.DenyClasses, class) || slices.Contains(o.RemoveDenyClasses, class), "%s: %s", class, why)
		}
		if host != nil && host.Ceiling != nil {
			c := host.Ceiling
			require.LessOrEqual(t, modeRank(p.Network.Mode), max(modeRank(c.NetworkMode), 0), why)
			require.True(t, (c.FileRead || !p.FileRead) && (c.FileWrite || !p.FileWrite), why)
			require.True(t, c.MaxLevel == toolspec.LevelUnknown || !spec.Risk(host).Level.Exceeds(c.MaxLevel), why)
		}
	}
	require.Greater(t, resolved, propertyCases/4, "most cases prove something")
}

// Secrets are made of these characters and the text around them of others, so
// that what is left of a secret is not there by chance.
var (
	secretRunes = []rune(`abcdefghijkABCDE0123+/=&%"'<>\ !().한é` + "\n\u2028😀")
	plainRunes  = []rune("mnopqrstMNOP{}[]:,;öü€\t")
)

func (d draw) text(from []rune, least, most int) string {
	out := make([]rune, least+d.IntN(most-least+1))
	for i := range out {
		out[i] = from[d.IntN(len(from))]
	}
	return string(out)
}

// secrets gives one to four secrets; some begin with, end with or repeat others.
func (d draw) secrets() []string {
	var out []string
	for range 1 + d.IntN(4) {
		s := d.text(secretRunes, 4, 24)
		if len(out) > 0 {
			switch d.IntN(5) {
			case 0:
				s = out[0] + s
			case 1:
				s += out[0]
			case 2:
				s += s[:len(string([]rune(s)[:1]))] // may overlap with itself
			}
		}
		if len([]rune(s)) >= 4 {
			out = append(out, s)
		}
	}
	return out
}

// leftOver gives four consecutive characters of a secret that text still has.
func leftOver(text string, secrets []string) string {
	for _, s := range secrets {
		runes := []rune(s)
		for i := 0; i+4 <= len(runes); i++ {
			if part := string(runes[i : i+4]); strings.Contains(text, part) {
				return part
			}
		}
	}
	return ""
}

func TestPropertyMaskingLeavesNothing(t *testing.T) {
	d := newDraw(4)
	for range propertyCases {
		secrets := d.secrets()
		if len(secrets) == 0 {
			continue
		}
		r := secret.NewRedactor(secrets...)
		var b strings.Builder
		for range 1 + d.IntN(6) {
			b.WriteString(d.text(plainRunes, 0, 6))
			b.WriteString(d.one(secrets)) // often right behind another
		}
		b.WriteString(d.text(plainRunes, 0, 6))
		text := b.String()
		masked := r.String(text)
		require.Empty(t, leftOver(masked, secrets), "%q with %q gives %q", text, secrets, masked)
		require.Equal(t, masked, r.String(masked), "masking again changes nothing")

		document := asJSON(t, map[string]any{"key " + text: []any{text, map[string]string{d.one(secrets): "v"}}, "n": 12, "plain": d.text(plainRunes, 1, 9)})
		var value any
		require.NoError(t, json.Unmarshal(r.JSON(json.RawMessage(document)), &value), document)
		require.Empty(t, leftOver(flat(value), secrets), "%s with %q", document, secrets)

		plain := d.text(plainRunes, 0, 40)
		require.Equal(t, plain, r.String(plain), "the rest stays")
	}
}

// flat gives every text in a JSON value.
func flat(v any) string {
	switch v := v.(type) {
	case string:
		return v + "\x00"
	case []any:
		var b strings.Builder
		for _, e := range v {
			b.WriteString(flat(e))
		}
		return b.String()
	case map[string]any:
		var b strings.Builder
		for name, e := range v {
			b.WriteString(name + "\x00" + flat(e))
		}
		return b.String()
	}
	return ""
}

// Secrets are masked in the forms in which JavaScript writes them too.
func TestMaskingOfJavaScriptForms(t *testing.T) {
	for name, tc := range map[string]struct{ secret, text string }{
		"JSON.stringify":       {`ab"cd&ef<gh>`, `{"key":"ab\"cd&ef<gh>"}`},
		"encodeURIComponent":   {`pass word!(1)*'x'`, `k=pass%20word!(1)*'x'`},
		"encodeURI":            {`pass word#!$x`, `k=pass%20word#!$x`},
		"URLSearchParams":      {`pass word!(1)*~x`, `k=pass+word%21%281%29*%7Ex`},
		"text that is no JSON": {"abc\xff\xfedefghijk", "abc\xff\xfedefghijk"},
	} {
		t.Run(name, func(t *testing.T) {
			masked := secret.NewRedactor(tc.secret).String(tc.text)
			assert.Contains(t, masked, secret.Mask)
			assert.Empty(t, leftOver(masked, []string{tc.secret}), masked)
		})
	}
}

// No rows means the same tool, and a diff that is not wider permits no more.
func TestDiffHoldsWhatItSays(t *testing.T) {
	d := newDraw(12)
	for range propertyCases {
		from, to, host := load(t, tiny("x")), load(t, tiny("x")), d.host()
		from.Overrides, to.Overrides = d.overrides(), d.overrides()
		diff := specdiff.Diff(from, to, host)
		if len(diff.Rows) == 0 {
			require.Equal(t, from.ContentHash(), to.ContentHash())
		}
		was, _ := from.Resolve(host)
		is, _ := to.Resolve(host)
		if is == nil || was == nil {
			if is == nil {
				require.True(t, diff.Wider)
			}
			continue
		}
		if !diff.Wider {
			require.False(t, is.FileRead && !was.FileRead || is.FileWrite && !was.FileWrite || is.Destructive && !was.Destructive)
			require.LessOrEqual(t, modeRank(is.Network.Mode), modeRank(was.Network.Mode))
			require.False(t, to.Risk(host).Level.Exceeds(from.Risk(host).Level))
		}
		back := specdiff.Diff(to, from, host)
		require.Len(t, back.Rows, len(diff.Rows))
		for i, r := range diff.Rows {
			if r.Direction == specdiff.Narrower && r.Field != "hosts" {
				require.Equal(t, specdiff.Wider, back.Rows[i].Direction, "%+v", r)
			}
		}
	}
}
