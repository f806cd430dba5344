package reader

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/localpass/localpass/rag"
)

// mainPart returns the part with the contents of an Office document.
func (a *archive) mainPart(usual string) (string, error) {
	links, err := a.relations("/")
	if err != nil {
		return "", err
	}
	for _, l := range links {
		if l.kind == "officeDocument" && a.files[l.target] != nil {
			return l.target, nil
		}
	}
	if a.files[usual] == nil {
		return "", fmt.Errorf("it has no part with its contents: %w", rag.ErrCorrupt)
	}
	return usual, nil
}

// wordFlow reads the parts of DOCX and PPTX, whose elements have the same local names.
type wordFlow struct {
	flow
	styles  map[string]int // the level of the heading that a style is
	inText  bool
	hidden  bool // the run is
	hid     int  // characters that are hidden
	before  []int
	columns int
	shape   struct{ title, body, drop bool } // of PPTX
}

func (f *wordFlow) start(e xml.StartElement) bool {
	switch e.Name.Local {
	case "del", "moveFrom", "tabs", "sectPr", "timing", "rt", "pPrChange", "rPrChange":
		return true
	case "AlternateContent":
		f.before = append(f.before, f.letters)
	case "Fallback": // is for programs that do not know the choice
		return len(f.before) > 0 && f.letters > f.before[len(f.before)-1]
	case "p":
		p := f.begin()
		p.item = f.shape.body
		if f.shape.title {
			p.heading = 1
		}
	case "pStyle":
		f.last().heading = f.styles[attr(e, "val")]
	case "outlineLvl":
		if n, err := strconv.Atoi(attr(e, "val")); err == nil && n >= 0 && n < 9 {
			f.last().heading = n + 1
		}
	case "numPr":
		f.last().item = true
	case "ilvl":
		f.last().level, _ = strconv.Atoi(attr(e, "val"))
	case "pPr":
		f.last().level, _ = strconv.Atoi(attr(e, "lvl"))
	case "r":
		f.hidden = false
	case "vanish":
		f.hidden = attr(e, "val") != "0" && attr(e, "val") != "false"
	case "t":
		f.inText = true
	case "tab":
		f.write("\t")
	case "br", "cr":
		f.write("\n")
	case "noBreakHyphen":
		f.write("-")
	case "tbl":
		f.beginTable()
	case "tc":
		if f.columns, _ = strconv.Atoi(attr(e, "gridSpan")); f.columns < 1 {
			f.columns = 1
		}
	case "gridSpan":
		f.columns, _ = strconv.Atoi(attr(e, "val"))
	case "sp":
		f.shape.title, f.shape.body, f.shape.drop = false, false, false
	case "ph":
		switch kind := attr(e, "type"); kind {
		case "title", "ctrTitle":
			f.shape.title = true
		case "sldNum", "dt", "ftr", "hdr", "sldImg":
			f.shape.drop = true
		case "subTitle":
		default:
			f.shape.body = true
		}
	case "txBody":
		return f.shape.drop
	case "footnote", "endnote":
		return strings.Contains(strings.ToLower(attr(e, "type")), "separator") || attr(e, "type") == "continuationNotice"
	}
	return false
}

func (f *wordFlow) end(name string) {
	switch name {
	case "AlternateContent":
		f.before = f.before[:max(0, len(f.before)-1)]
	case "p":
		f.finish()
	case "t":
		f.inText = false
	case "tc":
		f.endCell(f.columns)
	case "tr":
		f.endRow()
	case "tbl":
		f.endTable()
	case "sp":
		f.shape.title, f.shape.body, f.shape.drop = false, false, false
	}
}

func (f *wordFlow) text(s string) {
	switch {
	case f.inText && f.hidden:
		f.hid += len(s)
	case f.inText:
		f.write(s)
	}
}

func (f *wordFlow) part(name string) error { return f.walk(name, f.start, f.end, f.text) }

func (j *job) docx() error {
	a, err := j.open()
	if err != nil {
		return err
	}
	document, err := a.mainPart("/word/document.xml")
	if err != nil {
		return err
	}
	f := &wordFlow{flow: flow{archive: a}}
	links, err := a.relations(document)
	if err != nil {
		return err
	}
	parts := []string{document}
	for _, l := range links {
		switch l.kind {
		case "styles":
			if f.styles, err = a.headingStyles(l.target); err != nil {
				return err
			}
		case "footnotes", "endnotes":
			parts = append(parts, l.target)
		}
	}
	for _, part := range parts {
		if err := f.part(part); err != nil {
			return err
		}
		f.out.EndTable()
	}
	if f.hid > 0 {
		j.warn("%d hidden characters were left out", f.hid)
	}
	return a.facts("/docProps/core.xml")
}

