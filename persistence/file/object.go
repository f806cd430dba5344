package file

import (
	"errors"
	"fmt"

	"github.com/localpass/localpass/internal/canon/scan"
)

// maxDepth is the depth of an envelope: one level more than encoding/json allows its data.
const maxDepth = 10_001

// members calls visit with each member of a JSON object: the name as it is written between
// its quotes, and the unchanged value. An error of visit ends the walk. encoding/json is
// not used because it would refuse data of the greatest depth that it allows.
func members(b []byte, visit func(name, value []byte) error) error {
	at := scan.Blank(b, 0)
	if scan.KindOf(b[at:]) != scan.Object {
		return errors.New("it is not a JSON object")
	}
	var failed error
	end, bad := scan.Members(b, at, maxDepth, func(name, value scan.Span) *scan.Error {
		if failed = visit(b[name.Start+1:name.End-1], value.Of(b)); failed != nil {
			return &scan.Error{}
		}
		return nil
	})
	switch {
	case failed != nil:
		return failed
	case bad != nil:
		return fmt.Errorf("it is not a whole JSON object: %w", bad)
	case scan.Blank(b, end) != len(b):
		return errors.New("text follows the JSON object")
	}
	return nil
}
