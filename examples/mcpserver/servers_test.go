package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/internal/smoke/peer"
)

func TestServersTest(t *testing.T) {
	t.Parallel()
	program, home := peer.Program(t), t.TempDir()
	file := writeServers(t, jsonObject{
		"good":   jsonObject{"command": program, "args": []string{"-as", "hub"}},
		"bad":    jsonObject{"command": program, "args": []string{"-as", "exit"}},
		"asleep": jsonObject{"command": "/none", "disabled": true}})
	stdout, _ := mustExit(t, 1, "servers", "test", "-home", home, file)
	assert.Regexp(t, `(?m)^ok    good  \d+ tools  \d+ ms  .*, 20\d\d-\d\d-\d\d$`, stdout)
	assert.Regexp(t, `(?m)^FAIL  bad  .*exit status 3`, stdout)
	listed := mustSucceed(t, "servers", "-home", home)
	assert.Contains(t, listed, "no servers", "a test stores nothing")

	mustFail(t, 1, "bad: ", "servers", "add", "-home", home, file)
	stdout, _ = mustExit(t, 1, "servers", "-check", "-home", home)
	assert.Regexp(t, `(?m)^good +connected +L5 +stdio `, stdout)
	assert.Regexp(t, `(?m)^bad +(error|circuit-open) +L5 +stdio `, stdout)
	assert.Regexp(t, `(?m)^asleep +disabled +L5 +stdio `, stdout)
	assert.Contains(t, stdout, "good: withheld, not approved yet: ")

	stdout = mustSucceed(t, "servers", "test", "-json", "-home", home, "good")
	assert.Contains(t, stdout, `{"id":"good","ok":true,"toolCount":`)
	stdout = mustSucceed(t, "servers", "remove", "-home", home, "bad", "asleep")
	assert.Equal(t, "bad removed\nasleep removed\n", stdout)
	stdout = mustSucceed(t, "servers", "-check", "-json", "-home", home)
	assert.Equal(t, 1, strings.Count(stdout, "\n"), stdout)
	assert.Contains(t, stdout, `"state":"CONNECTED"`)
}
