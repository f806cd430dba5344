package toolspec_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

// A member of the wrong JSON kind keeps the document from being loaded; null is
// the same as absent.
func TestMembersOfTheWrongKind(t *testing.T) {
	for member, wrong := range map[string]string{
		"toolId": `5`, "name": `5`, "description": `[]`, "category": `true`, "tags": `"util"`, "params": `{}`, "staticVariables": `{}`, "code": `["a"]`,
		"codeType": `1`, "sandboxOverrides": `[]`, "toolSafety": `"none"`, "humanInTheLoop": `"REQUIRED"`, "draft": `"true"`,
		"createTimestamp": `"2026-01-01"`, "updateTimestamp": `{}`,
	} {
		members := map[string]string{"name": `"x"`, "code": `"return 1;"`, "codeType": `"Javascript"`}
		document := func() string {
			text := "{"
			for name, value := range members {
				text += fmt.Sprintf("%q:%s,", name, value)
			}
			return text + `"x-last":0}`
		}
		members[member] = wrong
		err := (&toolspec.Spec{}).UnmarshalJSON([]byte(document()))
		var problems toolspec.Problems
		require.ErrorAs(t, err, &problems, member)
		require.Len(t, problems, 1, member)
		assert.Equal(t, member, problems[0].Pointer)
		assert.Equal(t, "wrong-type", problems[0].Reason)
		assert.Positive(t, problems[0].Column)

		required := member == "name" || member == "code" || member == "codeType"
		members[member] = "null"
		err = (&toolspec.Spec{}).UnmarshalJSON([]byte(document()))
		assert.Equal(t, required, err != nil, "%s as null: %v", member, err)
	}
}

func TestPartsOfTheWrongKind(t *testing.T) {
	for members, want := range map[string]string{
		`"tags":["a",null]`: "tags[1]: must be a string, is null",
		`"tags":[5]`:        "tags[0]: must be a string, is a number",
		`"params":[null]`:   "params[0]: must be an object, is null",
		`"params":[{"name":"a","type":"STRING","required":"yes"}]`:   "params[0].required: must be a boolean, is a string",
		`"params":[{"name":"a","type":null,"required":true}]`:        "params[0].type: is missing",
		`"staticVariables":["a"]`:                                    "staticVariables[0]: must be an object, is a string",
		`"staticVariables":[{"a":5}]`:                                "staticVariables[0].a: must be a string, is a number",
		`"staticVariables":[{"a":null}]`:                             "staticVariables[0].a: must be a string, is null",
		`"sandboxOverrides":{"networkMode":5}`:                       "sandboxOverrides.networkMode: must be a string, is a number",
		`"sandboxOverrides":{"fsBasePath":5}`:                        "sandboxOverrides.fsBasePath: must be a string, is a number",
		`"sandboxOverrides":{"hostsAllow":"a.example"}`:              "sandboxOverrides.hostsAllow: must be an array, is a string",
		`"sandboxOverrides":{"addDenyClasses":[{}]}`:                 "sandboxOverrides.addDenyClasses[0]: must be a string, is an object",
		`"humanInTheLoop":{"mode":true}`:                             "humanInTheLoop.mode: must be a string, is a boolean",
		`"toolSafety":{"runtime":{"helpers":"safety.fs/v1"}}`:        "toolSafety.runtime.helpers: must be an array, is a string",
		`"toolSafety":{"capabilities":{"network":{"hosts":[null]}}}`: "toolSafety.capabilities.network.hosts[0]: must be a string, is null",
	} {
		err := (&toolspec.Spec{}).UnmarshalJSON([]byte(`{"name":"x","code":"return 1;","codeType":"Javascript",` + members + `}`))
		assert.ErrorContains(t, err, "SPEC_PARSE "+want, members)
	}
}

func TestValuesThatOnlyTheTextShows(t *testing.T) {
	spec := load(t, `{"name":"x","code":"return 1;","codeType":"Javascript","sandboxOverrides":{"networkMode":""},"createTimestamp":1e30,
	  "staticVariables":[{},{"a":"1","b":"2"}],"humanInTheLoop":{"mode":null},"params":[{"name":"p","type":"STRING","required":false,"x-allow-empty":null,"testValue":null}],"x-tests":null}`)
	assert.Equal(t, toolspec.ApprovalDisabled, spec.Approval.Mode)
	assert.Equal(t, []toolspec.Variable{{}, {Name: "a", Value: "1"}}, spec.StaticVariables)
	assert.Equal(t, []string{"e staticVariables[0] static-variable-name", "e staticVariables[0] static-variable-entries", "e staticVariables[1] static-variable-entries",
		"e sandboxOverrides.networkMode network-mode", "e createTimestamp timestamp"}, reasons(spec.Validate(false)))
	assert.Len(t, spec.Clone().Validate(false), 5, "a copy knows them too")
	spec.Overrides.NetworkMode, spec.Created, spec.StaticVariables = toolspec.NetworkBlocked, 1, nil
	assert.Empty(t, spec.Validate(false), "mended")
}