// headingStyles returns the level of each style that is a heading.
func (a *archive) headingStyles(part string) (map[string]int, error) {
	levels, based := map[string]int{}, map[string]string{}
	id := ""
	err := a.walk(part, func(e xml.StartElement) bool {
		value := strings.ToLower(attr(e, "val"))
		switch e.Name.Local {
		case "style":
			id = attr(e, "styleId")
		case "basedOn":
			based[id] = attr(e, "val")
		case "name":
			if value == "title" {
				levels[id] = 1
			} else if n, err := strconv.Atoi(strings.TrimPrefix(value, "heading ")); err == nil && n > 0 {
				levels[id] = n
			}
		case "outlineLvl":
			if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < 9 {
				levels[id] = n + 1
			}
		}
		return false
	}, nil, nil)
	for style := range based {
		above := style
		for range 10 { // styles may be based on each other in a circle
			if above = based[above]; levels[style] == 0 && levels[above] > 0 {
				levels[style] = levels[above]
			}
		}
	}
	return levels, err
}

func (j *job) pptx() error {
	a, err := j.open()
	if err != nil {
		return err
	}
	presentation, err := a.mainPart("/ppt/presentation.xml")
	if err != nil {
		return err
	}
	links, err := a.relations(presentation)
	if err != nil {
		return err
	}
	var slides []string
	err = a.walk(presentation, func(e xml.StartElement) bool {
		if e.Name.Local == "sldId" {
			for _, at := range e.Attr {
				for _, l := range links {
					if l.kind == "slide" && at.Name.Local == "id" && at.Value == l.id {
						slides = append(slides, l.target)
					}
				}
			}
		}
		return false
	}, nil, nil)
	if err != nil {
		return err
	}
	if err := j.pages(len(slides)); err != nil {
		return err
	}
	for i, slide := range slides {
		j.out.Begin(rag.KeySlide, int64(i+1))
		links, err := a.relations(slide)
		if err != nil {
			return err
		}
		parts := []string{slide}
		for _, l := range links {
			if l.kind == "diagramData" || l.kind == "notesSlide" {
				parts = append(parts, l.target)
			}
		}
		for _, part := range parts {
			f := &wordFlow{flow: flow{archive: a}}
			if err := f.part(part); err != nil {
				return err
			}
			j.out.EndTable()
		}
	}
	return a.facts("/docProps/core.xml")
}

func (j *job) epub() error {
	a, err := j.open()
	if err != nil {
		return err
	}
	book := ""
	if err := a.walk("/META-INF/container.xml", func(e xml.StartElement) bool {
		if e.Name.Local == "rootfile" && book == "" {
			book = path.Join("/", attr(e, "full-path"))
		}
		return false
	}, nil, nil); err != nil {
		return err
	}
	if a.files[book] == nil {
		return fmt.Errorf("it has no part with its contents: %w", rag.ErrCorrupt)
	}
	encrypted := map[string]bool{}
	if err := a.walk("/META-INF/encryption.xml", func(e xml.StartElement) bool {
		if e.Name.Local == "CipherReference" {
			encrypted[path.Join("/", attr(e, "URI"))] = true
		}
		return false
	}, nil, nil); err != nil {
		return err
	}
	if err := a.facts(book); err != nil {
		return err
	}
	targets := map[string]string{}
	var spine []string
	if err := a.walk(book, func(e xml.StartElement) bool {
		switch e.Name.Local {
		case "item":
			targets[attr(e, "id")] = path.Join(path.Dir(book), unescape(attr(e, "href")))
		case "itemref":
			spine = append(spine, targets[attr(e, "idref")])
		}
		return false
	}, nil, nil); err != nil {
		return err
	}
	if err := j.pages(len(spine)); err != nil {
		return err
	}
	for i, part := range spine {
		if encrypted[part] {
			return fmt.Errorf("it is protected by its publisher: %w", rag.ErrEncrypted)
		}
		data, err := a.read(part)
		if err != nil {
			return err
		}
		page, _ := decode(data)
		markdown, err := j.htmlToMarkdown(page, false)
		if err != nil {
			return err
		}
		j.out.Begin(rag.KeySection, int64(i+1))
		j.out.Block(markdown)
	}
	return nil
}

// unescape undoes the escapes of an address in a book.
func unescape(href string) string {
	if plain, err := url.PathUnescape(href); err == nil {
		return plain
	}
	return href
}
