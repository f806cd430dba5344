package toolspec

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Tools makes a [Source] from a fixed list. Its Tools method sorts the tools by name. It
// returns an error if a tool is nil, and one that matches [ErrNameTaken] if two tools
// have the same name.
func Tools(tools ...Tool) Source { return toolList(slices.Clone(tools)) }

type toolList []Tool

func (l toolList) Tools(context.Context) ([]Tool, error) {
	tools := slices.Clone(l)
	for i, tool := range tools {
		if tool == nil {
			return nil, fmt.Errorf("toolspec: tool %d of %d is nil", i+1, len(tools))
		}
	}
	slices.SortStableFunc(tools, func(a, b Tool) int { return strings.Compare(a.Definition().Name, b.Definition().Name) })
	for i := 1; i < len(tools); i++ {
		if name := tools[i].Definition().Name; name == tools[i-1].Definition().Name {
			return nil, fmt.Errorf("toolspec: two tools are named %q: %w", name, ErrNameTaken)
		}
	}
	return tools, nil
}
