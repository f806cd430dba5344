package parser

import "github.com/localpass/localpass/sandbox/internal/parser/dom"

// Limits holds the limits of the parsers. A zero field means its default. Defaults
// without a source were chosen so that a result of that size takes less than about 150
// MB.
type Limits struct {
	CSVBytes int // of a CSV text; default 10 MiB
	CSVCells int // in all records; default 1,000,000

	XMLBytes int // of an XML text; default 10 MiB
	XMLDepth int // of elements; default 256 (specification sheet, section 7.2)
	XMLNodes int // elements, and separately attributes; default 200,000 (7.2)

	YAMLBytes   int // of a YAML text; default 3 MiB (7.3)
	YAMLDepth   int // of collections; default 100 (7.3)
	YAMLNodes   int // scalars and collections; default 500,000
	YAMLAliases int // aliases of collections; default 50 (7.3)

	HTML dom.Limits // of one page; default 10 MiB and 500,000 nodes (7.4)
}

func (l Limits) withDefaults() Limits {
	set := func(field *int, value int) {
		if *field <= 0 {
			*field = value
		}
	}
	set(&l.CSVBytes, 10<<20)
	set(&l.CSVCells, 1_000_000)
	set(&l.XMLBytes, 10<<20)
	set(&l.XMLDepth, 256)
	set(&l.XMLNodes, 200_000)
	set(&l.YAMLBytes, 3<<20)
	set(&l.YAMLDepth, 100)
	set(&l.YAMLNodes, 500_000)
	set(&l.YAMLAliases, 50)
	l.HTML = l.HTML.WithDefaults()
	return l
}
