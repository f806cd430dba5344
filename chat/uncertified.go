package chat

import (
	"errors"
	"fmt"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/vouch"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// ErrUncertified is the error of a turn whose request offers a tool without a pass that
// [ClientOptions].Uncertified does not name.
var ErrUncertified = errors.New("chat: the tool is not certified")

// allowList holds the names of tools that may be offered although they are not certified.
type allowList map[string]bool

// newAllowList checks that each name is a valid tool name.
func newAllowList(names []string) (allowList, error) {
	if len(names) == 0 {
		return nil, nil
	}
	l := make(allowList, len(names))
	for _, name := range names {
		if err := toolspec.CheckToolName(name); err != nil {
			return nil, fmt.Errorf("chat: uncertified tools are listed by their exact names: %w: %w", err, llm.ErrInvalid)
		}
		l[name] = true
	}
	return l, nil
}

// checkListed returns an error that names the first tool which is neither certified nor listed.
func (l allowList) checkListed(tools ...toolspec.Tool) error {
	for i, t := range tools {
		if t == nil {
			return fmt.Errorf("chat: tool %d of %d is nil: %w", i+1, len(tools), llm.ErrInvalid)
		}
		if certified(t) {
			continue
		}
		if name := t.Definition().Name; !l[name] {
			return fmt.Errorf("%w: %q holds no pass: certify it with studio.Certify, serve it by a hub, or list it in ClientOptions.Uncertified", ErrUncertified, name)
		}
	}
	return nil
}

// certified reports whether a tool has a pass or comes from a hub, which serves only
// tools with a pass or an approved definition. A withdrawn tool counts as certified,
// because it refuses its calls itself.
func certified(t toolspec.Tool) bool {
	if passed, ok := t.(*studio.Passed); ok {
		return !errors.Is(passed.Err(), studio.ErrNoPass)
	}
	return vouch.Vouched(t)
}
