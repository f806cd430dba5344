package approval

import "errors"

// LoadPolicyFile reads a policy file: a JSON object {"version": 1, "policies":
// [...]} of [Policy] values, in which every unknown member is an error.
func LoadPolicyFile(name string) ([]Policy, error) { return nil, errors.ErrUnsupported }

// ParsePolicies reads the text of a policy file. See [LoadPolicyFile].
func ParsePolicies(data []byte) ([]Policy, error) { return nil, errors.ErrUnsupported }
