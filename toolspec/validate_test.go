package toolspec_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

// sound is a spec without any problem.
func sound() *toolspec.Spec {
	spec := toolspec.New("greet")
	value := "Ann"
	spec.Description, spec.Code = "Greets a person by name, in one short line of text.", "return 'Hello, ' + who;"
	spec.Params = []toolspec.Param{{Name: "who", Description: "whom to greet", Type: toolspec.TypeString, Required: true, TestValue: &value}}
	spec.Tests = []toolspec.Case{{Args: json.RawMessage(`{"who":"Bo"}`), Want: json.RawMessage(`"Hello, Bo"`)}}
	return spec
}

func reasons(problems toolspec.Problems) []string {
	out := []string{}
	for _, p := range problems {
		out = append(out, string(p.Severity[:1])+" "+p.Pointer+" "+p.Reason)
	}
	return out
}

func TestValidateSound(t *testing.T) {
	assert.Empty(t, sound().Validate(true))
	assert.Empty(t, sound().Lint())
	docs, err := toolspec.Parse([]byte(save(t, sound())), &toolspec.ParseOptions{Strict: true})
	require.NoError(t, err)
	assert.Empty(t, docs[0].Problems)
}

// What a program can set wrong, and a file too.
func TestValidate(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	extra := map[string]json.RawMessage{"odd": raw(`1`)}
	for name, tc := range map[string]struct {
		edit func(s *toolspec.Spec)
		want string // e is an error, w a warning
	}{
		"name with blanks":       {func(s *toolspec.Spec) { s.Name = "my tool" }, "w name name-not-slug"},
		"long name":              {func(s *toolspec.Spec) { s.Name = strings.Repeat("n", 129) }, "w name name-not-slug"},
		"every letter of a name": {func(s *toolspec.Spec) { s.Name = "aZ09._-" }, ""},
		"description in bytes":   {func(s *toolspec.Spec) { s.Description = "\xff" }, "e description not-utf8"},
		"two tags, one twice":    {func(s *toolspec.Spec) { s.Tags = []string{"a", "b", "a"} }, ""},
		"three tags":             {func(s *toolspec.Spec) { s.Tags = []string{"a", "b", "c"} }, "e tags tags-too-many"},
		"identifiers":            {func(s *toolspec.Spec) { s.Params[0].Name = "$_é이름9" }, "w x-tests[0].args.who test-argument"},
		"digit first":            {func(s *toolspec.Spec) { s.Params[0].Name, s.Tests = "9a", nil }, "e params[0].name param-name"},
		"names that tools use": {func(s *toolspec.Spec) {
			s.Params = nil
			for _, n := range []string{"from", "to", "length", "max", "date", "name", "code", "async", "of", "get"} {
				s.Params = append(s.Params, param(n, toolspec.TypeString, false))
			}
			s.Tests = nil
		}, ""},
		"unwritable global": {func(s *toolspec.Spec) { s.Params[0].Name, s.Tests = "undefined", nil }, "e params[0].name param-name"},
		"strict word":       {func(s *toolspec.Spec) { s.Params[0].Name, s.Tests = "static", nil }, "e params[0].name param-name"},
		"no type":           {func(s *toolspec.Spec) { s.Params[0].Type = "" }, "e params[0].type param-type"},
		"param extra":       {func(s *toolspec.Spec) { s.Params[0].Extra = extra }, "w params[0].odd unknown-member"},
		"override extra":    {func(s *toolspec.Spec) { s.Overrides.Extra = extra }, "w sandboxOverrides.odd unknown-member"},
		"network mode":      {func(s *toolspec.Spec) { s.Overrides.NetworkMode = "on" }, "e sandboxOverrides.networkMode network-mode"},
		"host of two brackets": {func(s *toolspec.Spec) {
			s.Overrides.NetworkMode, s.Overrides.HostsAllow = "allowlist", []string{"[::1]", "x%y", strings.Repeat("a", 64) + ".example"}
		},
			"e sandboxOverrides.hostsAllow[1] host-pattern, e sandboxOverrides.hostsAllow[2] host-pattern"},
		"approval extra":        {func(s *toolspec.Spec) { s.Approval = &toolspec.Approval{Mode: toolspec.ApprovalRequired, Extra: extra} }, ""},
		"approval without mode": {func(s *toolspec.Spec) { s.Approval = &toolspec.Approval{} }, "e humanInTheLoop.mode approval-mode"},
		"variable without name": {func(s *toolspec.Spec) { s.StaticVariables = []toolspec.Variable{{}} }, "e staticVariables[0] static-variable-name"},
		"variable named null":   {func(s *toolspec.Spec) { s.StaticVariables = []toolspec.Variable{{Name: "null"}} }, "e staticVariables[0] static-variable-name"},
		"variables twice":       {func(s *toolspec.Spec) { s.StaticVariables = []toolspec.Variable{{Name: "a"}, {Name: "a"}} }, ""},
		"good placeholders": {func(s *toolspec.Spec) {
			s.StaticVariables = []toolspec.Variable{{Name: "a", Value: "${A}${_B9} $C {D} ${"}}
		}, ""},
		"bad placeholders": {func(s *toolspec.Spec) {
			s.StaticVariables = []toolspec.Variable{{Name: "a", Value: "${A} ${9A} ${} x"}}
		}, "w staticVariables[0] placeholder, w staticVariables[0] placeholder"},
		"large code":              {func(s *toolspec.Spec) { s.Code = strings.Repeat("//", maxCodeSize/2) + "\n" }, "e code code-too-large"},
		"code as large as can be": {func(s *toolspec.Spec) { s.Code = strings.Repeat("/", maxCodeSize) }, ""},
		"negative times":          {func(s *toolspec.Spec) { s.Created, s.Updated = -1, -2 }, "e createTimestamp timestamp, e updateTimestamp timestamp"},
		"schema with reference":   {func(s *toolspec.Spec) { s.OutputSchema = raw(`{"type":"object","$ref":"https://x.example/s.json"}`) }, "e x-output-schema output-schema"},
		"schema":                  {func(s *toolspec.Spec) { s.OutputSchema = raw(`{"type":"object"}`) }, ""},
		"args no JSON":            {func(s *toolspec.Spec) { s.Tests[0].Args = raw(`{`) }, "e x-tests[0].args test-case"},
		"name draws":              {func(s *toolspec.Spec) { s.Tests[0].Name = "a\rPASS" }, "e x-tests[0].name test-case"},
		"name of two lines":       {func(s *toolspec.Spec) { s.Tests[0].Name = "a\nb" }, "e x-tests[0].name test-case"},
		"name that turns":         {func(s *toolspec.Spec) { s.Tests[0].Name = "a\u202eb" }, "e x-tests[0].name test-case"},
		"name of emoji":           {func(s *toolspec.Spec) { s.Tests[0].Name = "한글 👩\u200d💻 ⚠\ufe0f" }, ""},
		"args no object":          {func(s *toolspec.Spec) { s.Tests[0].Args = raw(`[]`) }, "e x-tests[0].args test-case"},
		"want no JSON":            {func(s *toolspec.Spec) { s.Tests[0].Want = raw(`x`) }, "e x-tests[0].want test-case"},
		"version without minor":   {func(s *toolspec.Spec) { s.ToolSafety = raw(`{"version":"1"}`) }, "e toolSafety.version version-unsupported"},
		"version of words":        {func(s *toolspec.Spec) { s.ToolSafety = raw(`{"version":"1.x"}`) }, "e toolSafety.version version-unsupported"},
		"own runtime":             {func(s *toolspec.Spec) { s.ToolSafety = raw(`{"version":"1.0","runtime":{"id":"localpass/goja"}}`) }, ""},
		"recorded mode":           {func(s *toolspec.Spec) { s.ToolSafety = raw(`{"capabilities":{"network":{"mode":"some"}}}`) }, "e toolSafety.capabilities.network.mode network-mode"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := sound()
			tc.edit(spec)
			problems := spec.Validate(false)
			assert.Equal(t, tc.want, strings.Join(reasons(problems), ", "))
			for _, p := range problems {
				assert.NotEmpty(t, p.Message)
				assert.NotEmpty(t, p.Remedy)
			}
		})
	}
}

