package reader_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/reader"
)

// pack makes an archive of names and contents.
func pack(t testing.TB, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		method := zip.Deflate
		if files[i] == "mimetype" {
			method = zip.Store
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: files[i], Method: method})
		require.NoError(t, err)
		_, err = w.Write([]byte(files[i+1]))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.String()
}

func word(t testing.TB, body string, more ...string) string {
	return pack(t, append([]string{
		"_rels/.rels", `<Relationships><Relationship Id="r1" Type="http://x/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/_rels/document.xml.rels", `<Relationships><Relationship Id="r1" Type="http://x/styles" Target="styles.xml"/><Relationship Id="r2" Type="http://x/footnotes" Target="/word/footnotes.xml"/></Relationships>`,
		"word/styles.xml", `<w:styles xmlns:w="w"><w:style w:styleId="T1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="Mine"><w:basedOn w:val="Sub"/></w:style><w:style w:styleId="Sub"><w:basedOn w:val="Mine"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>`,
		"word/document.xml", "\xef\xbb\xbf" + `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="w" xmlns:mc="m"><w:body>` + body + `</w:body></w:document>`,
		"docProps/core.xml", `<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>The title</dc:title><dc:creator>Ann</dc:creator></cp:coreProperties>`,
	}, more...)...)
}

func TestDOCX(t *testing.T) {
	t.Parallel()
	p := func(text string) string { return "<w:p><w:r><w:t>" + text + "</w:t></w:r></w:p>" }
	e := read(t, "a.bin", word(t,
		`<w:p><w:pPr><w:pStyle w:val="T1"/></w:pPr><w:r><w:t>First</w:t></w:r></w:p>`+
			`<w:p><w:pPr><w:tabs><w:tab w:pos="1"/></w:tabs></w:pPr><w:r><w:t xml:space="preserve">One </w:t><w:tab/><w:t>two</w:t><w:br/><w:t># three</w:t></w:r></w:p>`+
			`<w:p><w:pPr><w:pStyle w:val="Mine"/></w:pPr><w:r><w:t>Second</w:t></w:r></w:p>`+
			`<w:p><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr><w:r><w:t>item</w:t></w:r></w:p>`+
			`<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>seen</w:t></w:r></w:p>`+
			`<w:tbl><w:tr><w:tc>`+p("a")+p("b")+`</w:tc><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>`+p("c|d")+`</w:tc><w:tc>`+p("e")+`</w:tc></w:tr>`+
			`<w:tr><w:tc><w:tbl><w:tr><w:tc>`+p("in")+`</w:tc><w:tc>`+p("ner")+`</w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>`+
			`<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>`+p("box")+`</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>`+p("box again")+`</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>`+
			`<w:p><mc:AlternateContent><mc:Choice><w:pict/></mc:Choice><mc:Fallback><w:r><w:t>old</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>`,
		"word/footnotes.xml", `<w:footnotes xmlns:w="w"><w:footnote w:type="separator">`+p("x")+`</w:footnote><w:footnote>`+p("A note.")+`</w:footnote></w:footnotes>`))
	assert.Equal(t, "# First\n\nOne \ttwo\n\\# three\n\n## Second\n  - item\n\nseen\n\n| a b | c\\|d | | e |\n| --- | --- | --- | --- |\n| in ner | | | |\n\nbox\n\nold\n\nA note.", e.Text)
	assert.Equal(t, map[string]any{"title": "The title", "author": "Ann", "source": "a.bin"}, e.Metadata)
	assert.Equal(t, []string{"6 hidden characters were left out"}, e.Warnings)
	assert.Equal(t, reader.DOCX, e.Format)
	// The parts of an extract are in UTF-16 as well.
	e = read(t, "", pack(t, "word/document.xml", "\xff\xfe"+strings.Join(strings.Split(`<?xml version="1.0" encoding="utf-16"?><document><p><t>wide</t></p></document>`, ""), "\x00")+"\x00"))
	assert.Equal(t, "wide", e.Text)
}

