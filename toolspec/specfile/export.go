package specfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/toolspec"
)

// toolSpecs is the member that holds several specs in one text.
const toolSpecs = "toolSpecs"

// Export writes specs as one text for others: one spec as it is, several as
// {"toolSpecs": […]}. [toolspec.Parse] and [studio.Studio.Import] read both. Nothing of this
// home goes along: no receipt, no state, no resolved value.
//
// What looks like a credential does not go along where it can be replaced; the problems
// name each place, see [toolspec.Spec.ForOthers].
func Export(specs ...*toolspec.Spec) ([]byte, toolspec.Problems, error) {
	var problems toolspec.Problems
	documents := make([][]byte, len(specs))
	for i, spec := range specs {
		at := ""
		if len(specs) != 1 {
			at = scan.Index(toolSpecs, i) + "."
		}
		own, found := spec.ForOthers()
		for _, p := range found {
			p.Pointer = at + p.Pointer
			problems = append(problems, p)
		}
		var err error
		if documents[i], err = own.MarshalJSON(); err != nil {
			return nil, nil, fmt.Errorf("toolspec: export %s: %w", strconv.Quote(spec.Name), err)
		}
	}
	text := []byte(`{"` + toolSpecs + `":[` + string(bytes.Join(documents, []byte(","))) + `]}`)
	if len(documents) == 1 {
		text = documents[0]
	}
	var out bytes.Buffer
	_ = json.Indent(&out, text, "", "  ") // it is JSON: MarshalJSON checked it
	out.WriteByte('\n')
	return out.Bytes(), problems, nil
}
