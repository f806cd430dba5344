package specfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/toolspec"
)

// toolSpecs is the JSON member that holds the specs if a text contains several.
const toolSpecs = "toolSpecs"

// Export writes specs as one text that can be shared: a single spec as it is, several as
// {"toolSpecs": [...]}. [toolspec.Parse] and [studio.Studio.Import] read both forms. The
// text contains nothing from this home: no receipt, no state, no resolved value.
//
// Text that looks like a credential is replaced where that is possible; the problems name
// each place, see [toolspec.Spec.ForOthers].
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
	_ = json.Indent(&out, text, "", "  ") // cannot fail: MarshalJSON returns valid JSON
	out.WriteByte('\n')
	return out.Bytes(), problems, nil
}
