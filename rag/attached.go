package rag

import "strings"

// Attached is a document of a conversation as each question gets it.
type Attached struct {
	ID, Name string
	// Text is the full text of a small document, and Tokens its estimated size.
	Text   string
	Tokens int
	// Overview is a short text about a document.
	Overview string
	// Note says why there is neither, such as that the document is still being read.
	Note string
	// Searchable says that a search finds its passages.
	Searchable bool
	// Findings are those of its text: see [Findings].
	Findings []string
}

// QuoteAttached quotes the documents of a conversation, and passages that a search found in
// them, for the model. A document with a Text is quoted in full, another one with its
// Overview or its Note. The passages are numbered from first on, and have at most most
// characters in total; see [Quote] for what becomes of texts.
func QuoteAttached(docs []Attached, found []Match, first int, fence string, most int) Quotation {
	var q Quotation
	if len(docs) == 0 {
		return q
	}
	var b strings.Builder
	b.WriteString("<attachments " + fence + ">\n")
	for i := range docs {
		d := &docs[i]
		b.WriteString("[Document: " + firstRunes(strings.Join(strings.Fields(clean(d.Name, fence)), " "), 200) + "]" + suspicious(d.Findings) + "\n")
		text, overview := clean(d.Text, fence), clean(d.Overview, fence)
		switch {
		case text != "":
			b.WriteString("Full text:\n" + text)
		case overview != "":
			b.WriteString("Overview:\n" + overview)
		case d.Note != "":
			b.WriteString("(" + clean(d.Note, fence) + ")")
		case d.Searchable:
			b.WriteString("(There is no overview of it; only passages of it can be found.)")
		}
		b.WriteString("\n\n")
	}
	begin := b.Len()
	b.WriteString("Passages that a search for the question found in them:\n\n")
	if q.Sources = quoteFrom(&b, found, first, fence, most); len(q.Sources) == 0 {
		q.Text = b.String()[:begin]
	} else {
		q.Text = b.String()
	}
	q.Text = strings.TrimRight(q.Text, "\n") + "\n</attachments " + fence + ">"
	return q
}
