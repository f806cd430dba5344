package reader

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/localpass/localpass/rag"
)

// The formats that [Sniff] tells apart, as media types.
const (
	Text      = "text/plain"
	Markdown  = "text/markdown"
	HTML      = "text/html"
	CSV       = "text/csv"
	JSON      = "application/json"
	JSONLines = "application/jsonl"
	Mail      = "message/rfc822"
	PDF       = "application/pdf"
	DOCX      = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	PPTX      = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	XLSX      = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	ODT       = "application/vnd.oasis.opendocument.text"
	ODP       = "application/vnd.oasis.opendocument.presentation"
	ODS       = "application/vnd.oasis.opendocument.spreadsheet"
	EPUB      = "application/epub+zip"
	RTF       = "application/rtf"
	DOC       = "application/msword"
	PPT       = "application/vnd.ms-powerpoint"
	XLS       = "application/vnd.ms-excel"
	// EncryptedOffice is a DOCX, PPTX or XLSX file with a password.
	EncryptedOffice = "application/x-encrypted-office"
	Binary          = "application/octet-stream" // none of those that are known
)

// signatures are the first bytes of formats. Those that no reader reads are here for the
// text of the error.
var signatures = []struct{ begin, format string }{
	{`{\rtf`, RTF}, {"\x1f\x8b", "application/gzip"}, {"BZh", "application/x-bzip2"}, {"\xfd7zXZ\x00", "application/x-xz"},
	{"\x28\xb5\x2f\xfd", "application/zstd"}, {"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"}, {"Rar!\x1a\x07", "application/vnd.rar"},
	{"\x89PNG\r\n\x1a\n", "image/png"}, {"\xff\xd8\xff", "image/jpeg"}, {"GIF8", "image/gif"}, {"RIFF", "application/x-riff"},
	{"II*\x00", "image/tiff"}, {"MM\x00*", "image/tiff"}, {"\x7fELF", "application/x-elf"}, {"MZ", "application/vnd.microsoft.portable-executable"},
	{"%!PS", "application/postscript"}, {"SQLite format 3\x00", "application/vnd.sqlite3"}, {"ID3", "audio/mpeg"}, {"OggS", "application/ogg"},
	{"\x00asm", "application/wasm"}, {"\x1aE\xdf\xa3", "video/x-matroska"},
}

// The legacy format of Microsoft, by a stream that a file has. The names are in UTF-16.
var (
	ole2        = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
	ole2Streams = []struct{ stream, format string }{
		{"EncryptedPackage", EncryptedOffice}, {"WordDocument", DOC}, {"PowerPoint Document", PPT}, {"Workbook", XLS}, {"Book", XLS},
		{"__substg1.0_", "application/vnd.ms-outlook"},
	}
)

// byExtension are the formats of text that a name can choose.
var byExtension = map[string]string{
	".txt": Text, ".text": Text, ".log": Text, ".md": Markdown, ".markdown": Markdown, ".html": HTML, ".htm": HTML, ".xhtml": HTML,
	".csv": CSV, ".tsv": CSV, ".json": JSON, ".jsonl": JSONLines, ".ndjson": JSONLines, ".eml": Mail,
}

// Sniff returns the format of a file by its content, or [Binary]. Among the formats of
// text the name decides, if the content can be of that format.
func Sniff(file rag.File) string {
	format, _, _ := sniff(file)
	return format
}

