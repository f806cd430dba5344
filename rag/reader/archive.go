package reader

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/rag"
)

// The limits of an archive and of the XML in it.
const (
	maxFiles    = 2000
	maxInflated = 64 << 20  // bytes of one file
	maxTotal    = 200 << 20 // bytes of all files that are read
	maxRatio    = 100       // of what a file of more than freeRatio unpacks to
	freeRatio   = 1 << 20
	maxXMLDepth = 256
)

// archive is a document that is a ZIP archive. The names in it are never paths of the
// system.
type archive struct {
	*job
	files map[string]*zip.File
	room  int64
}

func (j *job) open() (*archive, error) {
	r, err := zip.NewReader(bytes.NewReader(j.file.Data), int64(len(j.file.Data)))
	if err != nil {
		return nil, corrupt("it is a broken archive", err)
	}
	if len(r.File) > maxFiles {
		return nil, fmt.Errorf("it is an archive of %d files, and at most %d are read: %w", len(r.File), maxFiles, rag.ErrBudget)
	}
	a := &archive{job: j, files: map[string]*zip.File{}, room: maxTotal}
	for _, f := range r.File {
		if name := path.Clean("/" + f.Name); a.files[name] == nil {
			a.files[name] = f
		}
	}
	return a, nil
}

// read unpacks a file; one that is not there is empty.
func (a *archive) read(name string) ([]byte, error) {
	f := a.files[path.Clean("/"+name)]
	if f == nil {
		return nil, nil
	}
	if f.Flags&1 != 0 {
		return nil, fmt.Errorf("its part %q has a password: %w", clip(name), rag.ErrEncrypted)
	}
	if err := a.ctx.Err(); err != nil {
		return nil, err
	}
	r, err := f.Open()
	if err != nil {
		return nil, corrupt("its part cannot be unpacked", err)
	}
	defer r.Close()
	most := min(maxInflated, a.room, max(freeRatio, maxRatio*int64(f.CompressedSize64)))
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if int64(len(data)) > most {
		return nil, fmt.Errorf("its part %q unpacks to more than %d bytes: %w", clip(name), most, rag.ErrBudget)
	}
	if err != nil {
		return nil, corrupt("its part cannot be unpacked", err)
	}
	a.room -= int64(len(data))
	return data, nil
}

// relation is a link of a part of an Office document to another one.
type relation struct{ id, kind, target string }

// relations returns the links of a part, whose kinds are without their address.
func (a *archive) relations(part string) ([]relation, error) {
	dir, name := path.Split(part)
	var all []relation
	err := a.walk(path.Join(dir, "_rels", name+".rels"), func(e xml.StartElement) bool {
		if e.Name.Local == "Relationship" && attr(e, "TargetMode") != "External" {
			target := attr(e, "Target")
			if !strings.HasPrefix(target, "/") {
				target = path.Join("/", dir, target)
			}
			all = append(all, relation{attr(e, "Id"), path.Base(attr(e, "Type")), target})
		}
		return false
	}, nil, nil)
	return all, err
}

// walk reads a file of XML. start returns true for an element to leave out.
func (a *archive) walk(name string, start func(xml.StartElement) bool, end, text func(string)) error {
	data, err := a.read(name)
	if err != nil || len(data) == 0 {
		return err
	}
	if !utf8.Valid(data) {
		decoded, _ := decode(data)
		data = []byte(decoded)
	}
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is UTF-8 now
	for n, depth := 0, 0; ; n++ {
		if n%1024 == 0 && a.ctx.Err() != nil {
			return a.ctx.Err()
		}
		token, err := d.Token()
		if errors.Is(err, io.EOF) || a.out.Full() {
			return nil
		}
		if err != nil {
			return corrupt("its part "+clip(name)+" is not valid XML", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxXMLDepth {
				return fmt.Errorf("its part %q is nested deeper than %d elements: %w", clip(name), maxXMLDepth, rag.ErrBudget)
			}
			if start(token) {
				depth--
				if err := d.Skip(); err != nil {
					return corrupt("its part "+clip(name)+" is not valid XML", err)
				}
			}
		case xml.EndElement:
			depth--
			if end != nil {
				end(token.Name.Local)
			}
		case xml.CharData:
			if text != nil {
				text(string(token))
			}
		}
	}
}

// facts keeps what a file with properties says about the document.
func (a *archive) facts(name string) error {
	keys := map[string]string{
		"title": rag.KeyTitle, "creator": rag.KeyAuthor, "initial-creator": rag.KeyAuthor, "description": rag.KeyDescription,
		"language": rag.KeyLanguage, "created": rag.KeyCreated, "creation-date": rag.KeyCreated,
	}
	key := ""
	return a.walk(name, func(e xml.StartElement) bool {
		key = keys[e.Name.Local]
		return e.Name.Local == "manifest" || e.Name.Local == "spine"
	}, func(string) { key = "" }, func(s string) {
		if key != "" && a.got.Metadata[key] == nil {
			a.fact(key, s)
		}
	})
}

// attr returns an attribute by its local name.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