func TestValidateHelpers(t *testing.T) {
	for id, good := range map[string]bool{
		"safety.fs/v1": true, "tool-safety-helpers/v12#crypto": true, "a/v0": true, "a9.b-c/v1#x-9": true,
		"": false, "/v1": false, "Safety/v1": false, "9a/v1": false, "a/v": false, "a/vx": false, "a/1": false, "a": false, "a/v1#": false, "a/v1#X": false, "a/v1x": false, "a/v1#a#b": false,
	} {
		spec := sound()
		block, err := json.Marshal(map[string]any{"runtime": map[string]any{"helpers": []string{id}}})
		require.NoError(t, err)
		spec.ToolSafety = block
		assert.Equal(t, !good, spec.Validate(false).Err() != nil, id)
	}
}

func TestValidateStrict(t *testing.T) {
	spec := load(t, `{"name":"x","code":"return 1;","codeType":"Javascript",
	  "params":[{"name":"a","type":"string","required":false,"odd":1},{"name":"a","type":"NUMBER","required":false}],
	  "staticVariables":[{"v":"${low}"}], "sandboxOverrides":{"odd":1}, "toolSafety":{"odd":1,"runtime":{"id":"else"}}, "vendor":1}`)
	assert.NoError(t, spec.Validate(false).Err())
	assert.Equal(t, []string{"w params[0].odd unknown-member", "w params[0].name param-repeated", "w params[0].type type-case", "w staticVariables[0] placeholder",
		"w sandboxOverrides.odd unknown-member", "w toolSafety.runtime.id runtime-unknown", "w toolSafety.odd unknown-member"}, sortedFirst(reasons(spec.Validate(false))))
	assert.Len(t, spec.Validate(true).Errors(), 7)

	// A note goes away with the edit of what it is about.
	spec.Params[0].Description = "edited"
	for _, p := range spec.Validate(true) {
		assert.NotEqual(t, "type-case", p.Reason)
	}
}