// sniff returns the text as well, if the file is one, and its charset.
func sniff(file rag.File) (format, text, charset string) {
	data := file.Data
	begin := data[:min(len(data), 1024)]
	switch {
	case bytes.Contains(begin, []byte("%PDF-")):
		return PDF, "", ""
	case bytes.HasPrefix(begin, []byte("PK\x03\x04")), bytes.HasPrefix(begin, []byte("PK\x05\x06")):
		return sniffZip(data), "", ""
	case bytes.HasPrefix(begin, []byte(ole2)):
		for _, s := range ole2Streams {
			if bytes.Contains(data, []byte(strings.Join(strings.Split(s.stream, ""), "\x00"))) {
				return s.format, "", ""
			}
		}
		return "application/x-ole-storage", "", ""
	}
	text, charset = decode(data)
	for _, s := range signatures {
		// A text may begin with the letters of a signature, but not with its controls.
		letters := !strings.ContainsFunc(s.begin, func(r rune) bool { return r < ' ' || r > '~' })
		if bytes.HasPrefix(begin, []byte(s.begin)) && (text == "" || !letters || s.format == RTF) {
			return s.format, "", ""
		}
	}
	if text == "" && len(data) > 0 {
		return Binary, "", ""
	}
	return sniffText(text, byExtension[strings.ToLower(path.Ext(file.Name))]), text, charset
}

func sniffZip(data []byte) string {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "application/zip"
	}
	for _, f := range archive.File {
		switch name := f.Name; {
		case name == "mimetype" && f.Method == zip.Store && f.UncompressedSize64 < 100:
			if at, err := f.DataOffset(); err == nil && at+int64(f.UncompressedSize64) <= int64(len(data)) {
				if format := mediaType().FindString(string(data[at : at+int64(f.UncompressedSize64)])); format != "" {
					return strings.TrimSuffix(format, "-template")
				}
			}
		case strings.HasPrefix(name, "word/document"):
			return DOCX
		case strings.HasPrefix(name, "ppt/presentation"):
			return PPTX
		case strings.HasPrefix(name, "xl/workbook"):
			return XLSX
		case name == "META-INF/container.xml":
			return EPUB
		}
	}
	return "application/zip"
}

// pattern compiles an expression when it is first needed: most starts of a program read no
// file.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	mediaType  = pattern(`^[a-z]+/[\w.+-]+`)
	htmlStart  = pattern(`(?i)^(?:\s|<\?xml[^>]*>|<!--[^>]*-->)*<(?:!doctype\s+html|html|head|body)\b`)
	htmlTag    = pattern(`(?i)<(?:p|div|h[1-6]|a|table|ul|ol|span|br)\b[^>]*>`)
	headerLine = pattern(`^[!-9;-~]+:`)
	mailHeader = pattern(`(?im)^(?:From|To|Subject|Date|Message-ID|Received|MIME-Version|Return-Path):`)
	markers    = pattern("(?m)^#{1,6} \\S|^(?:```|~~~)|^[-*+] \\S|\\]\\([^)\\s]+\\)|\\*\\*\\S|^\\|.*\\|$|^> ")
	mdHeading  = pattern(`(?m)^#{1,6} \S`)
)

// sniffText returns the format of a text. named is the one that its name says, if any.
func sniffText(text, named string) string {
	begin := strings.TrimSpace(text[:min(len(text), 8<<10)])
	record := strings.HasPrefix(begin, "{") || strings.HasPrefix(begin, "[")
	switch {
	case htmlStart().MatchString(begin), named == HTML && htmlTag().MatchString(begin):
		return HTML
	case record && (named == JSON || named == JSONLines):
		return named
	case record && named == "" && json.Valid([]byte(text)):
		return JSON
	case record && named == "" && manyRecords(text):
		return JSONLines
	case (named == "" || named == Mail) && headerLine().MatchString(begin):
		header, _, _ := strings.Cut(begin, "\n\n")
		if len(mailHeader().FindAllString(header, 4)) >= 3 {
			return Mail
		}
	case named == CSV && delimiter(begin) != 0, named == Text, named == Markdown:
		return named
	}
	switch {
	case named == "" && mdHeading().MatchString(begin) && len(markers().FindAllString(begin, 3)) == 3:
		return Markdown
	case named == "" && isTable(begin):
		return CSV
	}
	return Text
}

// manyRecords reports that the first lines are JSON values of their own.
func manyRecords(text string) bool {
	n := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !json.Valid([]byte(line)) {
			return false
		}
		if n++; n == 10 {
			break
		}
	}
	return n > 1
}