func TestPPTX(t *testing.T) {
	t.Parallel()
	slide := func(shapes string) string {
		return `<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree>` + shapes + `</p:spTree></p:cSld></p:sld>`
	}
	shape := func(kind, text string) string {
		return `<p:sp><p:nvSpPr><p:nvPr><p:ph type="` + kind + `"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:pPr lvl="1"/><a:r><a:t>` + text + `</a:t></a:r></a:p></p:txBody></p:sp>`
	}
	e := read(t, "a.pptx", pack(t,
		"ppt/presentation.xml", `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="r2"/><p:sldId id="257" r:id="r1"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", `<Relationships><Relationship Id="r1" Type="x/slide" Target="slides/slide1.xml"/><Relationship Id="r2" Type="x/slide" Target="slides/slide2.xml"/></Relationships>`,
		"ppt/slides/slide1.xml", slide(shape("title", "Last")+`<a:tbl><a:tr><a:tc gridSpan="2"><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl>`),
		"ppt/slides/slide2.xml", slide(shape("ctrTitle", "First")+shape("body", "point")+shape("sldNum", "1")),
		"ppt/slides/_rels/slide2.xml.rels", `<Relationships><Relationship Id="r1" Type="x/notesSlide" Target="../notesSlides/notesSlide1.xml"/></Relationships>`,
		"ppt/notesSlides/notesSlide1.xml", slide(shape("sldImg", "no")+shape("body", "said")),
	))
	assert.Equal(t, "# First\n  - point\n  - said\n\n# Last\n\n| x |\n| --- |", e.Text)
	assert.Equal(t, []rag.Part{{Start: 0, End: 26, Key: rag.KeySlide, Value: int64(1)}, {Start: 28, End: 49, Key: rag.KeySlide, Value: int64(2)}}, e.Parts)
	assert.Equal(t, int64(2), e.Metadata[rag.KeyPages])
}

func TestODF(t *testing.T) {
	t.Parallel()
	document := func(format, body string) string {
		return pack(t, "mimetype", format, "content.xml", `<o:document-content xmlns:o="o" xmlns:text="t" xmlns:table="b" xmlns:draw="d"><o:automatic-styles><text:p>no</text:p></o:automatic-styles><o:body>`+body+`</o:body></o:document-content>`,
			"meta.xml", `<o:document-meta xmlns:o="o" xmlns:dc="d" xmlns:meta="m"><o:meta><meta:initial-creator>Ann</meta:initial-creator><dc:creator>Bob</dc:creator><dc:language>en</dc:language></o:meta></o:document-meta>`)
	}
	e := read(t, "a.odt", document(reader.ODT, `<text:h text:outline-level="2">Head</text:h><text:p>One<text:s text:c="2"/>two<text:tab/>
three<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body></text:note></text:p>
<text:list><text:list-item><text:p>x</text:p><text:list><text:list-item><text:p>y</text:p></text:list-item></text:list></text:list-item></text:list>
<table:table table:name="T"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>`))
	assert.Equal(t, "## Head\n\nA note.\n\nOne  two\t three\n- x\n  - y\n\n| a | b |\n| --- | --- |", e.Text)
	assert.Equal(t, map[string]any{"author": "Ann", "language": "en", "source": "a.odt"}, e.Metadata)
	e = read(t, "a.ods", document(reader.ODS, `<table:table table:name="Sales"><table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
<table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2"/><table:table-cell><text:p>d</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16380"/></table:table-row></table:table>`))
	assert.Equal(t, "# Sales\n\n| a | | | d |\n| --- | --- | --- | --- |", e.Text)
	assert.Equal(t, []rag.Part{{Start: 0, End: 48, Key: rag.KeySheet, Value: "Sales"}, {Start: 9, End: 48, Key: rag.KeyRow, Value: int64(4)}}, e.Parts)
	e = read(t, "a.odp", document(reader.ODP+"-template", `<draw:page><draw:frame draw:class="title"><text:p>T</text:p></draw:frame><text:p>words</text:p></draw:page><draw:page><text:p>more</text:p></draw:page>`))
	assert.Equal(t, "# T\n\nwords\n\nmore", e.Text)
	assert.Equal(t, rag.Part{Start: 12, End: 16, Key: rag.KeySlide, Value: int64(2)}, e.Parts[1])
}

func TestEPUB(t *testing.T) {
	t.Parallel()
	files := []string{
		"mimetype", "application/epub+zip",
		"META-INF/container.xml", `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
		"OEBPS/book.opf", `<package xmlns:dc="d"><metadata><dc:title>A book</dc:title><dc:creator>Ann</dc:creator></metadata><manifest><item id="a" href="one%20.xhtml"/><item id="b" href="text/two.xhtml"/></manifest><spine><itemref idref="b"/><itemref idref="a"/></spine></package>`,
		"OEBPS/one .xhtml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><h1>Last</h1><p><a id="x"/>end<br/>here</p></body></html>`,
		"OEBPS/text/two.xhtml", `<?xml version="1.0"?><html><head><title>Page title</title></head><body><h1>First</h1></body></html>`,
	}
	e := read(t, "a.epub", pack(t, files...))
	assert.Equal(t, "# First\n\n# Last\n\nend  \nhere", e.Text)
	assert.Equal(t, map[string]any{"title": "A book", "author": "Ann", "source": "a.epub", "pages": int64(2)}, e.Metadata)
	assert.Equal(t, rag.Part{Start: 9, End: 27, Key: rag.KeySection, Value: int64(2)}, e.Parts[1])
	_, err := reader.New(nil).Read(context.Background(), rag.File{Name: "a.epub", Data: []byte(pack(t, append(files, "META-INF/encryption.xml", `<e><CipherReference URI="OEBPS/text/two.xhtml"/></e>`)...))})
	require.ErrorIs(t, err, rag.ErrEncrypted)
	// Without the file of the format it is known by its container.
	assert.Equal(t, reader.EPUB, reader.Sniff(rag.File{Data: []byte(pack(t, files[2:]...))}))
}

func TestArchiveErrors(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 2001 {
		many = append(many, fmt.Sprint("word/document", i), "")
	}
	broken := word(t, "<w:p><w:r><w:t>"+strings.Repeat("words that are here ", 400)+"</w:t></w:r></w:p>")
	at := strings.Index(broken, "word/document.xml") + 30 // in the deflated data
	locked := []byte(word(t, ""))
	for i := bytes.LastIndex(locked, []byte("PK\x01\x02")); i >= 0; i = bytes.LastIndex(locked[:i], []byte("PK\x01\x02")) {
		locked[i+8] |= 1
	}
	few := reader.New(&reader.Options{Limits: reader.Limits{Pages: 1}})
	for name, c := range map[string]struct {
		r    rag.Reader
		data string
		want error
		text string
	}{
		"a bomb":           {nil, word(t, "<w:p><w:r><w:t>"+strings.Repeat(" ", 3<<20)+"</w:t></w:r></w:p>"), rag.ErrBudget, "unpacks to more"},
		"many files":       {nil, pack(t, many...), rag.ErrBudget, "2001 files"},
		"deep XML":         {nil, word(t, strings.Repeat("<a>", 300)+strings.Repeat("</a>", 300)), rag.ErrBudget, "deeper than 256"},
		"entities":         {nil, pack(t, "word/document.xml", `<!DOCTYPE a [<!ENTITY x "y">]><a><p><t>&x;</t></p></a>`), rag.ErrCorrupt, "not valid XML"},
		"broken XML":       {nil, word(t, "<w:p>"), rag.ErrCorrupt, "not valid XML"},
		"cut off":          {nil, broken[:len(broken)/2], rag.ErrUnsupportedFormat, "application/zip"},
		"broken data":      {nil, broken[:at] + "\xff\xff\xff\xff" + broken[at+4:], rag.ErrCorrupt, "unpacked"},
		"a password":       {nil, string(locked), rag.ErrEncrypted, "password"},
		"no text":          {nil, word(t, "<w:p/>"), rag.ErrNoText, "no text"},
		"no contents":      {nil, pack(t, "mimetype", reader.ODT), rag.ErrCorrupt, "no part"},
		"no document":      {nil, pack(t, "word/document2", ""), rag.ErrCorrupt, "no part"},
		"no presentation":  {nil, pack(t, "ppt/presentation2", ""), rag.ErrCorrupt, "no part"},
		"no book":          {nil, pack(t, "mimetype", reader.EPUB), rag.ErrCorrupt, "no part"},
		"ODF password":     {nil, pack(t, "mimetype", reader.ODT, "META-INF/manifest.xml", "<m><encryption-data/></m>", "content.xml", "x"), rag.ErrEncrypted, "password"},
		"other archive":    {nil, pack(t, "a.txt", "words"), rag.ErrUnsupportedFormat, "unpack it"},
		"a nasty format":   {nil, pack(t, "mimetype", "a\x1b[2Jb"), rag.ErrUnsupportedFormat, "application/zip"},
		"sheets unlinked":  {nil, pack(t, "xl/workbook.xml", ""), rag.ErrUnsupportedFormat, "package xlsx"},
		"too many slides":  {few, pack(t, "mimetype", reader.ODP, "content.xml", "<a><page/><page/><page><p>x</p></page></a>"), rag.ErrBudget, "at most 1"},
		"too many in PPTX": {few, pack(t, "ppt/presentation.xml", `<p><sldId id="a"/><sldId id="a"/></p>`, "ppt/_rels/presentation.xml.rels", `<R><Relationship Id="a" Type="slide" Target="s"/></R>`), rag.ErrBudget, "at most 1"},
	} {
		r := c.r
		if r == nil {
			r = reader.New(nil)
		}
		_, err := r.Read(context.Background(), rag.File{Name: "a", Data: []byte(c.data)})
		require.ErrorIs(t, err, c.want, name)
		require.ErrorContains(t, err, c.text, name)
	}
}
