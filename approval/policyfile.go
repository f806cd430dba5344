package approval

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// maxPolicyFile is the maximum size of a policy file, in bytes.
const maxPolicyFile = 1 << 20

// policyFile is the format of a policy file.
type policyFile struct {
	Version  int          `json:"version"`
	Policies []filePolicy `json:"policies"`
}

// filePolicy is a [Policy] without the fields that only a store sets.
type filePolicy struct {
	Server            string       `json:"serverId"`
	Tool              string       `json:"toolName"`
	Side              Side         `json:"side"`
	Policy            PolicyEffect `json:"policy"`
	OverridesRequired bool         `json:"overridesRequired"`
	Rules             []Rule       `json:"rules"`
}

// LoadPolicyFile reads a policy file for [Options.Fixed]:
//
//	{
//	  "version": 1,
//	  "policies": [
//	    {"serverId": "", "toolName": "hash", "side": "server", "policy": "ALWAYS_ALLOW"},
//	    {"serverId": "files", "toolName": "*", "policy": "ASK_USER", "rules": [
//	      {"pointer": "/path", "operator": "under", "value": "/srv/shared", "not": true, "effect": "deny"}
//	    ]}
//	  ]
//	}
//
// The members are those of [Policy] and [Rule]. The file is read strictly: an unknown member, a repeated
// member, or two policies for one target make the whole file invalid. The error names the place and the
// remedy.
func LoadPolicyFile(name string) ([]Policy, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("approval: policy file: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPolicyFile+1))
	if err != nil {
		return nil, fmt.Errorf("approval: policy file %s: %w", name, err)
	}
	policies, err := parsePolicies(data)
	if err != nil {
		return nil, fmt.Errorf("approval: policy file %s: %w", name, err)
	}
	return policies, nil
}

// parsePolicies parses the text of a policy file. See [LoadPolicyFile].
func parsePolicies(data []byte) ([]Policy, error) {
	if len(data) > maxPolicyFile {
		return nil, fmt.Errorf("is larger than %d bytes", maxPolicyFile)
	}
	var file policyFile
	if err := strictDecode(data, &file); err != nil {
		return nil, err
	}
	if file.Version != 1 {
		return nil, errors.New(`version: this program reads version 1: write "version": 1`)
	}
	policies := make([]Policy, 0, len(file.Policies))
	seen := make(map[string]int, len(file.Policies))
	for i, p := range file.Policies {
		policy := Policy{Server: p.Server, Tool: p.Tool, Side: p.Side, Effect: p.Policy, OverridesRequired: p.OverridesRequired,
			Rules: p.Rules, Fixed: true}
		if _, err := policy.compile(); err != nil {
			return nil, fmt.Errorf("policies[%d].%w", i, err)
		}
		if first, twice := seen[policy.key()]; twice {
			return nil, fmt.Errorf("policies[%d]: is for %s, as policies[%d] is: put them together", i, policy.target(), first)
		}
		seen[policy.key()] = i
		policies = append(policies, policy)
	}
	return policies, nil
}
