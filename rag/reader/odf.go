package reader

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/localpass/localpass/rag"
)

// odfFlow reads the contents of an OpenDocument.
type odfFlow struct {
	flow
	lists   int // the depth of the open lists
	title   bool
	pages   int
	row     int64
	rows    int64
	columns int
}

func (f *odfFlow) start(e xml.StartElement) bool {
	switch e.Name.Local {
	case "tracked-changes", "annotation", "note-citation", "forms", "scripts", "automatic-styles", "font-face-decls",
		"hidden-text", "hidden-paragraph", "title", "desc", "sequence-decls", "database-ranges", "calculation-settings":
		return true
	case "p", "h":
		p := f.begin()
		if n, err := strconv.Atoi(attr(e, "outline-level")); e.Name.Local == "h" && err == nil {
			p.heading = max(n, 1)
		}
		if f.title && p.heading == 0 {
			p.heading = 1
		}
		p.item, p.level = f.lists > 0, f.lists-1
	case "tab":
		f.write("\t")
	case "line-break":
		f.write("\n")
	case "s":
		n, _ := strconv.Atoi(attr(e, "c"))
		f.write(strings.Repeat(" ", min(max(n, 1), 100)))
	case "list":
		f.lists++
	case "frame":
		f.title = attr(e, "class") == "title"
	case "page":
		f.pages++
		f.out.Begin(rag.KeySlide, int64(f.pages))
	case "table":
		f.beginTable()
		if f.format == ODS && f.tables == 1 {
			name := attr(e, "name")
			f.pages++
			f.out.Begin(rag.KeySheet, name)
			f.out.Heading(1, name)
			f.row = 0
		}
	case "table-row":
		f.rows = repeated(e, "number-rows-repeated")
		if f.format == ODS && f.tables == 1 {
			f.out.Begin(rag.KeyRow, f.row+1)
		}
	case "table-cell", "covered-table-cell":
		f.columns = int(repeated(e, "number-columns-repeated"))
	}
	return f.pages > f.Limits.Pages
}

func (f *odfFlow) end(name string) {
	switch name {
	case "p", "h":
		f.finish()
	case "list":
		f.lists--
	case "frame":
		f.title = false
	case "table-cell", "covered-table-cell":
		f.endCell(f.columns)
	case "table-row":
		f.endRow()
		f.row += f.rows
	case "table":
		if f.endTable(); f.tables == 0 && f.format == ODS {
			f.out.End(rag.KeyRow)
			f.out.End(rag.KeySheet)
		}
	}
}

func (f *odfFlow) text(s string) { f.write(strings.ReplaceAll(s, "\n", " ")) }

// repeated returns how often an element stands for itself.
func repeated(e xml.StartElement, name string) int64 {
	n, err := strconv.ParseInt(attr(e, name), 10, 32)
	if err != nil || n < 1 {
		return 1
	}
	return n
}

func (j *job) odf() error {
	a, err := j.open()
	if err != nil {
		return err
	}
	encrypted := false
	if err := a.walk("/META-INF/manifest.xml", func(e xml.StartElement) bool {
		encrypted = encrypted || e.Name.Local == "encryption-data"
		return false
	}, nil, nil); err != nil {
		return err
	}
	if encrypted {
		return fmt.Errorf("it has a password, and cannot be opened here: save it without one: %w", rag.ErrEncrypted)
	}
	if a.files["/content.xml"] == nil {
		return fmt.Errorf("it has no part with its contents: %w", rag.ErrCorrupt)
	}
	f := &odfFlow{flow: flow{archive: a}}
	if err := a.walk("/content.xml", f.start, f.end, f.text); err != nil {
		return err
	}
	if j.format != ODT {
		if err := j.pages(f.pages); err != nil {
			return err
		}
	}
	return a.facts("/meta.xml")
}