// sortedFirst puts the two problems of params[0] that have no order between
// them into one.
func sortedFirst(list []string) []string {
	for i := range list {
		if list[i] == "w params[0].odd unknown-member" && i > 0 {
			list[0], list[i] = list[i], list[0]
		}
	}
	return list
}

func TestLint(t *testing.T) {
	text := func(s string) *string { return &s }
	key := "sk-" + strings.Repeat("a1B2", 12)
	for name, tc := range map[string]struct {
		edit func(s *toolspec.Spec)
		want string
	}{
		"no description":              {func(s *toolspec.Spec) { s.Description = " " }, "description description-empty"},
		"no param description":        {func(s *toolspec.Spec) { s.Params[0].Description = "" }, "params[0].description description-empty"},
		"nothing asserted":            {func(s *toolspec.Spec) { s.Tests[0].Want = nil }, "x-tests nothing-asserted"},
		"no cases":                    {func(s *toolspec.Spec) { s.Tests = nil }, "x-tests nothing-asserted"},
		"a failure is asserted":       {func(s *toolspec.Spec) { s.Tests = []toolspec.Case{{WantError: &toolspec.WantError{}}} }, ""},
		"ignored argument":            {func(s *toolspec.Spec) { s.Code = "return 'who'; // who" }, "params[0].name arguments-ignored"},
		"in a block comment":          {func(s *toolspec.Spec) { s.Code = "/* who\n who */ return `who ${1 + /who/.source}`" }, "params[0].name arguments-ignored"},
		"as a member":                 {func(s *toolspec.Spec) { s.Code = "return { who: 1, a: x.who, b: x?.who }" }, "params[0].name arguments-ignored"},
		"in a template":               {func(s *toolspec.Spec) { s.Code = "return `a ${ {x: `${who}`}.x } b`" }, ""},
		"shorthand":                   {func(s *toolspec.Spec) { s.Code = "return { who }" }, ""},
		"in a ternary":                {func(s *toolspec.Spec) { s.Code = "return x ? who : 1" }, ""},
		"spread":                      {func(s *toolspec.Spec) { s.Code = "return [...who]" }, ""},
		"after a division":            {func(s *toolspec.Spec) { s.Code = "const a = 4 / 2; return a / who / 2" }, ""},
		"after a regexp with a quote": {func(s *toolspec.Spec) { s.Code = "return x.replace(/[\"'/`]/g, '') + who" }, ""},
		"after a condition":           {func(s *toolspec.Spec) { s.Code = "if (x) /['\"`]/.test(y); return who" }, ""},
		"escaped":                     {func(s *toolspec.Spec) { s.Code = `return w\u0068o` }, ""},
		"escaped, braces":             {func(s *toolspec.Spec) { s.Code = `return w\u{68}o` }, ""},
		"global object, member":       {func(s *toolspec.Spec) { s.Code = "return globalThis.who" }, ""},
		"global object, text":         {func(s *toolspec.Spec) { s.Code = "return globalThis['who']" }, ""},
		"global object, else":         {func(s *toolspec.Spec) { s.Code = "return globalThis.that" }, "params[0].name arguments-ignored"},
		"hidden argument": {func(s *toolspec.Spec) {
			s.Code, s.StaticVariables = "return 1", []toolspec.Variable{{Name: "who", Value: "x"}}
		}, "staticVariables[0] variable-unused"},
		"broken code":     {func(s *toolspec.Spec) { s.Code = "return 'x" }, ""},
		"no code":         {func(s *toolspec.Spec) { s.Code = "" }, ""},
		"unused variable": {func(s *toolspec.Spec) { s.StaticVariables = []toolspec.Variable{{Name: "v", Value: "x"}} }, "staticVariables[0] variable-unused"},
		"unused network":  {func(s *toolspec.Spec) { s.Overrides.NetworkMode = toolspec.NetworkStrict }, "sandboxOverrides.networkMode capability-unused"},
		"used network":    {func(s *toolspec.Spec) { s.Overrides.NetworkMode, s.Code = toolspec.NetworkStrict, "return fetch(who)" }, ""},
		"blocked network": {func(s *toolspec.Spec) { s.Overrides.NetworkMode = toolspec.NetworkBlocked }, ""},
		"unused files": {func(s *toolspec.Spec) { yes := true; s.Overrides.FileRead, s.Overrides.FileWrite = &yes, &yes },
			"sandboxOverrides.fileRead capability-unused, sandboxOverrides.fileWrite capability-unused"},
		"used files": {func(s *toolspec.Spec) {
			yes := true
			s.Overrides.FileRead, s.Code = &yes, "return safety.fs.readText(who)"
		}, ""},
		"key in the code": {func(s *toolspec.Spec) { s.Code = "const x = 1;\nreturn who + '" + key + "';" }, "code hard-coded-secret"},
		"key in a variable": {func(s *toolspec.Spec) {
			s.Code, s.StaticVariables = "return who+k", []toolspec.Variable{{Name: "k", Value: "AKIA" + "ABCDEFGHIJKLMNOP"}}
		}, "staticVariables[0] hard-coded-secret"},
		"key in a test value": {func(s *toolspec.Spec) { s.Params[0].TestValue = text("x ghp_" + strings.Repeat("aB3", 12)) }, "params[0].testValue hard-coded-secret"},
		"key in a case": {func(s *toolspec.Spec) {
			s.Tests[0].Args = json.RawMessage(`{"who":"glpat-` + strings.Repeat("aB3", 10) + `"}`)
		}, "x-tests[0] hard-coded-secret"},
		"private key": {func(s *toolspec.Spec) { s.Description += "-----BEGIN RSA PRIVATE KEY-----\nMII" }, "description hard-coded-secret"},
		"public key":  {func(s *toolspec.Spec) { s.Description += "-----BEGIN PUBLIC KEY-----\nMII" }, ""},
		"webhook": {func(s *toolspec.Spec) {
			s.Code = "return who + 'https://hooks.slack.com/services/T0000AAAA/B0000AAAA/" + strings.Repeat("x", 24) + "'"
		}, "code hard-coded-secret"},
		"words like keys": {func(s *toolspec.Spec) {
			s.Code = "return who + 'sk-learn task-" + strings.Repeat("a", 50) + " AKIA ghp_short'"
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			spec := sound()
			tc.edit(spec)
			var got []string
			for _, p := range spec.Lint() {
				assert.Equal(t, toolspec.SeverityWarning, p.Severity)
				assert.NotEmpty(t, p.Remedy)
				assert.NotContains(t, p.Error(), "a1B2a1B2", "no secret is shown")
				got = append(got, p.Pointer+" "+p.Reason)
			}
			assert.Equal(t, tc.want, strings.Join(got, ", "))
		})
	}
	spec := sound()
	spec.Code = "const x = 1;\nreturn who + '" + key + "';"
	problem := spec.Lint()[0]
	assert.Equal(t, []int{2, 15}, []int{problem.Line, problem.Column})
}
