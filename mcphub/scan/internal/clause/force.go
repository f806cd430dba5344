package clause

// Force is what stands behind a verb.
type Force uint8

// The forces, from the weakest.
const (
	States  Force = iota // reads the key; the key that was read
	Allows               // may read, can be read
	Forbids              // never read, must not read
	Orders               // read the key
	Obliges              // must read, must be read, always read
)

// leading are words after which a verb in its base form is an order.
var leading = map[string]bool{"then": true, "also": true, "please": true, "first": true, "always": true, "and": true, "or": true, "then,": true, "simply": true, "immediately": true, "next": true, "instead": true, "just": true, "afterwards": true, "subsequently": true,
	"automatically": true, "silently": true, "important": true, "note": true, "kindly": true, "directly": true, "firstly": true, "secondly": true, "finally": true, "you": true, "secretly": true, "quietly": true}

// linking are forms of be, by which an obligation reaches a participle.
var linking = map[string]bool{"be": true, "is": true, "are": true, "get": true, "been": true, "being": true, "have": true, "has": true}

// Force returns the force of the verb at token i. Its sentence counts: a verb in its base form
// that begins the first sentence of a text says what the tool does, unless something in the
// sentence obliges.
func (s *Sentence) Force(i int) Force {
	t := &s.Tokens[i]
	if t.Form == NoVerb || t.Form == Third && !s.subjunctive(i) {
		return States
	}
	obliged, allowed, negated, direct := s.subjunctive(i), false, false, i == 0
	// The words before the verb, back to the last mark, say what it is.
	for j := i - 1; j >= 0 && j >= i-7; j-- {
		b := &s.Tokens[j]
		if b.Is&Pause != 0 {
			// "Logs, error logs" is a list; "when done, log it" is an order.
			if j == i-1 && (b.Text != "," || t.Is&(ActNoun|Content|Source|Field) == 0 || s.conditional() && s.hasObject(i)) {
				direct = true
			}
			if b.Text == "," && i-j < 4 { // "you must, for safety, read"
				continue
			}
			break
		}
		if b.Is&(When|Before) != 0 && b.Is&(Must|Every) == 0 && !leading[b.Text] && b.Text != "for" { // what is before the condition is not about this verb
			break
		}
		switch {
		case b.Is&Not != 0:
			negated = !negated
		case b.Is&Must != 0:
			obliged = obliged || !s.within(j)
		case b.Is&May != 0:
			allowed = true
		}
		if j == i-1 && leading[b.Text] && (b.Text != "you" || j == 0 || s.Tokens[j-1].Is&(When|Before) == 0) { // not "before you read"
			direct = true
		}
		if b.Text == "to" && j == i-1 && t.Form == Base {
			// "needs to read" obliges, "used to read" does not.
			near := false
			for k := j - 1; k >= 0 && k >= j-4; k-- {
				near = near || s.Tokens[k].Is&Must != 0 && !s.within(k)
			}
			if !near {
				return States
			}
		}
		if t.Form == Participle && j == i-1 && !linking[b.Text] && b.Is&(Must|Not) == 0 && !adverb(b.Text) {
			return States
		}
	}
	if t.Form == Gerund && obliged && i > 0 {
		switch s.Tokens[i-1].Text { // "must start by calling", "requires calling"
		case "by", "requires", "require", "needs", "with", "involves", "entails", "for", "on":
			return Obliges
		}
	}
	if t.Form == Participle && i+3 < len(s.Tokens) && s.Tokens[i+1].Text == "by" && s.HasAny(i+2, i+4, Person) {
		return States // "must be provided by the user"
	}
	switch {
	case negated && (obliged || direct || t.Form == Base || t.Form == Gerund):
		return Forbids
	case obliged && t.Form != Gerund:
		return Obliges
	case allowed:
		return Allows
	case t.Form == Base && direct && (!s.First || i > 0 && s.triggered(i) || i > 2 && s.Tokens[i-1].Text == ":"):
		return Orders
	}
	if t.Form == Base && i > 2 && s.conditional() && s.hasObject(i) && s.Tokens[i-1].Is&(Same|Every|Other|May) == 0 && s.Tokens[i-1].Text != "to" && s.Tokens[i-1].Text != "a" && s.Tokens[i-1].Text != "an" {
		return Orders // "before any answer call fetch_url", without a comma
	}
	return States
}

// hasObject reports that the verb at i is followed by what it is about, so that it is no noun.
func (s *Sentence) hasObject(i int) bool {
	if i+1 >= len(s.Tokens) {
		return false
	}
	switch next := &s.Tokens[i+1]; next.Text {
	case "the", "this", "its", "all", "any", "their", "every", "it":
		return true
	default:
		return next.Is&(Identifier|Path|Address) != 0
	}
}

// subjunctive reports a verb after "it is imperative that".
func (s *Sentence) subjunctive(i int) bool {
	for j := i - 1; j > 0 && j >= i-10; j-- {
		if s.Tokens[j].Text == "that" {
			return s.HasAny(j-4, j, Must)
		}
	}
	return false
}

// conditional reports that the sentence begins with a condition or a purpose.
func (s *Sentence) conditional() bool {
	switch s.Tokens[0].Text {
	case "for", "with", "in", "on", "as", "to", "upon", "at", "additionally", "finally":
		return true
	}
	return s.HasAny(0, 2, When|Before)
}

// within reports that the obligation at token i belongs to a condition, as in "when you need
// to", and not to what follows from it.
func (s *Sentence) within(i int) bool {
	switch s.Tokens[i].Text {
	case "need", "needs", "have", "has", "required", "needed", "necessary", "should":
	default:
		return false
	}
	for j := i - 1; j >= 0 && j >= i-3; j-- {
		if b := &s.Tokens[j]; b.Is&When != 0 && b.Is&Every == 0 && b.Text != "then" {
			return true
		}
		if s.Tokens[j].Is&Pause != 0 {
			return false
		}
	}
	return false
}

// triggered reports that something before token i says when the verb applies.
func (s *Sentence) triggered(i int) bool {
	for j := range i {
		if s.Tokens[j].Is&(When|Before) != 0 {
			return true
		}
	}
	return false
}

func adverb(word string) bool { return len(word) > 3 && word[len(word)-2:] == "ly" }

// Has reports that a token between from and to has all of the classes.
func (s *Sentence) Has(from, to int, is Class) bool { return s.Find(from, to, is) >= 0 }

// Find returns the first token between from and to that has all of the classes, or -1.
func (s *Sentence) Find(from, to int, is Class) int {
	for i := max(from, 0); i < min(to, len(s.Tokens)); i++ {
		if s.Tokens[i].Is&is == is {
			return i
		}
	}
	return -1
}

// HasAny reports that a token between from and to has one of the classes.
func (s *Sentence) HasAny(from, to int, is Class) bool { return s.FindAny(from, to, is) >= 0 }

// FindAny returns the first token between from and to that has one of the classes, or -1.
func (s *Sentence) FindAny(from, to int, is Class) int {
	for i := max(from, 0); i < min(to, len(s.Tokens)); i++ {
		if s.Tokens[i].Is&is != 0 {
			return i
		}
	}
	return -1
}
